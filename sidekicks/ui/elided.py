"""A label that ends in an ellipsis when its text does not fit, instead of making the window wider."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QStyleOption


class ElidedLabel(QLabel):
    """Plain text on one line; narrower than `least` pixels it says nothing rather than a letter or two."""

    least = 0

    def minimumSizeHint(self) -> QSize:
        """May become as narrow as its first letters."""
        return QSize(self.fontMetrics().horizontalAdvance("m…"), super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws what fits."""
        if self.width() < self.least:
            return
        option = QStyleOption()
        option.initFrom(self)
        text = self.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideRight, self.width())
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            int(self.alignment()),
            option.palette,
            self.isEnabled(),
            text,
            self.foregroundRole(),
        )
        painter.end()
