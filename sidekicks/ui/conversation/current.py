"""The message that the keyboard is at."""

from __future__ import annotations

from PySide6.QtCore import QRect
from PySide6.QtGui import QPainter

from sidekicks.ui.conversation.contents import DayContent, NewContent
from sidekicks.ui.conversation.entry import Entry
from sidekicks.ui.conversation.model import ConversationModel
from sidekicks.ui.conversation.stage import Stage

_AWAY = 10
_WIDTH = 3


class Current:
    """`entry` is the current message; None until the reader moved to one."""

    def __init__(self, model: ConversationModel, stage: Stage) -> None:
        self._model = model
        self._stage = stage
        self.entry: Entry | None = None

    def beside(self, by: int) -> Entry | None:
        """The message `by` further down (or up): from the current one, else from what can be seen."""
        entries, current = self._model.entries, self.entry
        if not entries:
            return None
        if current is not None and self._model.get(current.message.id) is current:
            return entries[max(0, min(len(entries) - 1, self._model.place(current) + by))]
        visible = [placed.row.entry for placed in self._stage.placed if placed.end > 0]
        return visible[-1 if by < 0 else 0] if visible else entries[-1]

    def paint(self, painter: QPainter) -> None:
        """Paints the mark beside it, as far as it can be seen."""
        if self.entry is None:
            return
        stage, rows = self._stage, self.entry.rows
        edges = [
            (placed.top + stage.gap(placed.row), placed.end)
            for placed in stage.placed
            if placed.row in rows and not isinstance(placed.row.content, DayContent | NewContent)
        ]
        if edges:
            px = stage.look.theme.px
            top, bottom = edges[0][0], edges[-1][1]
            mark = QRect(stage.left() - px(_AWAY), top, px(_WIDTH), bottom - top)
            painter.fillRect(mark, stage.look.theme.color("accent"))
