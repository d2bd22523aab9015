"""A text that arrives in pieces: which part of it will not change any more, and which still may."""

from __future__ import annotations

from markdown_it import MarkdownIt

_AGAIN = 16
"""It is looked at again when it has grown by a 16th: the whole costs no more than some times its length."""


class MarkdownStream:
    """An answer as it streams. Finished blocks leave it; the rest, which the next piece may change, stays."""

    def __init__(self) -> None:
        self._parser = MarkdownIt("commonmark").enable(["table", "strikethrough"])
        self._looked_at = 0
        self.tail = ""

    def add(self, text: str) -> str:
        """Takes a piece; returns the blocks that are finished now."""
        self.tail += text
        grown = len(self.tail) - self._looked_at
        if "\n" not in text or grown < self._looked_at // _AGAIN:
            return ""
        # The last line may be half a line.
        whole = self.tail[: self.tail.rfind("\n") + 1]
        self._looked_at = len(self.tail)
        starts = [token.map[0] for token in self._parser.parse(whole) if token.level == 0 and token.map]
        if len(starts) < 2 or not (last := max(starts)):
            return ""
        lines = self.tail.split("\n")
        done = "\n".join(lines[:last]) + "\n"
        self.tail = "\n".join(lines[last:])
        self._looked_at = len(self.tail)
        return done

    def end(self) -> str:
        """What is left: nothing follows it."""
        rest, self.tail, self._looked_at = self.tail, "", 0
        return rest


class LineStream:
    """Plain text as it streams: lines leave it when they are whole."""

    def __init__(self) -> None:
        self.tail = ""

    def add(self, text: str) -> str:
        """Takes a piece; returns the lines that are whole now."""
        done, end, self.tail = (self.tail + text).rpartition("\n")
        return done + end

    def end(self) -> str:
        """What is left."""
        rest, self.tail = self.tail, ""
        return rest
