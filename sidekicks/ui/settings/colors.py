"""Colours for the YAML of the settings, by the same lexer as code in messages."""

from __future__ import annotations

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from sidekicks.ui.conversation.highlight import Highlighter
from sidekicks.ui.positions import units
from sidekicks.ui.theme import Theme


class YamlColors(QSyntaxHighlighter):
    """Colours each line by itself: the files here have no texts over several lines worth the cost of more."""

    def __init__(self, document: QTextDocument, theme: Theme) -> None:
        self._theme = theme
        self._lexer = Highlighter()
        self._lexer.warm("yaml")
        super().__init__(document)

    def set_theme(self, theme: Theme) -> None:
        """Colours with `theme` from now on."""
        self._theme = theme
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        """Qt's hook."""
        for start, length, color in self._lexer.line("yaml", text):
            form = QTextCharFormat()
            form.setForeground(self._theme.color(color))
            begin = units(text, start)
            self.setFormat(begin, units(text, start + length) - begin, form)
