"""A check box in the theme's colours: the style's own can hardly be seen on dark ground."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QWidget

from sidekicks.ui import icons
from sidekicks.ui.theme import SIZES, Theme


class CheckBox(QCheckBox):
    """Box, then text."""

    def __init__(self, text: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._theme = theme
        self.setFont(theme.body_font())

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.setFont(theme.body_font())
        self.update()

    def sizeHint(self) -> QSize:
        """Box, gap and text."""
        theme = self._theme
        width = theme.px(SIZES.icon + SIZES.s) + self.fontMetrics().horizontalAdvance(self.text())
        return QSize(width + theme.px(SIZES.s), theme.px(SIZES.xl))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws the box filled with the accent when it is checked."""
        del event
        theme, size = self._theme, self._theme.px(SIZES.icon)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        top = (self.height() - size) // 2
        box = QRectF(0.5, top + 0.5, size - 1, size - 1)
        checked = self.isChecked()
        painter.setPen(theme.color("accent" if checked or self.hasFocus() else "border_strong"))
        painter.setBrush(theme.color("accent" if checked else "background"))
        painter.drawRoundedRect(box, theme.px(SIZES.xs), theme.px(SIZES.xs))
        if checked:
            ratio = self.devicePixelRatioF()
            painter.drawPixmap(0, top, icons.pixmap("check", theme.color("on_accent"), size, ratio))
        text = self.rect().adjusted(size + theme.px(SIZES.s), 0, 0, 0)
        painter.setPen(theme.color("text"))
        painter.drawText(text, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, self.text())
        painter.end()
