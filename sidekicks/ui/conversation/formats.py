"""The formats of text in one theme: body, code, links, and the colours of code."""

from __future__ import annotations

from PySide6.QtGui import QFont, QTextCharFormat

from sidekicks.ui.conversation.highlight import Highlighter, Span
from sidekicks.ui.theme import Theme


class Formats:
    """`body` is for what is said, `code` for blocks, `inline` and `linked` for code in a sentence."""

    def __init__(self, theme: Theme, highlighter: Highlighter) -> None:
        self.theme = theme
        self._highlighter = highlighter
        self.body: QFont = theme.body_font()
        self.code = QTextCharFormat()
        self.code.setFont(theme.code_font())
        self.code.setForeground(theme.color("text"))
        self.inline = QTextCharFormat(self.code)
        self.inline.setBackground(theme.color("code_background"))
        self.link = QTextCharFormat()
        self.link.setForeground(theme.color("accent"))
        self.link.setFontUnderline(False)
        self.linked = QTextCharFormat(self.inline)
        self.linked.setForeground(theme.color("accent"))
        self._colors: dict[str, QTextCharFormat] = {}

    def spans(self, language: str, lines: list[str], growing: bool) -> list[list[Span]]:
        """The colours of code, line by line."""
        if not language:
            return [[] for _ in lines]
        if growing:
            return [self._highlighter.line(language, line) for line in lines]
        return self._highlighter.block(language, lines)

    def color(self, token: str) -> QTextCharFormat:
        """A format that only sets the colour of text."""
        found = self._colors.get(token)
        if found is None:
            found = self._colors[token] = QTextCharFormat()
            found.setForeground(self.theme.color(token))
        return found
