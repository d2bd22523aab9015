"""The same action with the same result, again and again: what a small model does when it is lost."""

from __future__ import annotations

from typing import Literal, TypeAlias

Verdict: TypeAlias = Literal["fine", "repeated", "stuck"]

WARN_AT = 3
STUCK_AT = 6


class RepeatDetector:
    """Counts identical (tool, input, output) in a row. Lives as long as the session's memory of its tools."""

    def __init__(self) -> None:
        self._last: tuple[str, str, str] | None = None
        self._count = 0

    def observe(self, tool: str, arguments: str, output: str) -> Verdict:
        """Takes one finished call; `stuck` after the warning was ignored three times."""
        action = (tool, arguments, output)
        self._count = self._count + 1 if action == self._last else 1
        self._last = action
        if self._count >= STUCK_AT:
            return "stuck"
        return "repeated" if self._count >= WARN_AT else "fine"


WARNING = (
    f"[LOOP_DETECTED: the same call gave the same result {WARN_AT} times or more; it will not change. "
    "Try a different approach, or tell the person what is in the way]"
)
"""What is added to the output of a repeated call."""
