"""Rows on screen, and the moving about in them: only those that can be seen are widgets."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QFrame, QScrollBar, QWidget

from sidekicks.ui.conversation import tab_order
from sidekicks.ui.conversation.author_line import INDENT
from sidekicks.ui.conversation.body import Body
from sidekicks.ui.conversation.contents import AuthorContent, DayContent, NewContent, SystemContent
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.model import ConversationModel
from sidekicks.ui.conversation.pool import Pool, RowWidget
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.conversation.scrolling import Placed, Scrolling
from sidekicks.ui.conversation.selection import Selection
from sidekicks.ui.theme import SIZES

STEP = 40
"""Pixels of one step of the scroll bar at zoom 1."""
_WIDE = (AuthorContent, DayContent, NewContent, SystemContent)
"""What begins at the left edge of the column; everything else is indented."""


class QuietScrollBar(QScrollBar):
    """Keeps its place, so that nothing is laid out anew, and shows nothing while nothing can be scrolled."""

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints it only where it means something."""
        if self.maximum() > self.minimum():
            super().paintEvent(event)


class RowsView(QAbstractScrollArea):
    """Lays the rows of a model out, gives widgets to those that are near the viewport, and scrolls.

    What depends on more than the layout is done in `placed_anew` and `connect_widget`.
    """

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._model = ConversationModel()
        self._selection = Selection(self._model, self._bodies)
        self._pool = Pool(self.viewport(), self._selection, self.connect_widget)
        self._scrolling = Scrolling(self._model, self._measure, self._gap)
        self._placed: list[Placed] = []
        self._grip: Body | None = None
        """A body that has the mouse: it must stay a widget, wherever its row is."""
        self._bar_value = 0
        self._placing = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._place)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setVerticalScrollBar(QuietScrollBar(self))
        self.verticalScrollBar().setSingleStep(STEP)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def connect_widget(self, widget: RowWidget) -> None:
        """A widget was made: what it says is to be heard."""

    def placed_anew(self) -> None:
        """The rows stand where they belong."""

    def scroll_to_bottom(self) -> None:
        """Goes to the end, and follows it from now on."""
        self._scrolling.to_end()
        self._place()

    # Layout

    def _bodies(self) -> list[Body]:
        return self._pool.bodies()

    def _place_soon(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _measure_anew(self) -> None:
        for row in self._pool.used:
            row.stale = True
        for entry in self._model.entries:
            entry.forget_heights()
        self._place()

    def _column(self) -> tuple[int, int]:
        """Left edge and width of the content."""
        theme = self._look.theme
        room = self.viewport().width() - 2 * theme.px(SIZES.l)
        width = max(120, min(room, theme.px(SIZES.column)))
        return (self.viewport().width() - width) // 2, width

    def _measure(self, row: Row) -> int:
        widget = self._pool.take(row)
        if row.stale or widget.row is not row:
            _, width = self._column()
            indent = 0 if isinstance(row.content, _WIDE) else self._look.theme.px(INDENT)
            height = widget.bind(row, width - indent, self._look)
            widget.resize(width - indent, height)
            row.height = height + self._gap(row)
            row.stale = False
            self._model.touch(row.entry)
            if isinstance(widget, Body):
                widget.setAccessibleName(row.entry.byline)
        return row.height

    def _gap(self, row: Row) -> int:
        return self._look.theme.px(row.gap)

    def _place(self) -> None:
        if self._placing:
            return
        self._placing = True
        self._soon.stop()
        height = self.viewport().height()
        self._placed = self._scrolling.place(height, self._look.theme.px(SIZES.l))
        self._release_others()
        left, _ = self._column()
        for placed in self._placed:
            widget = self._pool.used[placed.row]
            indent = 0 if isinstance(placed.row.content, _WIDE) else self._look.theme.px(INDENT)
            widget.move(left + indent, placed.top + self._gap(placed.row))
            if widget.isHidden():
                widget.show()
        self._update_bar(height)
        self.viewport().update()
        self._placing = False
        self.placed_anew()

    def _release_others(self) -> None:
        kept = {placed.row for placed in self._placed}
        grip = self._grip
        if grip is not None and grip.row is not None and grip.row not in kept:
            kept.add(grip.row)
            grip.move(grip.x(), -grip.height())
        for row in [row for row in self._pool.used if row not in kept]:
            self._release(row)

    def _release(self, row: Row) -> None:
        """Takes the widget of a row away; the keyboard stays in the conversation."""
        widget = self._pool.used[row]
        focus = QApplication.focusWidget()
        if focus is not None and (focus is widget or widget.isAncestorOf(focus)):
            self.setFocus()
        self._pool.release(row)

    def _update_bar(self, height: int) -> None:
        pad = self._look.theme.px(SIZES.l)
        total, value = self._scrolling.extent(self._placed, pad, self._look.theme.zoom)
        bar = self.verticalScrollBar()
        bar.blockSignals(True)
        bar.setPageStep(height)
        bar.setRange(0, max(0, round(total) - height))
        bar.setValue(bar.maximum() if self._scrolling.at_end else min(round(value), bar.maximum() - 1))
        bar.blockSignals(False)
        bar.update()
        self._bar_value = bar.value()

    # Moving about

    def _scroll(self, pixels: int) -> None:
        self._scrolling.by(pixels)
        self._place()

    def _reveal(self, row: Row) -> None:
        """Brings a row into view, with as little movement as it takes."""
        height = self.viewport().height()
        placed = next((placed for placed in self._placed if placed.row is row), None)
        if placed is not None and placed.top >= 0 and placed.end <= height:
            return
        below = placed is not None and placed.top > 0
        top = height - row.height - self._look.theme.px(SIZES.l) if below else self._look.theme.px(SIZES.l)
        self._scrolling.to_row(row, max(0, top))
        self._place()

    def _scroll_to(self, row: Row, top: int, bottom: int) -> None:
        """Scrolls so that these lines of a row can be seen, with some room around."""
        placed = next((one for one in self._placed if one.row is row), None)
        if placed is None:
            return
        start = placed.top + self._gap(row)
        room, height = self._look.theme.px(SIZES.xl), self.viewport().height()
        if start + top < room:
            self._scroll(start + top - room)
        elif start + bottom > height - room:
            self._scroll(start + bottom - height + room)

    def _hold(self, row: Row) -> None:
        top = next((placed.top for placed in self._placed if placed.row is row), None)
        if top is not None:
            self._scrolling.to_row(row, top + self._gap(row))

    # Qt

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """The bar was moved: a little, and the rows move with it; far, and the place is estimated."""
        del dx, dy
        bar = self.verticalScrollBar()
        moved = bar.value() - self._bar_value
        if not moved or self._placing:
            return
        if bar.value() >= bar.maximum():
            self.scroll_to_bottom()
        elif abs(moved) <= 3 * self.viewport().height():
            self._scroll(moved)
        else:
            self._scrolling.to_height(bar.value(), self._look.theme.zoom)
            self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lays everything visible out for the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._measure_anew()
        else:
            self._place()

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002  Qt's name
        """Tab goes through what can be seen from top to bottom, whichever widgets happen to show it."""
        shown = [self._pool.used[one.row] for one in self._placed if one.row in self._pool.used]
        tab_order.follow(self, shown)
        return super().focusNextPrevChild(next)
