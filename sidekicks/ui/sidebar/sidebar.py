"""The left part of the window: search, conversations, agents, settings."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from sidekicks.ui import icons
from sidekicks.ui.agents.panel import AgentsPanel
from sidekicks.ui.overview import Overview
from sidekicks.ui.sidebar.delegate import RowDelegate
from sidekicks.ui.sidebar.list import ConversationsList
from sidekicks.ui.sidebar.model import ConversationsModel, Index
from sidekicks.ui.sidebar.rows import Row, moved, rows
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

AGENTS_SHARE = 0.38

_SHEET = """
Sidebar { background: $surface; border: none; }
QListView { background: transparent; border: none; outline: none; }
QLineEdit#search { background: $background; border-color: $border; }
QLineEdit#search:focus { border-color: $accent; }
"""


class Sidebar(QFrame):
    """Shows the overview and says what the user chose; it changes nothing itself but the order.

    `reordered` (tuple of str): the user has put the conversations in another order, to be kept.
    """

    channel_chosen = Signal(str)
    agent_chosen = Signal(str)
    new_channel_requested = Signal()
    rename_requested = Signal(str)
    delete_requested = Signal(str)
    settings_requested = Signal()
    search_requested = Signal(str)
    reordered = Signal(object)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._overview = Overview()
        self._order: tuple[str, ...] = ()
        self._unsaved = False
        self.search_field = QLineEdit(self)
        self.search_field.setObjectName("search")
        self.search_field.setClearButtonEnabled(True)
        self._search_icon = self.search_field.addAction(
            icons.icon("search", theme.color("text_secondary")), QLineEdit.ActionPosition.LeadingPosition
        )
        self._model = ConversationsModel(self)
        self._delegate = RowDelegate(theme, self)
        self._list = self._make_list()
        self._channels = QLabel(self)
        self._channels.setProperty("tone", "secondary")
        self._new = QToolButton(self)
        self._new.clicked.connect(self.new_channel_requested)
        self.agents = AgentsPanel(theme, self)
        self._settings = QToolButton(self)
        self._settings.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._settings.clicked.connect(self.settings_requested)
        self._lay_out()
        self.search_field.textChanged.connect(self._filter)
        self.search_field.returnPressed.connect(self._open_first)
        self.search_field.installEventFilter(self)
        self._retranslate()
        self.set_theme(theme)
        self._filter()

    def _make_list(self) -> ConversationsList:
        view = ConversationsList(self._model, self._theme, self)
        view.setItemDelegate(self._delegate)
        view.setMouseTracking(True)
        view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        view.customContextMenuRequested.connect(self._show_menu)
        view.clicked.connect(self._choose)
        view.chosen.connect(self._choose)
        view.edit_wanted.connect(self._ask_edit)
        view.delete_wanted.connect(self._ask_delete)
        view.moved.connect(self._move)
        return view

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(SIZES.s, SIZES.s, SIZES.s, SIZES.s)
        layout.setSpacing(SIZES.xs)
        layout.addWidget(self.search_field)
        head = QHBoxLayout()
        head.setContentsMargins(SIZES.s, SIZES.s, 0, 0)
        head.addWidget(self._channels)
        head.addStretch(1)
        head.addWidget(self._new)
        layout.addLayout(head)
        layout.addWidget(self._list, 1)
        layout.addWidget(self.agents)
        bottom = QHBoxLayout()
        bottom.addWidget(self._settings)
        bottom.addStretch(1)
        layout.addLayout(bottom)

    def show_overview(self, overview: Overview) -> None:
        """Takes what has changed since the last call."""
        self._overview = overview
        self._delegate.shown = overview.shown
        self._filter()
        self.agents.show_agents(tuple(overview.agents.values()))

    def arrange(self, order: Sequence[str]) -> None:
        """Puts the conversations in the order that `reordered` told once."""
        self._order = tuple(order)
        self._filter()

    def mark_settings(self, *, unsaved: bool) -> None:
        """Says whether something in the settings is not saved: they may not be in sight."""
        self._unsaved = unsaved
        self._name_settings()

    def focus_search(self) -> None:
        """Puts the cursor into the search field (Ctrl+K)."""
        self.search_field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search_field.selectAll()

    def conversations(self) -> list[Row]:
        """The rows that can be opened, from the top."""
        return [row for row in rows(self._overview, order=self._order) if row.kind in ("channel", "direct")]

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.setStyleSheet(sheet(theme, _SHEET))
        grey = theme.color("text_secondary")
        self.search_field.setFont(theme.body_font())
        section = theme.small_font()
        section.setWeight(section.Weight.DemiBold)
        self._channels.setFont(section)
        self._search_icon.setIcon(icons.icon("search", grey, theme.px(SIZES.icon)))
        icons.dress(self._new, "plus", grey, theme.px(SIZES.icon))
        icons.dress(self._settings, "settings", grey, theme.px(SIZES.icon))
        self._settings.setFont(theme.body_font())
        self._delegate.set_theme(theme)
        self._list.theme = theme
        self._list.doItemsLayout()
        self.agents.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves the greater part to the conversations."""
        super().resizeEvent(event)
        self.agents.limit(round(self.height() * AGENTS_SHARE))

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self._list.viewport().update()
        super().changeEvent(event)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Escape leaves the search, Down goes into the list."""
        if (
            watched is self.search_field
            and isinstance(event, QKeyEvent)
            and event.type() == QEvent.Type.KeyPress
        ):
            if event.key() == Qt.Key.Key_Escape:
                self.search_field.clear()
                self._list.setFocus()
                return True
            if event.key() == Qt.Key.Key_Down:
                self._list.setFocus()
                self._list.setCurrentIndex(self._first())
                return True
        return False

    def _retranslate(self) -> None:
        self.search_field.setPlaceholderText(self.tr("Search conversations"))
        self.search_field.setAccessibleName(self.tr("Search conversations"))
        self.search_field.setToolTip(self.tr("Enter searches in all that was said when no name fits"))
        self._channels.setText(self.tr("Channels"))
        self._list.setAccessibleName(self.tr("Conversations"))
        self._new.setToolTip(self.tr("New channel (Ctrl+N)"))
        self._new.setAccessibleName(self.tr("New channel"))
        self._name_settings()

    def _name_settings(self) -> None:
        self._settings.setText(self.tr("Settings (not saved)") if self._unsaved else self.tr("Settings"))

    def _filter(self) -> None:
        current = self._list.currentIndex()
        key = self._model.row(current.row()).key if current.isValid() else None
        self._model.update(rows(self._overview, self.search_field.text(), self._order))
        self._list.viewport().update()
        if key is None or self._list.currentIndex().isValid():
            return
        for number in range(self._model.rowCount()):
            if self._model.row(number).key == key:
                self._list.setCurrentIndex(self._model.index(number))

    def _first(self) -> QModelIndex:
        for number in range(self._model.rowCount()):
            if self._model.flags(self._model.index(number)) & Qt.ItemFlag.ItemIsEnabled:
                return self._model.index(number)
        return QModelIndex()

    def _open_first(self) -> None:
        if (first := self._first()).isValid():
            self._choose(first)
            self.search_field.clear()
        elif words := self.search_field.text().strip():
            self.search_requested.emit(words)
            self.search_field.clear()

    def _choose(self, index: QModelIndex) -> None:
        row = self._model.row(index.row())
        if row.id:
            self.channel_chosen.emit(row.id)
        elif row.agent:
            self.agent_chosen.emit(row.agent.name)

    def _ask_edit(self, index: Index) -> None:
        row = self._model.row(index.row())
        if row.kind == "channel":
            self.rename_requested.emit(row.id)

    def _ask_delete(self, index: Index) -> None:
        if id_ := self._model.row(index.row()).id:
            self.delete_requested.emit(id_)

    def _move(self, number: int, before: int) -> None:
        row, end = self._model.row(number), self._model.like(number)[1]
        like = [one for one in self.conversations() if one.kind == row.kind]
        others = [one.key for one in self.conversations() if one.kind != row.kind]
        keys = moved(like, row, self._model.row(before) if before < end else None)
        self.arrange((*keys, *others))
        self.reordered.emit(self._order)

    def _show_menu(self, at: QPoint) -> None:
        index = self._list.indexAt(at)
        if not index.isValid() or (row := self._model.row(index.row())).kind == "section":
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        first, end = self._model.like(index.row())
        here = QPersistentModelIndex(index)
        for text, step, enabled in (
            (self.tr("Move up"), -1, index.row() > first),
            (self.tr("Move down"), 1, index.row() + 1 < end),
        ):
            action = menu.addAction(text)
            action.setEnabled(enabled)
            action.triggered.connect(partial(self._list.step, here, step))
        menu.addSeparator()
        if row.kind == "channel":
            menu.addAction(self.tr("Edit channel…")).triggered.connect(partial(self._ask_edit, here))
        delete = menu.addAction(self.tr("Delete conversation…"))
        delete.setEnabled(bool(row.id))
        delete.triggered.connect(partial(self._ask_delete, here))
        menu.popup(self._list.viewport().mapToGlobal(at))
