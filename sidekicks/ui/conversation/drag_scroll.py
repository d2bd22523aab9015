"""Scrolls while a selection is dragged beyond the edge of the conversation."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QTimer
from PySide6.QtWidgets import QWidget

from sidekicks.ui.conversation.body import Body
from sidekicks.ui.conversation.selection import Selection

_STEP_MS = 16
_FASTEST = 40
"""Pixels of one step, however far away the mouse is."""


class DragScroll(QObject):
    """`body` is where the drag began: it gets the mouse until the button is released, so it must stay."""

    def __init__(self, area: QWidget, selection: Selection, scroll: Callable[[int], None]) -> None:
        super().__init__(area)
        self._area = area
        self._selection = selection
        self._scroll = scroll
        self._mouse = QPoint()
        self.body: Body | None = None
        self._timer = QTimer(self)
        self._timer.setInterval(_STEP_MS)
        self._timer.timeout.connect(self._step)

    def move(self, body: Body, place: QPoint) -> None:
        """The mouse is at `place` in the viewport of `body`."""
        self.body = body
        self._mouse = body.viewport().mapToGlobal(place)
        if self._beyond() and not self._timer.isActive():
            self._timer.start()

    def stop(self) -> None:
        """The button was released."""
        self._timer.stop()
        self.body = None

    def _beyond(self) -> int:
        y = self._area.mapFromGlobal(self._mouse).y()
        return min(0, y) or max(0, y - self._area.height())

    def _step(self) -> None:
        beyond = self._beyond()
        if self.body is None or not beyond:
            self._timer.stop()
            return
        self._scroll(max(-_FASTEST, min(_FASTEST, beyond)))
        self._selection.drag(self.body, self.body.viewport().mapFromGlobal(self._mouse))
