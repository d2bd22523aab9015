"""Long pasted text: it stands as a short mark in the line that is edited, and is sent as it is."""

from __future__ import annotations

import re

_LINES, _CHARACTERS = 20, 2000
"""What is shorter is edited as if it had been typed."""
MARK = re.compile(r"\[pasted (\d+): [\d,]+ (?:lines|characters)\]")


class Pasted:
    """The pasted texts of a session by the numbers of their marks."""

    def __init__(self) -> None:
        self._texts: list[str] = []

    def mark(self, text: str) -> str:
        """What is put into the line for a pasted text."""
        lines = text.count("\n") + 1
        if lines <= _LINES and len(text) <= _CHARACTERS:
            return text
        self._texts.append(text)
        size = f"{lines:,} lines" if lines > 1 else f"{len(text):,} characters"
        return f"[pasted {len(self._texts)}: {size}]"

    def whole(self, line: str) -> str:
        """The line with what was pasted in place of the marks."""

        def text(mark: re.Match[str]) -> str:
            number = int(mark[1])
            return self._texts[number - 1] if 1 <= number <= len(self._texts) else mark[0]

        return MARK.sub(text, line)
