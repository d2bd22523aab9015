"""What an agent writes on its stderr: always read, never kept whole."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable

LINES = 200
"""Lines that are kept."""
CHARACTERS = 4_000
"""What is kept of one line."""
TOLD = 500
"""Lines a second that are told; more are kept like any, but nobody could read them."""

_CHUNK = 64 * 1024
_BYTES = 4 * CHARACTERS

NO_TEXT = "[bytes that are no text]"
_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|.)")
_CONTROLS = re.compile(r"[\x00-\x08\x0a-\x1f\x7f-\x9f]")


def plain(line: bytes) -> str:
    """A line as a person can read it, and no terminal obeys it: without colours, cut, never binary."""
    text = _ESCAPES.sub("", line[:_BYTES].rstrip(b"\r").decode("utf-8", "replace"))
    shown, controls = _CONTROLS.subn("\ufffd", text[:CHARACTERS])
    return NO_TEXT if controls * 10 > len(shown) else shown


class Tail:
    """The last lines of a stream of bytes; memory is bounded whatever comes."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LINES)
        self._begun = bytearray()

    def feed(self, data: bytes) -> list[str]:
        """Takes bytes; the lines that they completed, only the last ones when they are very many."""
        first, *others = data.split(b"\n")
        self._begin(first)
        if not others:
            return []
        complete = [plain(bytes(self._begun)), *map(plain, others[:-1][-LINES:])]
        self._begun.clear()
        self._begin(others[-1])
        self._lines.extend(complete)
        return complete[-LINES:]

    def finish(self) -> list[str]:
        """The last line, when it has no end."""
        return self.feed(b"\n") if self._begun else []

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines, oldest first."""
        return tuple(self._lines)

    def clear(self) -> None:
        """Forgets all lines."""
        self._lines.clear()
        self._begun.clear()

    def add(self, line: str) -> None:
        """Adds a line of one's own."""
        self._lines.append(line[:CHARACTERS])

    def _begin(self, part: bytes) -> None:
        self._begun += part[: _BYTES - len(self._begun)]


class Budget:
    """Lets so many lines through in each second of `clock`."""

    def __init__(self, clock: Callable[[], float], limit: int = TOLD) -> None:
        self._clock = clock
        self._limit = limit
        self._since = clock()
        self._spent = 0

    def allows(self) -> bool:
        """Whether one more may be told now."""
        now = self._clock()
        if now - self._since >= 1:
            self._since, self._spent = now, 0
        self._spent += 1
        return self._spent <= self._limit


async def drain(reader: asyncio.StreamReader, tail: Tail, on_line: Callable[[str], None]) -> None:
    """Reads to the end. A flood neither grows memory nor starves the rest of the program."""
    while data := await reader.read(_CHUNK):
        for line in tail.feed(data):
            on_line(line)
        await asyncio.sleep(0)
    for line in tail.finish():
        on_line(line)
