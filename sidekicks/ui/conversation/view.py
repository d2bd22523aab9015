"""The conversation on screen: only the rows that can be seen are widgets, whatever is loaded."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QWidget

from sidekicks import events, models
from sidekicks.ui.conversation.body import Body
from sidekicks.ui.conversation.contents import (
    DayContent,
    NewContent,
    PermissionContent,
    ThoughtContent,
    ToolContent,
    ToolDetailContent,
)
from sidekicks.ui.conversation.drag_scroll import DragScroll
from sidekicks.ui.conversation.entry import Entry
from sidekicks.ui.conversation.finding import Finding
from sidekicks.ui.conversation.fold_line import FoldLine
from sidekicks.ui.conversation.highlight import Highlighter
from sidekicks.ui.conversation.jump_button import JumpButton
from sidekicks.ui.conversation.link_target import LinkTarget
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.notices import Notice
from sidekicks.ui.conversation.permission_card import PermissionCard
from sidekicks.ui.conversation.picture import Picture
from sidekicks.ui.conversation.places import Places
from sidekicks.ui.conversation.pool import RowWidget
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.conversation.rows_view import STEP, RowsView
from sidekicks.ui.conversation.scrolling import is_whole
from sidekicks.ui.conversation.tool_detail import ToolDetail
from sidekicks.ui.conversation.warming import Warming
from sidekicks.ui.theme import SIZES, Theme


class ConversationView(RowsView):
    """Shows one conversation. What the reader asks for leaves as signals; nothing is done here."""

    need_older = Signal(str)
    """The reader nears the top: the messages before this id are wanted. Once for each id."""
    link_activated = Signal(str)
    permission_answered = Signal(str, str)
    retry_requested = Signal(str, str)
    """A message (by its id) is to be sent again, to one agent or, empty, to whom it was sent."""
    logs_requested = Signal(str)
    picture_requested = Signal(object)
    settings_requested = Signal(str)
    quote_requested = Signal(str)
    visible_permissions_changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._highlighter = Highlighter()
        super().__init__(Look.of(theme, self._highlighter), parent)
        self._finding = Finding(self._model)
        self._places = Places()
        self._last_seen = ""
        self._current: Entry | None = None
        self._asked_before = ""
        self._seen: frozenset[str] = frozenset()
        self._warming = Warming(self._highlighter, self)
        self._warming.begun.connect(self._colour)
        self._drag_scroll = DragScroll(self.viewport(), self._selection, self._scroll)
        self._target = LinkTarget(self.viewport())
        self._jump = JumpButton(self.viewport())
        self._jump.clicked.connect(self.scroll_to_bottom)
        self.setAccessibleName(self.tr("Messages"))
        self.viewport().setAutoFillBackground(True)
        self._dress()

    # What the window calls

    def show_conversation(
        self, conversation: models.Conversation, agents: Mapping[str, models.AgentStatus], unread: int = 0
    ) -> None:
        """Shows another conversation: where its reader left it, else from what is `unread`, else its end."""
        self._places.keep(self._model, self._scrolling)
        self._drag_scroll.stop()
        self._grip = None
        self._selection.clear()
        for row in list(self._pool.used):
            self._release(row)
        self._placed = []
        self._model.show(conversation, agents, unread)
        self._current = None
        self._asked_before = ""
        self._last_seen = ""
        self._scrolling.to_end()
        if (place := self._places.find(self._model)) is not None:
            self._last_seen = conversation.messages[-1].id
            self._scrolling.to_row(*place)
        elif (entry := self._model.first_unread) is not None:
            self._scrolling.to_row(entry.rows[0], self._look.theme.px(SIZES.l))
        self._place()

    def set_agents(self, agents: Mapping[str, models.AgentStatus]) -> None:
        """Takes over changed titles and icons of agents."""
        self._model.rename(agents)
        self._place_soon()

    def apply(self, event: events.Event) -> None:
        """Takes an event of this channel; others are ignored. Several in a row cost one layout."""
        if self._model.apply(event) is not None:
            self._place_soon()

    def prepend(self, page: models.Page) -> None:
        """Puts older messages above; what is being read stays where it is."""
        self._model.prepend(page)
        self._place_soon()

    def set_theme(self, theme: Theme) -> None:
        """Changes colours, sizes and fonts, at once."""
        self._look = Look.of(theme, self._highlighter)
        self._dress()
        self._measure_anew()

    def visible_permissions(self) -> frozenset[str]:
        """The ids of the permission requests whose cards can be seen."""
        return self._seen

    def show_permission(self, request_id: str) -> None:
        """Brings a permission card into view and puts the keyboard on it."""
        row = self._model.permission_row(request_id)
        if row is None:
            return
        self._reveal(row)
        widget = self._pool.used.get(row)
        if isinstance(widget, PermissionCard):
            widget.focus_answer()

    def show_message(self, message_id: str) -> bool:
        """Brings a message to the top of the view, as the current one; False if it is not loaded."""
        entry = self._model.get(message_id)
        if entry is None:
            return False
        self._go_to(entry)
        self.setFocus()
        return True

    # Finding

    def look_for(self, needle: str) -> None:
        """Marks the words wherever they are loaded, and goes to none of them."""
        self._finding.search(needle)
        self._mark()

    @property
    def found(self) -> tuple[int, int]:
        """At which place of the words the reader is, counted from 1 (0: at none), and how many there are."""
        hits, current = self._finding.hits, self._finding.current
        return (hits.index(current) + 1 if current in hits else 0), len(hits)

    def find_next(self, by: int) -> None:
        """Goes to the next place of the words (1) or the one before (-1), or stays at this one (0)."""
        visible = [placed.row.entry.message.id for placed in self._placed if placed.end > 0]
        hit = self._finding.step(by, visible[-1] if visible else "")
        found = self._finding.row_of(hit) if hit is not None else None
        if found is None:
            return
        row, _ = found
        self._reveal(row)
        self._mark()
        if (place := self._place_found(row)) is not None:
            self._scroll_to(row, round(place.top()), round(place.bottom()))

    @property
    def has_more(self) -> bool:
        """Whether older messages are not loaded yet."""
        return self._model.more

    def _mark(self) -> None:
        for row, widget in self._pool.used.items():
            if isinstance(widget, Body):
                widget.mark(*self._finding.marks(row), self._look)
            elif isinstance(widget, ToolDetail):
                widget.mark(self._finding.needle, self._look)

    def _place_found(self, row: Row) -> QRectF | None:
        widget = self._pool.used.get(row)
        return widget.mark(*self._finding.marks(row), self._look) if isinstance(widget, Body) else None

    # What follows from a layout

    def placed_anew(self) -> None:
        """Older messages may be wanted, other questions be seen, other words be marked."""
        self._show_jump()
        self._ask_older()
        self._tell_permissions()
        if self._finding.needle:
            self._mark()

    def _show_jump(self) -> None:
        if self._scrolling.at_end and self._model.entries:
            self._last_seen = self._model.entries[-1].message.id
        missed = 0 if self._scrolling.at_end else self._model.said_after(self._last_seen)
        self._jump.place(self._look, not self._scrolling.at_end, missed)

    def ask_older(self) -> None:
        """Wants older messages now, however far from the top the reader is."""
        if self._model.more and self._model.entries:
            first = self._model.entries[0].message.id
            if first != self._asked_before:
                self._asked_before = first
                self.need_older.emit(first)

    def _ask_older(self) -> None:
        if not self._placed:
            return
        if self._model.place(self._placed[0].row.entry) < 3:
            self.ask_older()

    def _tell_permissions(self) -> None:
        height = self.viewport().height()
        seen = frozenset(
            placed.row.content.request.id
            for placed in self._placed
            if isinstance(placed.row.content, PermissionContent) and placed.end > 0 and placed.top < height
        )
        if seen != self._seen:
            self._seen = seen
            self.visible_permissions_changed.emit()

    # Rows

    def connect_widget(self, widget: RowWidget) -> None:
        """Passes on what a widget says."""
        match widget:
            case Body():
                widget.link_activated.connect(self.link_activated)
                widget.link_pointed.connect(self._point_at)
                widget.quoted.connect(self.quote_requested)
                widget.dragged.connect(self._drag)
                widget.released.connect(self._end_drag)
            case FoldLine():
                widget.folded.connect(self._fold)
            case ToolDetail():
                widget.whole_requested.connect(self._show_whole)
            case Notice():
                widget.retry_requested.connect(self.retry_requested)
                widget.logs_requested.connect(self.logs_requested)
                widget.settings_requested.connect(self.settings_requested)
            case Picture():
                widget.enlarged.connect(self.picture_requested)
            case PermissionCard():
                widget.answered.connect(self.permission_answered)
            case _:
                pass

    def _point_at(self, url: str) -> None:
        self._target.point(url, self._look)

    def _drag(self, body: Body, place: QPoint) -> None:
        self._grip = body
        self._drag_scroll.move(body, place)

    def _end_drag(self) -> None:
        self._drag_scroll.stop()
        self._grip = None
        self._release_others()

    def _fold(self, row: Row) -> None:
        if isinstance(row.content, ThoughtContent | ToolContent):
            self._hold(row)
            row.entry.toggle(row.content.part)
            self._place()

    def _show_whole(self, row: Row) -> None:
        if isinstance(row.content, ToolDetailContent):
            self._hold(row)
            row.entry.show_whole(row.content.part)
            self._place()

    def _colour(self) -> None:
        """Writes code anew, in colours."""
        self._look = Look.of(self._look.theme, self._highlighter)
        for row in self._pool.used:
            row.stale = True
        self._place()

    def _dress(self) -> None:
        palette = self._look.theme.palette()
        self.setPalette(palette)
        self.viewport().setPalette(palette)
        self.verticalScrollBar().setStyleSheet(self._look.theme.scroll_bar_style())

    # Moving about

    def _go_to(self, entry: Entry) -> None:
        self._current = entry
        self._scrolling.to_row(entry.rows[0], self._look.theme.px(SIZES.l))
        self._place()
        self.setAccessibleDescription(entry.byline)

    def _move_current(self, by: int) -> None:
        entries = self._model.entries
        if not entries:
            return
        if self._current is not None and self._model.get(self._current.message.id) is self._current:
            place = max(0, min(len(entries) - 1, self._model.place(self._current) + by))
        else:
            visible = [placed.row.entry for placed in self._placed if placed.end > 0]
            place = self._model.place(visible[-1 if by < 0 else 0]) if visible else len(entries) - 1
        self._current = entries[place]
        if is_whole(self._placed, self._current.rows, self.viewport().height()):
            self.setAccessibleDescription(self._current.byline)
            self.viewport().update()
        else:
            self._go_to(self._current)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves by page, to either end, or from message to message; copies and selects."""
        page = self.viewport().height() - self._look.theme.px(STEP)
        if event.matches(QKeySequence.StandardKey.Copy):
            if not self._selection.copy() and self._current is not None:
                self._selection.copy_message(self._current.rows[0])
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._selection.select_all()
        elif event.key() == Qt.Key.Key_PageUp:
            self._scroll(-page)
        elif event.key() == Qt.Key.Key_PageDown:
            self._scroll(page)
        elif event.key() == Qt.Key.Key_Home and self._model.entries:
            self._go_to(self._model.entries[0])
        elif event.key() == Qt.Key.Key_End:
            self._current = self._model.entries[-1] if self._model.entries else None
            self.scroll_to_bottom()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._move_current(-1 if event.key() == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the mark beside the current message while the conversation has the keyboard."""
        del event
        if self._current is None or not self.hasFocus():
            return
        rows = self._current.rows
        edges = [
            (placed.top + self._gap(placed.row), placed.end)
            for placed in self._placed
            if placed.row in rows and not isinstance(placed.row.content, DayContent | NewContent)
        ]
        if not edges:
            return
        left, _ = self._column()
        painter = QPainter(self.viewport())
        top, bottom = edges[0][0], edges[-1][1]
        mark = QRect(left - self._look.theme.px(10), top, self._look.theme.px(3), bottom - top)
        painter.fillRect(mark, self._look.theme.color("accent"))
        painter.end()

    def changeEvent(self, event: QEvent) -> None:
        """Says everything anew when the language changes."""
        if event.type() == QEvent.Type.LanguageChange:
            self.setAccessibleName(self.tr("Messages"))
            self._model.refresh_names()
            self._measure_anew()
        super().changeEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        """Begins to load what the first paint could do without."""
        super().showEvent(event)
        self._warming.start()
