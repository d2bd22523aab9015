"""What rows are drawn with."""

from __future__ import annotations

from dataclasses import dataclass

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
