"""Cuts Markdown into pieces small enough to be laid out at once, while it is still being written.

Laying out a long answer whole at every update grows with its length (measured: 90 to 290 ms at 100 KB);
a piece of 2 KB takes about 2 ms, and only the last one changes.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from sidekicks.ui.conversation.blocks import (
    Border,
    Join,
    Resume,
    Scanner,
    Strength,
    dedented,
    label,
    starts_anything,
)

LIMIT: Final = 2_048
TABLE_LIMIT: Final = 700
"""Qt lays tables out some ten times slower than anything else."""

_CHUNK: Final = 4_096
_TRIES: Final = 8
_LABEL: Final = re.compile(r"\[([^\[\]]{1,200})\]")
_SPACE: Final = re.compile(r"\s+")
_GLUE: Final = frozenset("\u200d\ufe0e\ufe0f")


@dataclass(frozen=True, slots=True)
class Segment:
    """A piece of Markdown that is rendered on its own.

    `source` is the exact slice of the message; `text` is what to render. It is to be shown `depth` lists
    deep, its first list begins with `start`, and `join` is the block that goes on from the piece before (of a
    joined table the head row is to be dropped). `goes_on` is the block that goes on into the next piece.
    `weights` are the relative widths of a cut table's columns.
    """

    source: str
    text: str
    depth: int = 0
    start: int | None = None
    join: Join = ""
    goes_on: Join = ""
    weights: tuple[int, ...] = ()

    def labels(self) -> set[str]:
        """The labels of reference links that may be used here."""
        return {label(found) for found in _LABEL.findall(self.text)} if "[" in self.text else set()


class Splitter:
    """Takes a text in pieces of any size, gives back segments; the cost does not grow with its length."""

    def __init__(self, limit: int = LIMIT, table_limit: int = TABLE_LIMIT) -> None:
        self._limit = limit
        self._table_limit = table_limit
        self._scanner = Scanner()
        self._tail = ""
        self._scanned = 0
        self._mid_line = False
        self._resume = Resume()
        self._within = Resume()
        self._weights: tuple[int, ...] = ()

    @property
    def definitions(self) -> dict[str, str]:
        """Label -> line of every link reference definition so far."""
        return self._scanner.definitions

    def feed(self, text: str) -> list[Segment]:
        """Adds text; the segments that are finished by it."""
        done: list[Segment] = []
        for at in range(0, len(text), _CHUNK):
            self._tail += text[at : at + _CHUNK]
            self._scan()
            while (segment := self._cut()) is not None:
                done.append(segment)
        return done

    def tail(self) -> Segment:
        """The segment that is still open."""
        fence = self._scanner.fence
        return self._segment(self._tail, fence.close if fence else "", "")

    def finish(self) -> list[Segment]:
        """The last segments, when no more text comes. At least one if nothing was ever cut off."""
        self._scan(last=True)
        done: list[Segment] = []
        while (segment := self._cut()) is not None:
            done.append(segment)
        return [*done, self.tail()] if self._tail else done

    def _scan(self, last: bool = False) -> None:
        while self._scanned < len(self._tail):
            end = self._tail.find("\n", self._scanned) + 1
            if not end and not last and len(self._tail) - self._scanned <= self._limit:
                return
            at, self._scanned = self._scanned, end or len(self._tail)
            if not self._mid_line:
                self._scanner.scan(self._tail[at : self._scanned], at)
                if at == 0 and self._scanner.borders:
                    self._within = self._scanner.borders[0].within
            self._mid_line = not end

    def _cut(self) -> Segment | None:
        borders = [b for b in self._scanner.borders if b.offset > 0]
        for border in borders:
            if border.strength == Strength.MUST or border.indent < self._resume.base:
                if border.offset <= self._limit:
                    return self._cut_at(border.offset, border.resume)
                break
        else:
            if self._scanner.table and len(self._tail) <= 2 * self._limit:
                return self._cut_best(borders, self._table_limit, lines=False)
        return self._cut_best(borders, self._limit, lines=True)

    def _cut_best(self, borders: list[Border], limit: int, lines: bool) -> Segment | None:
        if len(self._tail) <= limit:
            return None
        if (border := self._best(borders, limit)) is not None:
            return self._cut_at(border.offset, border.resume)
        return self._cut_line(limit) if lines else None

    def _best(self, borders: list[Border], limit: int) -> Border | None:
        near = [b for b in borders if limit // 4 < b.offset <= limit]
        if not near:
            near = [b for b in borders if b.offset <= limit] or borders[:1]
            near = [b for b in near if b.offset <= 2 * limit]
        if not near:
            return None
        strength = max(b.strength for b in near)
        best = [b for b in near if b.strength == strength]
        if best[-1].resume.join == "text":
            for border in best[: -_TRIES - 1 : -1]:
                if _balanced(self._tail[: border.offset]):
                    return border
        return best[-1]

    def _cut_line(self, limit: int) -> Segment | None:
        """Cuts in the middle of a line that is too long."""
        before = [b for b in self._scanner.borders if b.offset <= limit]
        within = before[-1].within if before else self._within
        end = self._tail.find("\n")
        if 0 <= end <= limit or len(self._tail) <= limit + 80:
            return None
        cut = _place_in_line(self._tail, limit, code=within.join == "fence")
        segment = self._cut_at(cut, within)
        self._within = within
        return segment

    def _cut_at(self, cut: int, resume: Resume) -> Segment:
        source, self._tail = self._tail[:cut], self._tail[cut:]
        if resume.join != "table":
            weights, after = (self._weights if self._resume.join == "table" else ()), ()
        else:
            weights = after = self._weights or _weights(source)
        self._weights = weights
        segment = self._segment(source, resume.close, resume.join)
        self._weights = after
        self._resume = resume
        first = next((b for b in self._scanner.borders if b.offset == cut), None)
        if first is not None:
            self._within = first.within
        self._scanner.shift(cut)
        self._scanned -= cut
        return segment

    def _segment(self, source: str, close: str, goes_on: Join) -> Segment:
        resume = self._resume
        text = source
        if resume.base:
            text = "".join(dedented(line, resume.base) for line in source.splitlines(keepends=True))
        if close and not text.endswith("\n"):
            text += "\n"
        text = f"{resume.reopen}{text}{dedented(close, resume.base) if close else ''}"
        return Segment(
            source,
            text,
            resume.depth,
            resume.start,
            resume.join,
            goes_on,
            self._weights if goes_on or resume.join else (),
        )


def resolved(segment: Segment, definitions: dict[str, str]) -> str:
    """What to render of a segment, with the definitions it uses from elsewhere in its message."""
    if not definitions or "[" not in segment.text:
        return segment.text
    used = [definitions[name] for name in sorted(segment.labels()) if name in definitions]
    if not used:
        return segment.text
    return "\n".join((segment.text.rstrip("\n"), "", *used, ""))


def _place_in_line(text: str, limit: int, code: bool) -> int:
    if code:
        return limit
    spaces = [m.end() for m in _SPACE.finditer(text, limit // 2, limit)]
    fitting = [at for at in spaces if not starts_anything(text[at : at + 80])]
    for at in reversed(fitting):
        if _balanced(text[:at]):
            return at
    if fitting:
        return fitting[-1]
    cut = limit
    while cut > limit // 2 and (_is_glued(text, cut) or starts_anything(text[cut : cut + 80])):
        cut -= 1
    return cut


def _is_glued(text: str, at: int) -> bool:
    return text[at] in _GLUE or text[at - 1] in _GLUE or bool(unicodedata.combining(text[at]))


def _balanced(text: str) -> bool:
    """Whether no code span, strong emphasis or link seems to be open at the end."""
    return (
        text.count("`") % 2 == 0
        and text.count("**") % 2 == 0
        and text.count("~~") % 2 == 0
        and text.count("[") == text.count("]")
        and text.count("](") == len(re.findall(r"\]\([^)\s]*(?:\s[^)]*)?\)", text))
    )


def _weights(table: str) -> tuple[int, ...]:
    """Relative column widths from the rows of a table: the longest cell of each, within reason."""
    rows = [re.split(r"(?<!\\)\|", line.strip().strip("|")) for line in table.strip().splitlines()]
    widths = [0] * len(rows[0])
    for row in rows:
        for column, cell in enumerate(row[: len(widths)]):
            widths[column] = max(widths[column], len(cell.strip()))
    return tuple(min(60, max(6, width)) for width in widths)
