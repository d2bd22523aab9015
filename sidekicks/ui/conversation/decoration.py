"""What a body paints behind its text: boxes of code, bars of quotes, rules, bullets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtGui import QTextBlock


@dataclass(frozen=True, slots=True)
class CodeBox:
    """A block of code in a document, from its first line to its last."""

    first: QTextBlock
    last: QTextBlock
    language: str

    def text(self) -> str:
        """The code as it was written."""
        lines: list[str] = []
        block = self.first
        while block.isValid():
            lines.append(block.text())
            if block == self.last:
                break
            block = block.next()
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands before an item of a list that is not numbered."""

    block: QTextBlock
    kind: Literal["bullet", "checked", "unchecked"]


@dataclass(frozen=True, slots=True)
class Quote:
    """The blocks of a quote; `depth` is 1 for one that stands in no other."""

    first: QTextBlock
    last: QTextBlock
    depth: int


@dataclass(frozen=True, slots=True)
class Decoration:
    """What is to be painted behind the text of a document."""

    codes: tuple[CodeBox, ...] = ()
    quotes: tuple[Quote, ...] = ()
    rules: tuple[QTextBlock, ...] = ()
    marks: tuple[Mark, ...] = ()
