"""The list view of the conversations: opened, edited, deleted and put in order by mouse and keys."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication, QListView, QWidget

from sidekicks.ui.sidebar.model import ConversationsModel, Index
from sidekicks.ui.theme import Theme

LINE = 2
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_MOVING = Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.ShiftModifier


class ConversationsList(QListView):
    """Says what the user wants with a row; `moved` gives a row and the number of the one to stand before.

    Dragging is done here and not by Qt's drag and drop, whose nested event loop would hold up the program.
    """

    chosen = Signal(QModelIndex)
    edit_wanted = Signal(QModelIndex)
    delete_wanted = Signal(QModelIndex)
    moved = Signal(int, int)

    def __init__(self, rows: ConversationsModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows = rows
        self.theme = theme
        self._pressed_at = QPoint()
        self._dragged = -1
        self._before = -1
        self.setModel(rows)
        rows.modelAboutToBeReset.connect(self._let_go)

    def step(self, index: Index, by: int) -> None:
        """Moves a row one place up (-1) or down (1) among its like."""
        first, end = self._rows.like(index.row())
        if first <= index.row() + by < end:
            self.moved.emit(index.row(), index.row() + (2 if by > 0 else -1))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, F2 edits, Delete deletes, Alt+Shift+Up and Down move; the rest is the list's own."""
        index, key = self.currentIndex(), event.key()
        if event.key() == Qt.Key.Key_Escape and self._dragged >= 0:
            self._let_go()
        elif not index.isValid():
            super().keyPressEvent(event)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(index)
        elif key == Qt.Key.Key_F2:
            self.edit_wanted.emit(index)
        elif key == Qt.Key.Key_Delete:
            self.delete_wanted.emit(index)
        elif key in _STEPS and event.modifiers() & _MOVING == _MOVING:
            self.step(index, _STEPS[Qt.Key(key)])
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Notes where a drag may begin."""
        self._pressed_at = event.position().toPoint()
        super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drags the pressed row between its like."""
        at = event.position().toPoint()
        if not event.buttons() & Qt.MouseButton.LeftButton:
            super().mouseMoveEvent(event)
            return
        far = (at - self._pressed_at).manhattanLength() >= QApplication.startDragDistance()
        if self._dragged < 0 and far:
            pressed = self.indexAt(self._pressed_at)
            if pressed.isValid() and pressed.flags() & Qt.ItemFlag.ItemIsEnabled:
                self._dragged = pressed.row()
        if self._dragged >= 0:
            self._drag_to(at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Puts down what was dragged; without a drag it is a click."""
        dragged, before = self._dragged, self._before
        if dragged < 0:
            super().mouseReleaseEvent(event)
            return
        self._let_go()
        self.setState(QListView.State.NoState)
        if before not in (dragged, dragged + 1):
            self.moved.emit(dragged, before)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draws a line where the dragged row would stand."""
        super().paintEvent(event)
        if self._before < 0:
            return
        last = self._before == self._rows.like(self._dragged)[1]
        box = self.visualRect(self._rows.index(self._before - last))
        painter = QPainter(self.viewport())
        height = self.theme.px(LINE)
        top = (box.bottom() if last else box.top()) - height // 2
        painter.fillRect(QRect(box.left(), top, box.width(), height), self.theme.color("accent"))
        painter.end()

    def _drag_to(self, at: QPoint) -> None:
        first, end = self._rows.like(self._dragged)
        before = first
        while before < end and at.y() > self.visualRect(self._rows.index(before)).center().y():
            before += 1
        self._before = before
        under = self.indexAt(QPoint(0, at.y()))
        if under.isValid():
            self.scrollTo(under)
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self.viewport().update()

    def _let_go(self) -> None:
        if self._dragged >= 0:
            self._dragged = self._before = -1
            self._pressed_at = QPoint(-1, -1)  # the rest of this movement drags nothing
            self.unsetCursor()
            self.viewport().update()
