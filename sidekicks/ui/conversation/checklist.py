"""A plan: what is done, what is being done, what is left."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from sidekicks.models import PlanEntry
from sidekicks.ui.conversation.contents import PlanContent
from sidekicks.ui.conversation.glyphs import Glyph, draw
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.conversation.tool_detail import Spares
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES

_SIGNS: dict[str, tuple[Glyph, str]] = {
    "pending": ("pending", "text_secondary"),
    "in_progress": ("running", "accent"),
    "completed": ("done", "success"),
}


class Checklist(QWidget):
    """The widget of a `PlanContent`."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: Row | None = None
        self._look: Look | None = None
        self._title = QLabel(self)
        self._labels = Spares(QLabel, self)
        self._signs: list[tuple[int, str]] = []
        self.setAutoFillBackground(True)

    def bind(self, row: Row, width: int, look: Look) -> int:
        """Shows the row's plan; the height."""
        content = row.content
        assert isinstance(content, PlanContent)
        self.row, self._look = row, look
        px = look.theme.px
        entries = content.plan.entries
        done = sum(entry.status == "completed" for entry in entries)
        self.setPalette(look.theme.palette())
        self._title.setFont(look.theme.small_font())
        self._title.setPalette(look.quiet())
        self._title.setText(self.tr("Plan · {done} of {count}").format(done=done, count=len(entries)))
        self.setAccessibleName(self._title.text())
        pad = px(SIZES.m)
        top = px(SIZES.s)
        self._title.setGeometry(pad, top, width - 2 * pad, px(SIZES.line))
        top += px(SIZES.xl)
        self._signs = []
        self._labels.begin()
        for entry in entries:
            top += self._add(entry, top, width, look)
        self._labels.end()
        self.update()
        return top + px(SIZES.s)

    def _add(self, entry: PlanEntry, top: int, width: int, look: Look) -> int:
        theme = look.theme
        label = self._labels.take()
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setFont(theme.body_font())
        label.setPalette(look.quiet() if entry.status == "completed" else theme.palette())
        label.setText(reveal(entry.content))
        label.setAccessibleName(f"{entry.content}, {self._status(entry)}")
        left = theme.px(SIZES.m + SIZES.xl)
        room = width - left - theme.px(SIZES.m)
        height = max(theme.px(SIZES.line), label.heightForWidth(room))
        label.setGeometry(left, top, room, height)
        self._signs.append((top, entry.status))
        return height + theme.px(SIZES.xs)

    def _status(self, entry: PlanEntry) -> str:
        match entry.status:
            case "pending":
                return self.tr("to do")
            case "in_progress":
                return self.tr("in progress")
            case "completed":
                return self.tr("done")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the frame and the sign of each step."""
        del event
        if self._look is None:
            return
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("border"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        radius = theme.px(SIZES.radius)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        size = theme.px(14)
        for top, status in self._signs:
            glyph, token = _SIGNS[status]
            middle = top + (theme.px(SIZES.line) - size) / 2
            draw(painter, glyph, QRectF(theme.px(SIZES.m), middle, size, size), theme.color(token))
        painter.end()
