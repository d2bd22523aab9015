"""What an edit changed, as a diff with line numbers: the model's proof, in few lines."""

from __future__ import annotations

from collections.abc import Sequence

from minime_agent.fileedit.edits import Span

_AROUND = 2
_LONGEST = 60


def numbered_diff(text: str, spans: Sequence[Span]) -> str:
    """Every changed place: `-12 old line`, `+12 new line`, two lines around, numbered as in the new file."""
    rows: list[str] = []
    shift = 0
    for span in spans:
        first = text.rfind("\n", 0, span.start) + 1
        last = text.find("\n", span.end)
        last = len(text) if last < 0 else last
        number = text.count("\n", 0, first) + 1
        before = text[first:last].split("\n")
        after = (text[first : span.start] + span.new + text[span.end : last]).split("\n")
        lead = text[:first].split("\n")[-1 - _AROUND : -1]
        rows += [f" {number + shift - len(lead) + i} {line}" for i, line in enumerate(lead)]
        rows += [f"-{number + i} {line}" for i, line in enumerate(before)]
        rows += [f"+{number + shift + i} {line}" for i, line in enumerate(after)]
        shift += len(after) - len(before)
        tail = text[last + 1 :].split("\n", _AROUND)
        if len(tail) <= _AROUND and not tail[-1]:
            tail.pop()  # nothing stands after the last line end
        rows += [f" {number + len(before) + shift + i} {line}" for i, line in enumerate(tail[:_AROUND])]
    if len(rows) > _LONGEST:
        left_out = len(rows) - _LONGEST
        rows = [*rows[: _LONGEST // 2], f"[… {left_out} lines left out …]", *rows[-_LONGEST // 2 :]]
    return "\n".join(rows)
