"""What rows are drawn with."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QPalette

from sidekicks.ui.conversation.document import Writer
from sidekicks.ui.conversation.highlight import Highlighter
from sidekicks.ui.theme import Theme


@dataclass(frozen=True, eq=False)
class Look:
    """A theme, and what writes Markdown in it. A row that sees a new one draws itself anew."""

    theme: Theme
    writer: Writer

    @staticmethod
    def of(theme: Theme, highlighter: Highlighter) -> Look:
        """The look of a theme."""
        return Look(theme, Writer(theme, highlighter))

    def quiet(self) -> QPalette:
        """The palette of what is there without calling for attention: secondary text."""
        palette = self.theme.palette()
        color = self.theme.color("text_secondary")
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText, QPalette.ColorRole.Text):
            palette.setColor(role, color)
        return palette

    def link(self) -> QPalette:
        """The palette of a flat button that does what it says: accent text."""
        palette = self.theme.palette()
        color = self.theme.color("accent")
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.ButtonText, QPalette.ColorRole.Text):
            palette.setColor(role, color)
        return palette
