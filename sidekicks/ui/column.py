"""Keeps content at a readable width, centred in what is left."""

from __future__ import annotations

from PySide6.QtCore import QMargins
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from sidekicks.ui.theme import SIZES, Theme


class Column(QWidget):
    """A vertical layout at most `width` wide (at the theme's zoom)."""

    def __init__(self, theme: Theme, parent: QWidget | None = None, width: int = SIZES.column) -> None:
        super().__init__(parent)
        self._theme = theme
        self._width = width
        self._beside = 0
        self.body = QVBoxLayout(self)
        self.body.setSpacing(SIZES.s)
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        """Follows the theme's zoom."""
        self._theme = theme
        self._fit()

    def leave_right(self, pixels: int) -> None:
        """Leaves so much free at the right, as wide as the scroll bar of what it is to be in line with."""
        self._beside = pixels
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Centres the content anew."""
        self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        room = self.width() - self._beside
        left = max(SIZES.l, (room - self._theme.px(self._width)) // 2)
        wanted = QMargins(left, SIZES.s, left + self._beside, SIZES.s)
        if self.body.contentsMargins() != wanted:
            self.body.setContentsMargins(wanted)
