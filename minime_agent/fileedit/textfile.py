"""A text file as an edit sees it: one kind of line end, no byte order mark; and the way back, byte for byte.

What an edit does not touch stays as it was, also in a file of mixed line ends.
"""

from __future__ import annotations

import codecs
from bisect import bisect_left
from dataclasses import dataclass

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class NotTextError(Exception):
    """The bytes are not text in the file's encoding, so the file must not be rewritten."""


@dataclass(frozen=True)
class TextFile:
    """A decoded file. `text` has `\\n` alone; `raw` is the text with its own line ends."""

    text: str
    raw: str
    mark: bytes
    encoding: str

    @classmethod
    def decode(cls, data: bytes) -> TextFile:
        """Reads the bytes of a file; raises `NotTextError`."""
        mark, encoding = next((row for row in _MARKS if data.startswith(row[0])), (b"", "utf-8"))
        try:
            raw = data[len(mark) :].decode(encoding)
        except UnicodeDecodeError as error:
            raise NotTextError(f"not valid {encoding} at byte {error.start + len(mark)}") from None
        if "\0" in raw:
            raise NotTextError("it is a binary file")
        return cls(raw.replace("\r\n", "\n"), raw, mark, encoding)

    @property
    def newline(self) -> str:
        """The line end that most lines have; inserted lines get it."""
        windows = self.raw.count("\r\n")
        return "\r\n" if windows * 2 > self.raw.count("\n") else "\n"

    def replaced(self, spans: list[tuple[int, int, str]]) -> bytes:
        """The file's bytes with each `(start, end, new)` of `text`, in order and apart, replaced."""
        line_ends = self._removed()
        parts: list[str] = []
        at = 0
        for start, end, new in spans:
            first, last = (offset + bisect_left(line_ends, offset) for offset in (start, end))
            parts += [self.raw[at:first], new.replace("\r\n", "\n").replace("\n", self.newline)]
            at = last
        return self.mark + "".join([*parts, self.raw[at:]]).encode(self.encoding)

    def _removed(self) -> list[int]:
        """Offsets in `text` of the line ends that lost their `\\r`."""
        offsets: list[int] = []
        at = self.raw.find("\r\n")
        while at >= 0:
            offsets.append(at - len(offsets))
            at = self.raw.find("\r\n", at + 2)
        return offsets
