"""The lines of a change, as a reader wants them: numbered, with a little around them, and never too many."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

Sign: TypeAlias = Literal["+", "-", " ", "…"]

CONTEXT = 3
_COMPARED = 400
"""More changed lines than these on one side are not compared one by one (at the bound: 60 ms)."""


@dataclass(frozen=True, slots=True)
class DiffLine:
    """A line of a change, "…" for a gap. `old` and `new` are its numbers (1-based) before and after."""

    sign: Sign
    text: str
    old: int | None = None
    new: int | None = None


def diff_lines(old: str, new: str, limit: int) -> tuple[list[DiffLine], int]:
    """The first `limit` lines of the change from `old` to `new`, and how many more there are."""
    before, after = old.splitlines(), new.splitlines()
    head = _same(before, after)
    tail = _same(before[head:][::-1], after[head:][::-1])
    lines = [_kept(before[k], k, k) for k in range(max(0, head - CONTEXT), head)]
    if head > CONTEXT:
        lines.insert(0, DiffLine("…", ""))
    lines += _changed(before[head : len(before) - tail], after[head : len(after) - tail], head)
    for k in range(min(tail, CONTEXT)):
        at_old, at_new = len(before) - tail + k, len(after) - tail + k
        lines.append(_kept(before[at_old], at_old, at_new))
    if tail > CONTEXT:
        lines.append(DiffLine("…", ""))
    return lines[:limit], max(0, len(lines) - limit)


def _changed(before: list[str], after: list[str], offset: int) -> list[DiffLine]:
    if max(len(before), len(after)) > _COMPARED:
        return _removed(before, 0, len(before), offset) + _added(after, 0, len(after), offset)
    lines: list[DiffLine] = []
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    for operation, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if operation == "equal":
            lines += _between(before, old_from, old_to, new_from, offset)
        else:
            lines += _removed(before, old_from, old_to, offset) + _added(after, new_from, new_to, offset)
    return lines


def _between(before: list[str], start: int, end: int, new_start: int, offset: int) -> list[DiffLine]:
    shift = new_start - start
    kept = [_kept(before[k], offset + k, offset + k + shift) for k in range(start, end)]
    if len(kept) <= 2 * CONTEXT + 1:
        return kept
    return [*kept[:CONTEXT], DiffLine("…", ""), *kept[-CONTEXT:]]


def _removed(lines: list[str], start: int, end: int, offset: int) -> list[DiffLine]:
    return [DiffLine("-", lines[k], old=offset + k + 1) for k in range(start, end)]


def _added(lines: list[str], start: int, end: int, offset: int) -> list[DiffLine]:
    return [DiffLine("+", lines[k], new=offset + k + 1) for k in range(start, end)]


def _kept(text: str, old: int, new: int) -> DiffLine:
    return DiffLine(" ", text, old + 1, new + 1)


def _same(first: list[str], second: list[str]) -> int:
    count = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        count += 1
    return count
