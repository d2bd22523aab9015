"""Keeps content at a readable width, centred in what is left."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from sidekicks.ui.theme import SIZES, Theme


class Column(QWidget):
    """A vertical layout at most `SIZES.column` wide (at the theme's zoom)."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.body = QVBoxLayout(self)
        self.body.setSpacing(SIZES.s)
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        """Follows the theme's zoom."""
        self._theme = theme
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Centres the content anew."""
        self._fit()
        super().resizeEvent(event)

    def _fit(self) -> None:
        beside = max(SIZES.l, (self.width() - self._theme.px(SIZES.column)) // 2)
        if self.body.contentsMargins().left() != beside:
            self.body.setContentsMargins(beside, SIZES.s, beside, SIZES.s)
