"""Reads Markdown line by line and says where it can be cut, and what each piece then needs to stand alone.

A tokenizer would have to see a message whole each time it grows; this looks at each line once. The rules are
those of CommonMark 0.31 and of GitHub's tables, as far as they decide which block a line belongs to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import Final, Literal, TypeAlias

Join: TypeAlias = Literal["", "fence", "table", "list", "text"]

_FENCE: Final = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})(.*)$")
_ITEM: Final = re.compile(r"(?:[-*+]|(\d{1,9})[.)])(?=[ \t]|$)([ \t]*)")
_RULE: Final = re.compile(r"([-*_])[ \t]*(?:\1[ \t]*){2,}$")
_HEADING: Final = re.compile(r"#{1,6}(?:[ \t]|$)")
_TABLE_RULE: Final = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_DEFINITION: Final = re.compile(
    r"""\[((?:[^\[\]\\]|\\.){1,999})\]:[ \t]*(\S+)(?:[ \t]+(?:"[^"]*"|'[^']*'|\([^()]*\)))?[ \t]*$"""
)
_LAZY: Final = 1_000_000
_NOTHING: Final = "\u200b"
"""Keeps the rest of a paragraph from being read as the beginning of a list or heading; shows nothing."""


class Strength(IntEnum):
    """How well a place suits for a cut; MUST is one where a piece has to end, POOR one that shows."""

    POOR = 0
    INSIDE = 1
    NESTED = 2
    ITEM = 3
    BLOCK = 4
    MUST = 5


@dataclass(frozen=True, slots=True)
class Resume:
    """What the text after a cut needs: `base` columns taken off each line, to be shown `depth` lists deep.

    `start` is the number of its first list item, `reopen` goes before it, `close` after the text that ends
    at the cut, and `join` says which block goes on across it.
    """

    base: int = 0
    depth: int = 0
    start: int | None = None
    reopen: str = ""
    close: str = ""
    join: Join = ""


@dataclass(slots=True)
class Border:
    """The beginning of a line at `offset`, as a place to cut; `within` is for a cut in the middle of it."""

    offset: int
    indent: int
    strength: Strength
    resume: Resume
    within: Resume


@dataclass(frozen=True, slots=True)
class _Level:
    """A list that is open: the columns of its marker and of its content, and the number of its last item."""

    marker: int
    content: int
    delimiter: str
    number: int | None


@dataclass(frozen=True, slots=True)
class _Fence:
    """An open fenced block: its marks, how it is closed in its place, and opened again at the left edge."""

    marks: str
    reopen: str
    close: str
    quoted: bool = False

    def closed_by(self, body: str) -> bool:
        stripped = body.rstrip()
        return stripped.startswith(self.marks) and not stripped.strip(self.marks[0])


@dataclass(slots=True)
class Table:
    """The open table: its two head lines, and the widths of its columns once it was cut."""

    head: str
    weights: tuple[int, ...] = ()


@dataclass(slots=True)
class Scanner:
    """Takes the lines of a text in order; `borders` are the lines it saw since they were last consumed."""

    borders: list[Border] = field(default_factory=list[Border])
    definitions: dict[str, str] = field(default_factory=dict[str, str])
    table: Table | None = None
    fence: _Fence | None = None
    _levels: list[_Level] = field(default_factory=list[_Level])
    _paragraph: int = 0
    _quote: bool = False
    _blank: bool = True
    _closed: bool = False
    _after_table: bool = False
    _after_fence: bool = False
    _first_line: str = ""

    def scan(self, line: str, offset: int) -> None:
        """Reads the next line, which begins at `offset`; a line break at its end is no part of it."""
        indent, body = measure(line)
        if self.fence is not None and self._goes_on_in_fence(indent, body, offset):
            return
        if not body:
            self._end_table()
            self._blank, self._paragraph = True, 0
            return
        if self._scan_table(body, indent, offset):
            return
        if self._is_lazy(indent, body):
            self._add_text(offset, _LAZY if self._levels else indent, body)
        else:
            self._scan_block(indent, body, offset)
        self._blank = False

    def shift(self, cut: int) -> None:
        """Forgets what lies before `cut`, which becomes offset 0."""
        self.borders = [replace(b, offset=b.offset - cut) for b in self.borders if b.offset > cut]

    # Fences

    def _goes_on_in_fence(self, indent: int, body: str, offset: int) -> bool:
        fence = self.fence
        assert fence is not None
        if fence.quoted:
            if body.startswith(">"):
                body = unquoted(body)
            else:
                self.fence = None
                return False
        elif body and indent < self._content():
            self.fence = None
            return False
        if fence.closed_by(body):
            self.fence, self._closed, self._blank = None, True, False
            self._after_fence = not self._levels
            return True
        resume = self._here(reopen=fence.reopen, close=fence.close, join="fence")
        self.borders.append(Border(offset, _LAZY, Strength.INSIDE, resume, resume))
        return True

    def _open_fence(self, indent: int, body: str, quoted: bool) -> bool:
        match = _FENCE.match(body)
        if match is None:
            return False
        mark = "> " if quoted else " " * max(0, indent - self._content())
        close = f"{'> ' if quoted else ' ' * indent}{match[1]}\n"
        self.fence = _Fence(match[1], f"{mark}{body.rstrip()}\n", close, quoted)
        self._paragraph = 0
        return True

    # Tables

    def _scan_table(self, body: str, indent: int, offset: int) -> bool:
        if self.table is not None:
            if _starts_block(body):
                self._end_table()
                return False
            resume = Resume(reopen=self.table.head, join="table")
            self.borders.append(Border(offset, _LAZY, Strength.INSIDE, resume, resume))
            return True
        top = not self._levels and not self._quote and self._paragraph == 1
        if not (top and "|" in body and indent < 4 and _TABLE_RULE.match(body)):
            return False
        if _columns(body) != _columns(self._first_line):
            return False
        self.table = Table(f"{self._first_line}\n{body}\n")
        if self.borders and self.borders[-1].offset < offset:
            self.borders[-1].strength = Strength.MUST
        self._paragraph = 0
        return True

    def _end_table(self) -> None:
        if self.table is not None:
            self.table, self._after_table, self._blank = None, True, True

    # Lists, quotes, paragraphs

    def _is_lazy(self, indent: int, body: str) -> bool:
        if not self._paragraph or self._blank:
            return False
        return not _starts_block(body) or indent - self._content() >= 4

    def _scan_block(self, indent: int, body: str, offset: int) -> None:
        was_list = bool(self._levels)
        sibling = self._leave_lists(indent)
        item = None if _RULE.match(body) and not self._is_setext(body) else _ITEM.match(body)
        code = indent - self._content() >= 4
        if item is not None and not code and self._may_begin(item, sibling):
            self._add_item(indent, body, offset, item, sibling)
            return
        if self._levels:
            begins = self._blank or self._closed or not self._paragraph or self._interrupts(body)
            strength = Strength.NESTED if begins else Strength.INSIDE
        elif self._begins_top_level(body, indent, was_list):
            joins_fence = self._after_fence and _FENCE.match(body)
            strength = Strength.MUST if self._after_table or joins_fence else Strength.BLOCK
        else:
            strength = Strength.INSIDE
        if strength == Strength.INSIDE:
            self._add_inside(offset, indent, body)
        else:
            self._border(offset, indent, strength, self._here())
        self._after_table = False
        self._scan_content(indent, body, quotes=not self._levels and not code)

    def _begins_top_level(self, body: str, indent: int, was_list: bool) -> bool:
        if indent >= 4:
            return was_list
        if self._blank or self._closed or was_list:
            return True
        if body.startswith(">"):
            return not self._quote
        return self._interrupts(body) or self._quote

    def _interrupts(self, body: str) -> bool:
        if body.startswith(">") or _HEADING.match(body) or _FENCE.match(body):
            return True
        return _RULE.match(body) is not None and not self._is_setext(body)

    def _leave_lists(self, indent: int) -> _Level | None:
        sibling = None
        while self._levels and indent < self._levels[-1].content:
            sibling = self._levels.pop()
        return sibling

    def _is_setext(self, body: str) -> bool:
        return bool(self._paragraph) and not body.strip("- \t")

    def _may_begin(self, item: re.Match[str], sibling: _Level | None) -> bool:
        if not self._paragraph or sibling is not None:
            return True
        has_text = item.end() < len(item.string.rstrip())
        return has_text and (item[1] is None or int(item[1]) == 1)

    def _add_item(
        self, indent: int, body: str, offset: int, item: re.Match[str], sibling: _Level | None
    ) -> None:
        level = _level(indent, item, sibling)
        same = sibling is not None and sibling.delimiter == level.delimiter
        depth = len(self._levels)
        base = indent if depth else 0
        resume = Resume(base, depth, level.number, join="list" if same or depth else "")
        if depth:
            strength = Strength.NESTED
        elif same:
            strength = Strength.ITEM
        else:
            strength = Strength.MUST if self._after_table else Strength.BLOCK
        self._after_table = False
        self._levels.append(level)
        self._border(offset, indent, strength, resume)
        self._paragraph = 0
        self._scan_content(level.content, body[item.end() :].lstrip(" \t"), quotes=False, items=True)

    def _scan_content(self, indent: int, body: str, quotes: bool, items: bool = False) -> None:
        """Notes which block the rest of a line opens."""
        self._after_fence = False
        self._closed, self._quote = False, quotes and body.startswith(">")
        inner = unquoted(body) if self._quote else body
        if not inner or indent - self._content() >= 4:
            self._paragraph = 0
        elif self._open_fence(indent, inner, self._quote):
            pass
        elif _HEADING.match(inner) or (_RULE.match(inner) and not self._paragraph):
            self._paragraph, self._closed = 0, not self._quote
        elif items and (item := _ITEM.match(inner)) is not None:
            self._levels.append(_level(indent, item, None))
            self._scan_content(self._content(), inner[item.end() :].lstrip(" \t"), quotes=False, items=True)
        else:
            self._note_text(inner)

    def _note_text(self, body: str) -> None:
        self._paragraph += 1
        if self._paragraph == 1:
            self._first_line = body.rstrip()
            if (match := _DEFINITION.match(body.rstrip())) is not None:
                self.definitions.setdefault(label(match[1]), body.rstrip())
                self._paragraph = 0
                self._closed = True

    def _add_text(self, offset: int, indent: int, body: str) -> None:
        self._add_inside(offset, indent, body)
        self._paragraph += 1
        if self._is_setext(body) or not body.strip("= \t"):
            self._paragraph, self._closed = 0, True

    # Borders

    def _add_inside(self, offset: int, indent: int, body: str) -> None:
        """A border in the middle of a paragraph or of a quote."""
        quoted = self._quote and not body.startswith(">")
        poor = bool(self._paragraph) and not body.startswith(">") and starts_anything(body)
        reopen = f"{'> ' if quoted else ''}{_NOTHING if poor else ''}"
        strength = Strength.POOR if poor else Strength.INSIDE
        self._border(offset, indent, strength, self._here(reopen=reopen, join="text"))

    def _border(self, offset: int, indent: int, strength: Strength, resume: Resume) -> None:
        within = self._here(reopen="> " if self._quote else "", join="text")
        self.borders.append(Border(offset, indent, strength, resume, within))

    def _here(self, reopen: str = "", close: str = "", join: Join = "") -> Resume:
        return Resume(self._content(), len(self._levels), None, reopen, close, join)

    def _content(self) -> int:
        return self._levels[-1].content if self._levels else 0


def measure(line: str) -> tuple[int, str]:
    """The column in which the text of a line begins, and the text; tabs go to the next multiple of 4."""
    body = line.strip(" \t\r\n")
    if not body:
        return 0, ""
    lead = line[: line.index(body[0])]
    return len(lead.expandtabs(4)), body


def dedented(line: str, columns: int) -> str:
    """The line without its first `columns` columns, as far as they are blank."""
    if not columns:
        return line
    body = line.lstrip(" \t")
    lead = line[: len(line) - len(body)].expandtabs(4)
    return lead[columns:] + body


def unquoted(body: str) -> str:
    """What a line of a quote says, without any of its marks."""
    while body.startswith(">"):
        body = body[1:].lstrip(" \t")
    return body


def label(text: str) -> str:
    """The label of a reference link, as two of them are compared."""
    return " ".join(text.split()).casefold()


def starts_anything(text: str) -> bool:
    """Whether text at the beginning of a line would be more than the rest of a paragraph."""
    body = text.lstrip(" \t")
    return not body or _starts_block(body) or text[:1] in " \t=" or bool(_DEFINITION.match(body))


def _starts_block(body: str) -> bool:
    if body[0] == ">" or _HEADING.match(body) or _FENCE.match(body) or _RULE.match(body):
        return True
    return _ITEM.match(body) is not None


def _columns(row: str) -> int:
    return len(re.findall(r"(?<!\\)\|", row.strip().strip("|")))


def _level(indent: int, item: re.Match[str], sibling: _Level | None) -> _Level:
    marker = item[0].rstrip(" \t")
    spaces = len(item[2].expandtabs(4))
    empty = item.end() >= len(item.string.rstrip())
    content = indent + len(marker) + (1 if empty or spaces > 4 else spaces)
    number = None if item[1] is None else int(item[1])
    if sibling is not None and sibling.delimiter == marker[-1] and sibling.number is not None:
        number = sibling.number + 1
    return _Level(indent, content, marker[-1], number)
