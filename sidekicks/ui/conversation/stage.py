"""The rows that can be seen, as widgets at their places. What is out of sight has none."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QAbstractScrollArea, QApplication

from sidekicks.ui.conversation.author_line import INDENT
from sidekicks.ui.conversation.body import Body
from sidekicks.ui.conversation.contents import (
    AuthorContent,
    DayContent,
    NewContent,
    PermissionContent,
    SystemContent,
)
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.model import ConversationModel
from sidekicks.ui.conversation.pool import Pool, RowWidget
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.conversation.scrolling import Placed, Scrolling
from sidekicks.ui.conversation.selection import Selection
from sidekicks.ui.theme import SIZES

_NARROWEST = 120
_WIDE = (AuthorContent, DayContent, NewContent, SystemContent)
"""What begins at the left edge of the column; everything else is indented."""


class Stage:
    """Lays rows out in the viewport of `area` in `look`; `connect` is called once with each widget made.

    `placed` are the rows that have widgets, top to bottom; `grip` is a body that has the mouse and must
    stay a widget, wherever its row is.
    """

    def __init__(
        self,
        area: QAbstractScrollArea,
        model: ConversationModel,
        look: Look,
        connect: Callable[[RowWidget], None],
    ) -> None:
        self._area = area
        self._model = model
        self.look = look
        self.selection = Selection(model, self._bodies)
        self._pool = Pool(area.viewport(), self.selection, connect)
        self.scrolling = Scrolling(model, self._measure, self.gap)
        self.placed: list[Placed] = []
        self.grip: Body | None = None

    @property
    def pad(self) -> int:
        """The space before the first row and after the last."""
        return self.look.theme.px(SIZES.l)

    def left(self) -> int:
        """The left edge of the column."""
        return (self._area.viewport().width() - self._width()) // 2

    def gap(self, row: Row) -> int:
        """The space above a row."""
        return self.look.theme.px(row.gap)

    def widget(self, row: Row) -> RowWidget | None:
        """The widget of a row that can be seen."""
        return self._pool.used.get(row)

    def widgets(self) -> list[RowWidget]:
        """Those of all rows that can be seen, from top to bottom."""
        return [self._pool.used[one.row] for one in self.placed if one.row in self._pool.used]

    def top_of(self, row: Row) -> int | None:
        """Where a row begins in the viewport, below its gap; None while it has no widget."""
        return next((one.top + self.gap(row) for one in self.placed if one.row is row), None)

    def permissions(self) -> frozenset[str]:
        """The ids of the permission requests whose cards can be seen."""
        height = self._area.viewport().height()
        return frozenset(
            one.row.content.request.id
            for one in self.placed
            if isinstance(one.row.content, PermissionContent) and one.end > 0 and one.top < height
        )

    def place(self) -> None:
        """Finds which rows can be seen, and shows their widgets where they belong."""
        self.placed = self.scrolling.place(self._area.viewport().height(), self.pad)
        self.release_others()
        left = self.left()
        for one in self.placed:
            widget = self._pool.used[one.row]
            widget.move(left + self._indent(one.row), one.top + self.gap(one.row))
            if widget.isHidden():
                widget.show()

    def clear(self) -> None:
        """Takes every widget away: other rows come."""
        self.selection.clear()
        self.grip = None
        for row in list(self._pool.used):
            self._release(row)
        self.placed = []

    def release_others(self) -> None:
        """Takes the widgets away from rows that can't be seen."""
        kept = {one.row for one in self.placed}
        grip = self.grip
        if grip is not None and grip.row is not None and grip.row not in kept:
            kept.add(grip.row)
            grip.move(grip.x(), -grip.height())
        for row in [row for row in self._pool.used if row not in kept]:
            self._release(row)

    def restyle(self, look: Look) -> None:
        """Draws with another look from the next placing on; heights stay."""
        self.look = look
        for row in self._pool.used:
            row.stale = True

    def forget_heights(self) -> None:
        """Has everything measured anew: the width, the theme or the language has changed."""
        for row in self._pool.used:
            row.stale = True
        for entry in self._model.entries:
            entry.forget_heights()

    def _bodies(self) -> list[Body]:
        return self._pool.bodies()

    def _width(self) -> int:
        theme = self.look.theme
        room = self._area.viewport().width() - 2 * self.pad
        return max(_NARROWEST, min(room, theme.px(SIZES.column)))

    def _indent(self, row: Row) -> int:
        return 0 if isinstance(row.content, _WIDE) else self.look.theme.px(INDENT)

    def _measure(self, row: Row) -> int:
        widget = self._pool.take(row)
        if row.stale or widget.row is not row:
            width = self._width() - self._indent(row)
            height = widget.bind(row, width, self.look)
            widget.resize(width, height)
            row.height = height + self.gap(row)
            row.stale = False
            self._model.touch(row.entry)
            if isinstance(widget, Body):
                widget.setAccessibleName(row.entry.byline)
        return row.height

    def _release(self, row: Row) -> None:
        """Takes the widget of a row away; the keyboard stays in the conversation."""
        widget = self._pool.used[row]
        focus = QApplication.focusWidget()
        if focus is not None and (focus is widget or widget.isAncestorOf(focus)):
            self._area.setFocus()
        self._pool.release(row)
