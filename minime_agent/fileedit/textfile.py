"""A text file as an edit sees it: one kind of line end, no byte order mark; and the way back, byte for byte.

What an edit does not touch stays as it was, also in a file of mixed line ends.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import takewhile

import msgspec

from minime_agent.fileedit.encoding import decoded

_LINE_END = re.compile(r"\r?\n")


class TextFile(msgspec.Struct, frozen=True):
    """A decoded file. `text` has `\\n` alone; `raw` is the text with its own line ends."""

    text: str
    raw: str
    mark: bytes
    encoding: str

    @classmethod
    def decode(cls, data: bytes) -> TextFile:
        """Reads the bytes of a file; raises `NotTextError`."""
        mark, encoding, raw = decoded(data)
        text = raw.replace("\r\n", "\n") if "\n" in raw else raw.replace("\r", "\n")
        return cls(text, raw, mark, encoding)

    @property
    def newline(self) -> str:
        """The line end that most lines have; inserted lines get it."""
        windows, all_ends = self.raw.count("\r\n"), self.raw.count("\n")
        if not all_ends:
            return "\r" if "\r" in self.raw else "\n"
        return "\r\n" if windows * 2 > all_ends else "\n"

    def encoded(self, text: str) -> bytes:
        """Another text as this file would have it; raises `UnicodeEncodeError`."""
        return self.mark + _with(text, self.newline).encode(self.encoding)

    def replaced(self, spans: list[tuple[int, int, str]]) -> bytes:
        """The file's bytes with each `(start, end, new)` of `text`, in order and apart, replaced.

        Raises `UnicodeEncodeError` for characters that the file's encoding has not.
        """
        line_ends, newline = self._removed(), self.newline
        parts: list[str] = []
        at = 0
        for span in spans:
            start, end, new = self._narrowed(*span)
            first, last = (offset + bisect_left(line_ends, offset) for offset in (start, end))
            parts += [self.raw[at:first], _in_place_of(self.raw[first:last], new, newline)]
            at = last
        return self.mark + "".join([*parts, self.raw[at:]]).encode(self.encoding)

    def _narrowed(self, start: int, end: int, new: str) -> tuple[int, int, str]:
        """The same replacement without what is equal at its ends, which keeps its line ends so."""
        old, new = self.text[start:end], new.replace("\r\n", "\n")
        head = _shared(old, new)
        tail = _shared(old[head:][::-1], new[head:][::-1])
        return start + head, end - tail, new[head : len(new) - tail]

    def _removed(self) -> list[int]:
        """Offsets in `text` of the line ends that lost their `\\r`."""
        offsets: list[int] = []
        at = self.raw.find("\r\n")
        while at >= 0:
            offsets.append(at - len(offsets))
            at = self.raw.find("\r\n", at + 2)
        return offsets


def _shared(one: str, other: str) -> int:
    """The number of characters that both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _in_place_of(old: str, new: str, newline: str) -> str:
    """`new` with the line ends of `old` where it has as many, else with the file's."""
    ends = _LINE_END.findall(old)
    if len(ends) != new.count("\n"):
        return _with(new, newline)
    rows = new.split("\n")
    return "".join(row + end for row, end in zip(rows, [*ends, ""], strict=True))


def _with(text: str, newline: str) -> str:
    return text.replace("\r\n", "\n").replace("\n", newline)
