"""Which theme is in force: the configuration's choice, the desktop's, and the zoom."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication

from sidekicks.models import ThemeChoice
from sidekicks.ui.theme import Theme, theme_for

ZOOM_STEP = 0.1


class Appearance(QObject):
    """Hands out the theme and says when there is another one; keeps the application's palette in step."""

    changed = Signal(object)

    def __init__(
        self, choice: ThemeChoice = "system", zoom: float = 1.0, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._choice: ThemeChoice = choice
        self.theme: Theme = theme_for(choice, zoom)
        QGuiApplication.setPalette(self.theme.palette())
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._refresh)

    def choose(self, choice: ThemeChoice) -> None:
        """Takes the configuration's choice."""
        self._choice = choice
        self._refresh()

    def zoom_by(self, steps: int) -> None:
        """Larger or smaller by so many steps; 0 goes back to normal."""
        zoom = self.theme.zoom + steps * ZOOM_STEP if steps else 1.0
        self._use(theme_for(self._choice, round(zoom, 2)))

    def _refresh(self) -> None:
        self._use(theme_for(self._choice, self.theme.zoom))

    def _use(self, theme: Theme) -> None:
        if theme == self.theme:
            return
        self.theme = theme
        QGuiApplication.setPalette(theme.palette())
        self.changed.emit(theme)
