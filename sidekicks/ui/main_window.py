"""The window: sidebar at the left, the conversation with header and composer beside it. No core here."""

from __future__ import annotations

import asyncio

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeyEvent, QPaintEvent, QShowEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QHBoxLayout,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from sidekicks.ui.column import Column
from sidekicks.ui.composer.composer import Composer
from sidekicks.ui.empty import Empty, EmptyState
from sidekicks.ui.header import Header
from sidekicks.ui.notices import Notice, Notices
from sidekicks.ui.sidebar.sidebar import Sidebar
from sidekicks.ui.theme import SIZES, Theme
from sidekicks.ui.window_state import WindowState

DEFAULT_SIZE = (1100, 760)
MINIMUM_SIZE = (640, 420)
DOCK_HEIGHT, DOCK_MIN = 220, 100


class MainWindow(QWidget):
    """Lays out the parts and keeps what the window looks like. `closing` when the user closes it.

    `zoom_wanted` by so many steps, 0 for the normal size.
    """

    closing = Signal()
    escaped = Signal()
    zoom_wanted = Signal(int)

    def __init__(self, theme: Theme, state: WindowState) -> None:
        super().__init__()
        self._state = state
        self._painted = asyncio.Event()
        self.sidebar = Sidebar(theme, self)
        self.header = Header(theme, self)
        self.notices = Notices(theme, self)
        self.empty = EmptyState(theme, self)
        self.failure = Notice("warning", "danger", theme)
        self.composer = Composer(theme, self)
        self._bars = QVBoxLayout()
        self._floors = QSplitter(Qt.Orientation.Vertical, self)
        self.sides = QStackedWidget(self)
        self._pages = QStackedWidget(self)
        self._pages.addWidget(self.empty)
        self._failure_column = Column(theme, self)
        self._splitter = QSplitter(Qt.Orientation.Horizontal, self)
        self._lay_out(theme)
        self._restore()
        self._dress(theme)
        # Whoever types before the conversation is there means the composer.
        self.composer.text.setFocus()

    def _lay_out(self, theme: Theme) -> None:
        self.failure.setProperty("framed", True)
        self._failure_column.body.addWidget(self.failure)
        self._failure_column.hide()
        self.failure.dismissed.connect(self._failure_column.hide)
        main = QWidget(self)
        column = QVBoxLayout(main)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self.notices)
        column.addLayout(self._bars)
        column.addWidget(self._pages, 1)
        column.addWidget(self._failure_column)
        column.addWidget(self.composer)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        self._splitter.addWidget(self.sidebar)
        self._floors.setChildrenCollapsible(False)
        self._floors.setHandleWidth(1)
        self._floors.addWidget(main)
        self._floors.setStretchFactor(0, 1)
        self.sides.addWidget(self._floors)
        self._splitter.addWidget(self.sides)
        self._splitter.setStretchFactor(1, 1)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)

    def add_view(self, view: QAbstractScrollArea) -> None:
        """Puts the conversation view into its place; it is shown by `show_messages`."""
        self._pages.addWidget(view)
        for column in (self.composer, self._failure_column):
            column.leave_right(view.verticalScrollBar().sizeHint().width())

    def add_bar(self, bar: QWidget) -> None:
        """Adds a bar above the messages."""
        self._bars.addWidget(bar)

    def add_dock(self, dock: QWidget) -> None:
        """Adds what can stand below the conversation."""
        dock.setMinimumHeight(DOCK_MIN)
        self._floors.addWidget(dock)
        self._floors.setSizes([self._floors.height() - DOCK_HEIGHT, DOCK_HEIGHT])

    def add_side(self, page: QWidget) -> None:
        """Adds what can stand in the place of the whole conversation, header and composer included.

        `page` is a child of `sides` already: one that changes its parent loses the fonts it was given.
        """
        self.sides.addWidget(page)

    def show_side(self, page: QWidget) -> None:
        """Shows such a page until the conversation is shown again."""
        self.sides.setCurrentWidget(page)

    def show_conversation(self) -> None:
        """Shows the conversation, and lets the user write."""
        if self.sides.currentIndex():
            self.sides.setCurrentIndex(0)
            self.composer.text.setFocus()

    @property
    def shows_conversation(self) -> bool:
        """Whether the conversation is shown, and no page in its place."""
        return self.sides.currentIndex() == 0

    def show_messages(self) -> None:
        """Shows the conversation view instead of the empty state."""
        self._pages.setCurrentIndex(self._pages.count() - 1)

    def show_empty(self, empty: Empty) -> None:
        """Shows what to do where there are no messages."""
        self.empty.show_empty(empty)
        self._pages.setCurrentWidget(self.empty)

    @property
    def shows_messages(self) -> bool:
        """Whether the conversation view is shown, not the empty state."""
        return self._pages.currentWidget() is not self.empty

    def show_failure(self, sentence: str) -> None:
        """Says in one sentence, above the composer, what could not be done; empty takes it away."""
        self.failure.say(sentence, dismissable=True)
        self._failure_column.setVisible(bool(sentence))

    def show_start_failure(self, sentence: str) -> None:
        """Says why there is nothing to show."""
        self.composer.setEnabled(False)
        self.show_empty(Empty(self.tr("Sidekicks could not start"), sentence))

    def set_theme(self, theme: Theme) -> None:
        """Draws everything with `theme` from now on."""
        self._dress(theme)
        for part in (self.sidebar, self.header, self.notices, self.empty, self.failure, self.composer):
            part.set_theme(theme)
        self._failure_column.set_theme(theme)

    def _dress(self, theme: Theme) -> None:
        self.sidebar.setMinimumWidth(theme.px(SIZES.sidebar_min))
        self.sidebar.setMaximumWidth(theme.px(SIZES.sidebar_max))
        self.setPalette(theme.palette())
        self.setFont(theme.body_font())
        self._splitter.setStyleSheet(f"QSplitter::handle {{ background: {theme.tokens.border}; }}")

    async def painted(self) -> None:
        """Returns once the window has painted itself for the first time."""
        await self._painted.wait()

    def save(self) -> None:
        """Keeps place, size and splitter for the next start."""
        self._state.geometry = self.saveGeometry()
        self._state.sidebar_width = self.sidebar.width()
        self._state.save()

    def _restore(self) -> None:
        self.setMinimumSize(*MINIMUM_SIZE)
        self.resize(*DEFAULT_SIZE)
        if not (geometry := self._state.geometry).isEmpty():
            self.restoreGeometry(geometry)

    def showEvent(self, event: QShowEvent) -> None:
        """Gives the sidebar its width, now that the window has its own."""
        super().showEvent(event)
        if not self._painted.is_set():
            width = self._state.sidebar_width or SIZES.sidebar
            self._splitter.setSizes([width, self.width() - width])

    def paintEvent(self, event: QPaintEvent) -> None:
        """Notes the first paint."""
        super().paintEvent(event)
        self._painted.set()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape that no part took stops the answer; letters go to the composer, wherever the focus is."""
        commands = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
            return
        is_text = event.text().isprintable() and event.text() and not event.modifiers() & commands
        if is_text and self.composer.isEnabled() and self.shows_conversation:
            self.composer.text.setFocus()
            self.composer.text.insertPlainText(event.text())
            return
        super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Asks for the end; the program ends when its agents have."""
        self.closing.emit()
        super().closeEvent(event)
