"""The conversation on screen: only the rows that can be seen are widgets, whatever is loaded."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QPainter, QPaintEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from sidekicks import events, models
from sidekicks.ui.conversation import tab_order
from sidekicks.ui.conversation.body import Body
from sidekicks.ui.conversation.contents import (
    ThoughtContent,
    ToolContent,
    ToolDetailContent,
)
from sidekicks.ui.conversation.current import Current
from sidekicks.ui.conversation.drag_scroll import DragScroll
from sidekicks.ui.conversation.entry import Entry
from sidekicks.ui.conversation.fold_line import FoldLine
from sidekicks.ui.conversation.highlight import Highlighter
from sidekicks.ui.conversation.jump_button import JumpButton
from sidekicks.ui.conversation.link_target import LinkTarget
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.model import ConversationModel
from sidekicks.ui.conversation.notices import Notice
from sidekicks.ui.conversation.permission_card import PermissionCard
from sidekicks.ui.conversation.picture import Picture
from sidekicks.ui.conversation.places import Places
from sidekicks.ui.conversation.pool import RowWidget
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.conversation.scrolling import is_whole
from sidekicks.ui.conversation.stage import Stage
from sidekicks.ui.conversation.tool_detail import ToolDetail
from sidekicks.ui.conversation.warming import Warming
from sidekicks.ui.theme import Theme

_STEP = 40


class ConversationView(QAbstractScrollArea):
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
        super().__init__(parent)
        self._model = ConversationModel()
        self._highlighter = Highlighter()
        look = Look.of(theme, self._highlighter)
        self._stage = Stage(self, self._model, look, self._connect)
        self._selection = self._stage.selection
        self._scrolling = self._stage.scrolling
        self._places = Places()
        self._last_seen = ""
        self._current = Current(self._model, self._stage)
        self._asked_before = ""
        self._seen: frozenset[str] = frozenset()
        self._bar_value = 0
        self._placing = False
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._place)
        self._warming = Warming(self._highlighter, self)
        self._warming.begun.connect(self._colour)
        self._drag_scroll = DragScroll(self.viewport(), self._selection, self._scroll)
        self._target = LinkTarget(self.viewport())
        self._jump = JumpButton(self.viewport())
        self._jump.clicked.connect(self.scroll_to_bottom)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.verticalScrollBar().setSingleStep(_STEP)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
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
        self._stage.clear()
        self._model.show(conversation, agents, unread)
        self._current.entry = None
        self._asked_before = ""
        self._last_seen = ""
        self._scrolling.to_end()
        if (place := self._places.find(self._model)) is not None:
            self._last_seen = conversation.messages[-1].id
            self._scrolling.to_row(*place)
        elif (entry := self._model.first_unread) is not None:
            self._scrolling.to_row(entry.rows[0], self._stage.pad)
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
        self._stage.restyle(Look.of(theme, self._highlighter))
        self._dress()
        self._measure_anew()

    def scroll_to_bottom(self) -> None:
        """Goes to the end, and follows it from now on."""
        self._scrolling.to_end()
        self._place()

    def visible_permissions(self) -> frozenset[str]:
        """The ids of the permission requests whose cards can be seen."""
        return self._seen

    def show_permission(self, request_id: str) -> None:
        """Brings a permission card into view and puts the keyboard on it."""
        row = self._model.permission_row(request_id)
        if row is None:
            return
        self._reveal(row)
        widget = self._stage.widget(row)
        if isinstance(widget, PermissionCard):
            widget.focus_answer()

    def show_message(self, message_id: str) -> None:
        """Brings a message to the top of the view and marks it as the current one."""
        self._go_to(self._model.get(message_id))

    # Layout

    def _place_soon(self) -> None:
        if not self._soon.isActive():
            self._soon.start()

    def _measure_anew(self) -> None:
        self._stage.forget_heights()
        self._place()

    def _place(self) -> None:
        if self._placing:
            return
        self._placing = True
        self._soon.stop()
        self._stage.place()
        self._update_bar()
        self._show_jump()
        self.viewport().update()
        self._placing = False
        self._ask_older()
        self._tell_permissions()

    def _show_jump(self) -> None:
        if self._scrolling.at_end and self._model.entries:
            self._last_seen = self._model.entries[-1].message.id
        missed = 0 if self._scrolling.at_end else self._model.said_after(self._last_seen)
        self._jump.place(self._stage.look, not self._scrolling.at_end, missed)

    def _update_bar(self) -> None:
        height, zoom = self.viewport().height(), self._stage.look.theme.zoom
        total, value = self._scrolling.extent(self._stage.placed, self._stage.pad, zoom)
        bar = self.verticalScrollBar()
        bar.blockSignals(True)
        bar.setPageStep(height)
        bar.setRange(0, max(0, round(total) - height))
        bar.setValue(bar.maximum() if self._scrolling.at_end else min(round(value), bar.maximum() - 1))
        bar.blockSignals(False)
        bar.update()
        self._bar_value = bar.value()

    def _ask_older(self) -> None:
        if not (self._model.more and self._stage.placed and self._model.entries):
            return
        first = self._model.entries[0]
        near = self._model.place(self._stage.placed[0].row.entry) < 3
        if near and first.message.id != self._asked_before:
            self._asked_before = first.message.id
            self.need_older.emit(first.message.id)

    def _tell_permissions(self) -> None:
        seen = self._stage.permissions()
        if seen != self._seen:
            self._seen = seen
            self.visible_permissions_changed.emit()

    # Rows

    def _connect(self, widget: RowWidget) -> None:
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
        self._target.point(url, self._stage.look)

    def _drag(self, body: Body, place: QPoint) -> None:
        self._stage.grip = body
        self._drag_scroll.move(body, place)

    def _end_drag(self) -> None:
        self._drag_scroll.stop()
        self._stage.grip = None
        self._stage.release_others()

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

    def _hold(self, row: Row) -> None:
        if (top := self._stage.top_of(row)) is not None:
            self._scrolling.to_row(row, top)

    def _colour(self) -> None:
        """Writes code anew, in colours."""
        self._stage.restyle(Look.of(self._stage.look.theme, self._highlighter))
        self._place()

    def _dress(self) -> None:
        palette = self._stage.look.theme.palette()
        self.setPalette(palette)
        self.viewport().setPalette(palette)
        self.verticalScrollBar().setStyleSheet(self._stage.look.theme.scroll_bar_style())

    # Moving about

    def _scroll(self, pixels: int) -> None:
        self._scrolling.by(pixels)
        self._place()

    def _reveal(self, row: Row) -> None:
        """Brings a row into view, with as little movement as it takes."""
        height, pad = self.viewport().height(), self._stage.pad
        placed = next((placed for placed in self._stage.placed if placed.row is row), None)
        if placed is not None and placed.top >= 0 and placed.end <= height:
            return
        below = placed is not None and placed.top > 0
        self._scrolling.to_row(row, max(0, height - row.height - pad if below else pad))
        self._place()

    def _go_to(self, entry: Entry | None) -> None:
        """Makes a message the current one, and brings it to the top."""
        if entry is not None:
            self._current.entry = entry
            self._scrolling.to_row(entry.rows[0], self._stage.pad)
            self._place()
            self.setAccessibleDescription(entry.byline)

    def _move_current(self, by: int) -> None:
        entry = self._current.beside(by)
        if entry is None:
            return
        self._current.entry = entry
        if is_whole(self._stage.placed, entry.rows, self.viewport().height()):
            self.setAccessibleDescription(entry.byline)
            self.viewport().update()
        else:
            self._go_to(entry)

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
            self._scrolling.to_height(bar.value(), self._stage.look.theme.zoom)
            self._place()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lays everything visible out for the new width."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._measure_anew()
        else:
            self._place()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Moves by page, to either end, or from message to message; copies and selects."""
        page = self.viewport().height() - self._stage.look.theme.px(_STEP)
        if event.matches(QKeySequence.StandardKey.Copy):
            if not self._selection.copy() and self._current.entry is not None:
                self._selection.copy_message(self._current.entry.rows[0])
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._selection.select_all()
        elif event.key() == Qt.Key.Key_PageUp:
            self._scroll(-page)
        elif event.key() == Qt.Key.Key_PageDown:
            self._scroll(page)
        elif event.key() == Qt.Key.Key_Home and self._model.entries:
            self._go_to(self._model.entries[0])
        elif event.key() == Qt.Key.Key_End:
            self._current.entry = self._model.entries[-1] if self._model.entries else None
            self.scroll_to_bottom()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._move_current(-1 if event.key() == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the mark beside the current message while the conversation has the keyboard."""
        del event
        if self.hasFocus():
            painter = QPainter(self.viewport())
            self._current.paint(painter)
            painter.end()

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002  Qt's name
        """Tab goes through what can be seen from top to bottom, whichever widgets happen to show it."""
        tab_order.follow(self, self._stage.widgets())
        return super().focusNextPrevChild(next)

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
