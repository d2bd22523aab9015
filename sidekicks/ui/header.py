"""The line above a conversation: its name, its members with state and context, its commands."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QEvent, QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QToolButton, QWidget

from sidekicks.models import Channel
from sidekicks.ui import icons
from sidekicks.ui.elided import ElidedLabel
from sidekicks.ui.member import MemberChip
from sidekicks.ui.options_menu import add_options
from sidekicks.ui.overview import Activity, Overview
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

HEIGHT = 44
MEMBERS_SHARE = 0.55
LEAST_DESCRIPTION = 80
_SHEET = """
Header { background: $background; border: none; border-bottom: 1px solid $border; }
"""


class Header(QFrame):
    """Shows the overview's channel; says what the user chose, and changes nothing itself."""

    add_member_requested = Signal(str)
    remove_member_requested = Signal(str)
    agent_settings_requested = Signal()
    logs_requested = Signal(str)
    option_chosen = Signal(str, str, object)
    sessions_requested = Signal(str)
    edit_requested = Signal()
    delete_requested = Signal()
    find_requested = Signal()
    export_requested = Signal(str)
    import_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._overview = Overview()
        self._channel: Channel | None = None
        self._title = ElidedLabel(self)
        self._description = ElidedLabel(self)
        self._description.setProperty("tone", "secondary")
        self._description.least = LEAST_DESCRIPTION
        self._members: list[MemberChip] = []
        self._chips = QHBoxLayout()
        self._chips.setSpacing(SIZES.m)
        self._add = QToolButton(self)
        self._more = QToolButton(self)
        self._add.clicked.connect(self._show_add_menu)
        self._more.clicked.connect(self._show_more_menu)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(SIZES.l, 0, SIZES.s, 0)
        layout.setSpacing(SIZES.s)
        layout.addWidget(self._title)
        layout.addWidget(self._description, 1)
        layout.addLayout(self._chips)
        layout.addWidget(self._add)
        layout.addWidget(self._more)
        self._retranslate()
        self.set_theme(theme)
        self.show_overview(self._overview)

    def show_overview(self, overview: Overview) -> None:
        """Takes the shown channel and what goes on in it anew."""
        self._overview = overview
        self._channel = channel = overview.channels.get(overview.shown)
        for widget in (self._title, self._description, self._more):
            widget.setVisible(channel is not None)
        self._add.setVisible(channel is not None and not channel.direct)
        self._title.setText(overview.title(channel).replace("#", "# ", 1) if channel else "")
        self._title.setToolTip(self._title.text())
        self._description.setText(self._described(channel) if channel else "")
        self._description.setToolTip(self._description.text())
        self._show_members(channel.members if channel else ())

    def titles(self) -> tuple[str, list[str]]:
        """The name and, for each member, what its chip says."""
        return self._title.text(), [chip.accessibleName() for chip in self._members]

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.setStyleSheet(sheet(theme, _SHEET))
        self.setFixedHeight(theme.px(HEIGHT))
        self._title.setFont(theme.header_font())
        self._description.setFont(theme.small_font())
        grey, size = theme.color("text_secondary"), theme.px(SIZES.icon)
        icons.dress(self._add, "people", grey, size)
        icons.dress(self._more, "more", grey, size)
        self._show_members(self._channel.members if self._channel else (), rebuild=True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Names the members where there is room."""
        super().resizeEvent(event)
        self._make_room()

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
            self.show_overview(self._overview)
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._add.setToolTip(self.tr("Add an agent to the channel"))
        self._add.setAccessibleName(self.tr("Add an agent"))
        self._more.setToolTip(self.tr("More"))
        self._more.setAccessibleName(self.tr("More"))

    def _described(self, channel: Channel) -> str:
        if channel.direct:
            agent = self._overview.agents.get(channel.direct)
            return agent.description if agent else ""
        return channel.description

    def _show_members(self, members: tuple[str, ...], *, rebuild: bool = False) -> None:
        if rebuild or [chip.agent for chip in self._members] != list(members):
            for chip in self._members:
                self._chips.removeWidget(chip)
                chip.hide()
                chip.deleteLater()
            self._members = [MemberChip(name, self._theme, self) for name in members]
            for chip in self._members:
                chip.clicked.connect(self._show_member_menu)
                self._chips.addWidget(chip)
        activity = self._overview.activity(self._overview.shown) if self._overview.shown else Activity()
        for chip in self._members:
            chip.show_member(
                self._overview.agents.get(chip.agent),
                activity.usage.get(chip.agent),
                activity.titles.get(chip.agent, ""),
            )
        self._make_room()

    def _make_room(self) -> None:
        """Leaves the members' names away where they would take more than their share of the line."""
        direct = self._channel is not None and bool(self._channel.direct)
        wanted = sum(chip.named_width() for chip in self._members)
        for chip in self._members:
            chip.set_named(not direct and wanted <= self.width() * MEMBERS_SHARE)

    def _menu_below(self, button: QWidget) -> tuple[QMenu, QPoint]:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        return menu, button.mapToGlobal(QPoint(0, button.height()))

    @staticmethod
    def _ask_for(wish: SignalInstance, agent: str) -> None:
        wish.emit(agent)

    def _show_add_menu(self) -> None:
        menu, at = self._menu_below(self._add)
        members = self._channel.members if self._channel else ()
        for agent in self._overview.agents.values():
            if agent.name not in members:
                action = menu.addAction(f"{agent.title}  @{agent.name}")
                action.triggered.connect(partial(self._ask_for, self.add_member_requested, agent.name))
        if menu.isEmpty():
            menu.addAction(self.tr("All agents are members")).setEnabled(False)
        menu.addSeparator()
        menu.addAction(self.tr("Configure agents…")).triggered.connect(self.agent_settings_requested)
        menu.popup(at)

    def _show_member_menu(self) -> None:
        chip = self.sender()
        if isinstance(chip, MemberChip):
            menu, at = self._menu_below(chip)
            self.fill_member_menu(menu, chip.agent)
            menu.popup(at)

    def fill_member_menu(self, menu: QMenu, name: str) -> None:
        """What can be done with a member of the conversation."""
        activity = self._overview.activity(self._overview.shown)
        add_options(menu, activity.options.get(name, ()), partial(self._choose_option, name))
        menu.addSeparator()
        sessions = menu.addAction(self.tr("Sessions…"))
        sessions.triggered.connect(partial(self._ask_for, self.sessions_requested, name))
        menu.addAction(self.tr("Logs…")).triggered.connect(partial(self._ask_for, self.logs_requested, name))
        if self._channel is not None and not self._channel.direct:
            remove = menu.addAction(self.tr("Remove from the channel"))
            remove.triggered.connect(partial(self._ask_for, self.remove_member_requested, name))

    def _choose_option(self, agent: str, option: str, value: str | bool) -> None:
        self.option_chosen.emit(agent, option, value)

    def _show_more_menu(self) -> None:
        menu, at = self._menu_below(self._more)
        menu.addAction(self.tr("Find…")).triggered.connect(self.find_requested)
        for text, form in (
            (self.tr("Export as Markdown…"), "markdown"),
            (self.tr("Export as JSON…"), "json"),
        ):
            menu.addAction(text).triggered.connect(partial(self._ask_for, self.export_requested, form))
        menu.addAction(self.tr("Import…")).triggered.connect(self.import_requested)
        menu.addSeparator()
        if self._channel is not None and not self._channel.direct:
            menu.addAction(self.tr("Edit channel…")).triggered.connect(self.edit_requested)
        menu.addAction(self.tr("Delete conversation…")).triggered.connect(self.delete_requested)
        menu.popup(at)
