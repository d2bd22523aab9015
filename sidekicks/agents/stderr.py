"""What an agent writes on its stderr: always read, never kept whole."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable, Iterable

LINES = 200
"""Lines that are kept."""
CHARACTERS = 4_000
"""What is kept of one line."""
TOLD = 500
"""Lines a second that are told; more are kept like any, but nobody could read them."""

TOLD_LINES = 10
"""Last lines that go with a reason."""
TOLD_CHARACTERS = 300
"""What goes with a reason of each of them; the logs have more."""

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
    """The last lines of a program's stderr, over all of its runs; memory is bounded whatever comes."""

    def __init__(self) -> None:
        self._lines: deque[str] = deque(maxlen=LINES)
        self._begun = bytearray()
        self._of_this_run = 0

    def feed(self, data: bytes) -> list[str]:
        """Takes bytes; the lines that they completed, only the last ones when they are very many."""
        first, *others = data.split(b"\n")
        self._begin(first)
        if not others:
            return []
        complete = [plain(bytes(self._begun)), *map(plain, others[:-1][-LINES:])]
        self._begun.clear()
        self._begin(others[-1])
        for line in complete:
            self.add(line)
        return complete[-LINES:]

    def finish(self) -> list[str]:
        """The last line, when it has no end."""
        return self.feed(b"\n") if self._begun else []

    @property
    def lines(self) -> tuple[str, ...]:
        """The last lines, oldest first."""
        return tuple(self._lines)

    @property
    def of_this_run(self) -> tuple[str, ...]:
        """Those that came since the last `begin`."""
        return self.lines[max(0, len(self._lines) - self._of_this_run) :]

    def begin(self, separator: str) -> list[str]:
        """A new run begins. What the former said stays, with a line between: it may tell why it crashed."""
        self._begun.clear()
        between = [separator] if self._lines else []
        self._lines.extend(between)
        self._of_this_run = 0
        return between

    def add(self, line: str) -> None:
        """Adds a line of one's own."""
        self._lines.append(line[:CHARACTERS])
        self._of_this_run += 1

    def _begin(self, part: bytes) -> None:
        self._begun += part[: _BYTES - len(self._begun)]


def told(lines: Iterable[str]) -> list[str]:
    """What goes with a reason: the last lines, cut, none empty, none twice in a row."""
    shown = [line[:TOLD_CHARACTERS] for line in lines if line.strip()]
    return [line for at, line in enumerate(shown) if at == 0 or line != shown[at - 1]][-TOLD_LINES:]


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
