"""Server-sent events out of bytes that arrive in any pieces."""

from __future__ import annotations

import re

import msgspec

_LINE_END = re.compile(rb"\r\n|\n|\r")


class ServerEvent(msgspec.Struct, frozen=True):
    """One event; `error` when the server marked it so (`event: error`, or llama.cpp's bare `error:` line)."""

    data: str
    error: bool = False


class EventReader:
    """Takes bytes, gives whole events. Lines end in LF, CRLF or CR; a character may come in two."""

    def __init__(self) -> None:
        self._pending = b""
        self._data: list[str] = []
        self._error = False
        self._begun = False

    def feed(self, data: bytes) -> list[ServerEvent]:
        """The events that `data` completes."""
        self._pending += data
        if not self._begun and len(self._pending) >= 3:
            self._pending = self._pending.removeprefix(b"\xef\xbb\xbf")
            self._begun = True
        # A CR at the very end may be half of a CRLF.
        whole = self._pending[:-1] if self._pending.endswith(b"\r") else self._pending
        *lines, rest = _LINE_END.split(whole)
        self._pending = rest + self._pending[len(whole) :]
        return [event for line in lines if (event := self._line(line)) is not None]

    def end(self) -> list[ServerEvent]:
        """The event that the end of the body completes, as servers forget the last empty line."""
        events = self.feed(b"\n\n")
        return events + self.feed(b"\n") if self._pending else events

    def _line(self, line: bytes) -> ServerEvent | None:
        if not line:
            if not self._data:
                self._error = False
                return None
            event = ServerEvent("\n".join(self._data), self._error)
            self._data, self._error = [], False
            return event
        name, _, value = line.partition(b":")
        text = value.removeprefix(b" ").decode("utf-8", "replace")
        match name:
            case b"data":
                self._data.append(text)
            case b"event":
                self._error = text == "error"
            case b"error":
                self._data.append(text)
                self._error = True
            case _:
                pass  # a comment, an id, a field of the future
        return None
