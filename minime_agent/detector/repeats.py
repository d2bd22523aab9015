"""The same actions with the same results, again and again: what a small model does when it is lost."""

from __future__ import annotations

import re
from collections import deque
from typing import Literal, TypeAlias

import msgspec

Verdict: TypeAlias = Literal["fine", "repeated", "stuck"]

WARN_AT = 3
STUCK_AT = 6
LONGEST_CYCLE = 3
"""Actions of a cycle that is noticed: read, refused edit, read, refused edit is one of two."""

_KIND_OF_REFUSAL = 80
"""Characters of a refusal that say which it is; what follows quotes the file or the call."""
_PARTICULARS = re.compile(r"\d+|'[^']*'|\"[^\"]*\"|`[^`]*`")


class RepeatDetector:
    """Counts repetitions at the end of what was done: of one action, and of cycles of two or three.

    Lives as long as the session's memory of its tools: a summary of the conversation makes no repeated
    command new, `/new` does.
    """

    def __init__(self) -> None:
        self._actions: deque[tuple[str, str, str]] = deque(maxlen=STUCK_AT * LONGEST_CYCLE)

    def observe(self, tool: str, arguments: str, output: str, *, refused_path: str = "") -> Verdict:
        """Takes one finished call; `stuck` after three warnings were ignored.

        A refused edit of `refused_path` counts as the same one whenever the file and the kind of refusal are:
        a model that is lost varies the text by a blank.
        """
        same = (tool, refused_path, _kind(output)) if refused_path else (tool, _plain(arguments), output)
        self._actions.append(same)
        times = max(self._times(length) for length in range(1, LONGEST_CYCLE + 1))
        if times >= STUCK_AT:
            return "stuck"
        return "repeated" if times >= WARN_AT else "fine"

    def _times(self, length: int) -> int:
        """How often the last `length` actions came in a row."""
        actions = list(self._actions)
        cycle = actions[-length:]
        times = 0
        while actions[-length:] == cycle and len(cycle) == length:
            times += 1
            del actions[-length:]
        return times


def _plain(arguments: str) -> str:
    """The arguments whatever their blanks and the order of their keys; as they are where they are no JSON."""
    try:
        return msgspec.json.encode(msgspec.json.decode(arguments), order="sorted").decode()
    except (msgspec.DecodeError, RecursionError):
        return arguments


def _kind(refusal: str) -> str:
    return _PARTICULARS.sub("#", refusal.partition("\n")[0])[:_KIND_OF_REFUSAL]


WARNING = (
    f"[LOOP_DETECTED: the same call gave the same result {WARN_AT} times or more; it will not change. "
    "Try a different approach, or tell the person what is in the way]"
)
"""What is added to the output of a repeated call."""
