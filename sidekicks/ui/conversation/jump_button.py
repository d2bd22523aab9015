"""The round button that leads back to the end of the conversation."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPaintEvent
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

    def place(self, look: Look, needed: bool) -> None:
        """Shows or hides it in its corner."""
        if not needed:
            self.hide()
            return
        self._look = look
        parent = self._corner
        size, pad = look.theme.px(_SIZE), look.theme.px(SIZES.l)
        self.setGeometry(parent.width() - size - pad, parent.height() - size - pad, size, size)
        self.setAccessibleName(self.tr("Jump to the latest message"))
        self.setToolTip(self.tr("Jump to the latest message"))
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints an arrow in a circle."""
        del event
        if self._look is None:
            return
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("border_strong"))
        painter.setBrush(theme.color("hover" if self.underMouse() else "raised"))
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawEllipse(box)
        inset = box.width() / 4
        draw(painter, "down", box.adjusted(inset, inset, -inset, -inset), theme.color("text"))
        painter.end()
