"""Widgets for the rows that can be seen, used again for others as the reader scrolls."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import TypeAlias

from PySide6.QtWidgets import QWidget

from sidekicks.ui.conversation.author_line import AuthorLine
from sidekicks.ui.conversation.body import Body, Selecting
from sidekicks.ui.conversation.checklist import Checklist
from sidekicks.ui.conversation.contents import (
    AuthorContent,
    Content,
    DayContent,
    EndContent,
    ImageContent,
    NewContent,
    PermissionContent,
    PlanContent,
    SegmentContent,
    SystemContent,
    ThoughtContent,
    ToolContent,
    ToolDetailContent,
)
from sidekicks.ui.conversation.fold_line import FoldLine
from sidekicks.ui.conversation.notices import DayLine, Notice
from sidekicks.ui.conversation.permission_card import PermissionCard
from sidekicks.ui.conversation.picture import Picture
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.conversation.tool_detail import ToolDetail

RowWidget: TypeAlias = (
    Body | AuthorLine | FoldLine | ToolDetail | Checklist | DayLine | Notice | Picture | PermissionCard
)

_KINDS: dict[type[Content], type[RowWidget]] = {
    DayContent: DayLine,
    NewContent: DayLine,
    AuthorContent: AuthorLine,
    SegmentContent: Body,
    ThoughtContent: FoldLine,
    ToolContent: FoldLine,
    ToolDetailContent: ToolDetail,
    PlanContent: Checklist,
    ImageContent: Picture,
    SystemContent: Notice,
    EndContent: Notice,
    PermissionContent: PermissionCard,
}


class Pool:
    """Which row has which widget. `connect` is called once with each widget that is made."""

    def __init__(self, parent: QWidget, selecting: Selecting, connect: Callable[[RowWidget], None]) -> None:
        self._parent = parent
        self._selecting = selecting
        self._connect = connect
        self._free: defaultdict[type[RowWidget], list[RowWidget]] = defaultdict(list)
        self.used: dict[Row, RowWidget] = {}

    def take(self, row: Row) -> RowWidget:
        """The widget of a row; a free or new one if it has none of the right kind."""
        kind = _KINDS[type(row.content)]
        widget = self.used.get(row)
        if isinstance(widget, kind):
            return widget
        if widget is not None:
            self.release(row)
        free = self._free[kind]
        widget = free.pop() if free else self._make(kind)
        self.used[row] = widget
        return widget

    def release(self, row: Row) -> None:
        """Takes the widget away from a row."""
        widget = self.used.pop(row)
        widget.hide()
        row.stale = True
        self._free[type(widget)].append(widget)

    def bodies(self) -> list[Body]:
        """The bodies in use."""
        return [widget for widget in self.used.values() if isinstance(widget, Body)]

    def _make(self, kind: type[RowWidget]) -> RowWidget:
        if kind is Body:
            widget: RowWidget = Body(self._selecting, self._parent)
        else:
            widget = kind(self._parent)  # pyright: ignore[reportCallIssue]  only Body takes more
        self._connect(widget)
        return widget
