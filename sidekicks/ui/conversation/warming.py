"""Loads what colours code, a language at a time, once the conversation is on screen."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer, Signal

from sidekicks.ui.conversation.highlight import COMMON, Highlighter

_STEP_MS = 150


class Warming(QObject):
    """`begun` when code can be coloured; the languages follow one by one, so that no frame waits for long."""

    begun = Signal()

    def __init__(self, highlighter: Highlighter, parent: QObject) -> None:
        super().__init__(parent)
        self._highlighter = highlighter
        self._left = list(COMMON)
        self._timer = QTimer(self)
        self._timer.setInterval(_STEP_MS)
        self._timer.timeout.connect(self._warm)

    def start(self) -> None:
        """Goes on with what is left to load."""
        if self._left:
            self._timer.start()

    def _warm(self) -> None:
        if not self._left:
            self._timer.stop()
            return
        first = not self._highlighter.ready
        self._highlighter.warm(self._left.pop(0))
        if first:
            self.begun.emit()
