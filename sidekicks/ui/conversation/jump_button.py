"""The round button that leads back to the end of the conversation."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QWidget

from sidekicks.ui.conversation.glyphs import draw
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.theme import SIZES

_SIZE = 32


class JumpButton(QAbstractButton):
    """Stands at the bottom right while the reader has scrolled up."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._corner = parent
        self._look: Look | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    def place(self, look: Look, needed: bool, count: int) -> None:
        """Shows or hides it in its corner; `count` messages came while the reader was elsewhere."""
        if not needed:
            self.hide()
            return
        self._look = look
        parent = self._corner
        size, pad = look.theme.px(_SIZE), look.theme.px(SIZES.l)
        self.setText(self.tr("{count} new").format(count=count) if count else "")
        words = QFontMetrics(look.theme.small_font()).horizontalAdvance(self.text())
        width = size + (words + look.theme.px(SIZES.m) if count else 0)
        self.setGeometry(parent.width() - width - pad, parent.height() - size - pad, width, size)
        name = self.tr("Jump to the latest message")
        if count:
            name = self.tr("Jump to the latest message, {count} new").format(count=count)
        self.setAccessibleName(name)
        self.setToolTip(name)
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints an arrow in a circle, and before it what is new."""
        del event
        if self._look is None:
            return
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("border_strong"))
        painter.setBrush(theme.color("hover" if self.underMouse() else "raised"))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        inset = box.height() / 4
        arrow = QRectF(box.right() - box.height(), box.top(), box.height(), box.height())
        draw(painter, "down", arrow.adjusted(inset, inset, -inset, -inset), theme.color("text"))
        if self.text():
            painter.setFont(theme.small_font())
            painter.setPen(theme.color("text"))
            words = box.adjusted(theme.px(SIZES.m), 0, -box.height(), 0)
            painter.drawText(words, Qt.AlignmentFlag.AlignVCenter, self.text())
        painter.end()
