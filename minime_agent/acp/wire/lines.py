"""Byte stream to lines: linear time, bounded memory, and no line can end the stream.

asyncio's own `StreamReader.readline` raises past its limit (64 KiB by default) and loses what it had.
"""

from __future__ import annotations

from typing import Protocol

CHUNK = 64 * 1024
MAX_LINE = 64 * 1024 * 1024
MAX_TEXT = 1024 * 1024
"""A line beyond this that begins like no JSON object is not kept: nothing could be made of it."""
HEAD = 200
"""Bytes of a skipped line that are kept to show what it was."""


class ByteReader(Protocol):
    """Where bytes come from; `asyncio.StreamReader` is one."""

    async def read(self, n: int, /) -> bytes:
        """At least one byte and at most `n`; nothing at the end."""
        ...


class LineTooLong:
    """Stands for a line beyond a limit, which was skipped: how it began and its length in bytes."""

    def __init__(self, head: bytes, length: int) -> None:
        self.head = head
        self.length = length


class LineReader:
    """Reads a stream as lines without their end, all that one chunk completes at a time."""

    def __init__(self, reader: ByteReader, max_line: int = MAX_LINE) -> None:
        self._reader = reader
        self._max_line = max_line
        self._begun = bytearray()
        self._skipped = 0
        self._ended = False

    async def read(self) -> list[bytes | LineTooLong] | None:
        """The next lines, perhaps none; None at the end. A last line without an end counts."""
        if self._ended:
            return None
        chunk = await self._reader.read(CHUNK)
        if not chunk:
            self._ended = True
            return [self._complete(b"")] if self._begun else None
        first, *others = chunk.split(b"\n")
        if not others:
            self._add(first)
            return []
        lines = [self._complete(first), *others[:-1]]
        self._add(others[-1])
        return lines

    def _add(self, part: bytes) -> None:
        if self._skipped:
            self._skipped += len(part)
            return
        self._begun += part
        size = len(self._begun)
        if size > self._max_line or (size > MAX_TEXT and not self._begun[:HEAD].lstrip().startswith(b"{")):
            self._skipped = len(self._begun)
            self._begun = self._begun[:HEAD]

    def _complete(self, part: bytes) -> bytes | LineTooLong:
        if not self._begun:
            return part
        self._add(part)
        line = LineTooLong(bytes(self._begun), self._skipped) if self._skipped else bytes(self._begun)
        self._begun = bytearray()
        self._skipped = 0
        return line
