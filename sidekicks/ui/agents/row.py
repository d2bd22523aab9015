"""One agent of the panel: icon, title, state in words, buttons, and in one line what is wrong."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from sidekicks.models import AgentStatus
from sidekicks.ui import icons
from sidekicks.ui.agents.icon import agent_pixmap
from sidekicks.ui.agents.words import STATE_ICONS, STATE_TOKENS, state_word
from sidekicks.ui.elided import ElidedLabel
from sidekicks.ui.theme import SIZES, Theme

WIDE = 200


class AgentRow(QWidget):
    """Shows one agent's status; says which button was pressed with the agent's name."""

    start_requested = Signal(str)
    stop_requested = Signal(str)
    restart_requested = Signal(str)
    logs_requested = Signal(str)
    settings_requested = Signal(str)
    login_requested = Signal(str)

    def __init__(self, agent: AgentStatus, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._agent = agent
        self._theme = theme
        self._icon = QLabel(self)
        self._title = ElidedLabel(self)
        self._state_icon = QLabel(self)
        self._state = QLabel(self)
        self._switch = QToolButton(self)
        self._restart = QToolButton(self)
        self._note = ElidedLabel(self)
        self._switch.clicked.connect(self._press_switch)
        self._restart.clicked.connect(self._press_restart)
        self.sign_in = QPushButton(self)
        self.sign_in.setProperty("role", "link")
        self.sign_in.clicked.connect(self._press_login)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.customContextMenuRequested.connect(self._show_menu)
        self._lay_out()
        self.set_theme(theme)

    def _lay_out(self) -> None:
        self._title.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        buttons = QHBoxLayout()
        buttons.setSpacing(0)
        buttons.addWidget(self._restart)
        buttons.addWidget(self._switch)
        layout = QGridLayout(self)
        layout.setContentsMargins(SIZES.s, 0, 0, 0)
        layout.setHorizontalSpacing(SIZES.xs)
        layout.setVerticalSpacing(0)
        layout.addWidget(self._icon, 0, 0)
        layout.addWidget(self._title, 0, 1)
        layout.addWidget(self._state_icon, 0, 2)
        layout.addWidget(self._state, 0, 3)
        layout.addLayout(buttons, 0, 4)
        layout.addWidget(self._note, 1, 1, 1, 4)
        layout.addWidget(self.sign_in, 2, 1, 1, 4, Qt.AlignmentFlag.AlignLeft)
        layout.setColumnStretch(1, 1)

    def show_agent(self, agent: AgentStatus) -> None:
        """Takes the agent's status anew."""
        if agent != self._agent:
            self._agent = agent
            self._refresh()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self._title.setFont(theme.body_font())
        self._state.setFont(theme.small_font())
        self._note.setFont(theme.small_font())
        self.sign_in.setFont(theme.small_font())
        grey = theme.color("text_secondary")
        icons.dress(self._restart, "restart", grey, theme.px(SIZES.icon))
        self._refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leaves the state's word to the tooltip where the row is narrow."""
        super().resizeEvent(event)
        self._make_room()

    def _make_room(self) -> None:
        is_wide = self.width() >= self._theme.px(WIDE)
        self._state.setVisible(is_wide)
        policy = self._restart.sizePolicy()
        if policy.retainSizeWhenHidden() != is_wide:
            policy.setRetainSizeWhenHidden(is_wide)
            self._restart.setSizePolicy(policy)

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._refresh()
        super().changeEvent(event)

    def _refresh(self) -> None:
        agent, theme, ratio = self._agent, self._theme, self.devicePixelRatioF()
        self._icon.setPixmap(agent_pixmap(agent, theme, theme.px(SIZES.icon), ratio))
        self._title.setText(agent.title)
        self._title.setToolTip(agent.description or agent.title)
        token = STATE_TOKENS[agent.state]
        self._state_icon.setPixmap(
            icons.pixmap(STATE_ICONS[agent.state], theme.color(token), theme.px(12), ratio)
        )
        self._state.setText(state_word(agent.state))
        self._state_icon.setToolTip(state_word(agent.state))
        self._state.setStyleSheet(f"color: {theme.color(token).name()}")
        self._show_note()
        self._show_buttons()
        self._make_room()
        self.setAccessibleName(f"{agent.title}: {state_word(agent.state)}")

    def _show_note(self) -> None:
        agent = self._agent
        text, color = "", self._theme.color("danger")
        if agent.state == "error":
            text = agent.error
        elif agent.outdated:
            text, color = self.tr("restart to apply changes"), self._theme.color("warning")
        self._note.setText(next((line for line in text.splitlines() if line.strip()), ""))
        self._note.setToolTip(text)
        self._note.setStyleSheet(f"color: {color.name()}")
        self._note.setVisible(bool(text))

    def _show_buttons(self) -> None:
        stopped = self._agent.state in ("stopped", "error")
        name = self.tr("Start") if stopped else self.tr("Stop")
        grey = self._theme.color("text_secondary")
        icons.dress(self._switch, "play" if stopped else "stop", grey, self._theme.px(SIZES.icon))
        self._switch.setToolTip(name)
        self._switch.setAccessibleName(f"{name}: {self._agent.title}")
        self._restart.setToolTip(self.tr("Restart"))
        self._restart.setAccessibleName(f"{self.tr('Restart')}: {self._agent.title}")
        self._restart.setVisible(self._agent.outdated or self._agent.state == "ready")
        self.sign_in.setText(self.tr("Sign in…"))
        self.sign_in.setAccessibleName(f"{self.tr('Sign in…')} {self._agent.title}")
        self.sign_in.setVisible(bool(self._agent.logins))

    def _press_switch(self) -> None:
        stopped = self._agent.state in ("stopped", "error")
        (self.start_requested if stopped else self.stop_requested).emit(self._agent.name)

    def _press_restart(self) -> None:
        self.restart_requested.emit(self._agent.name)

    def _press_logs(self) -> None:
        self.logs_requested.emit(self._agent.name)

    def _press_login(self) -> None:
        self.login_requested.emit(self._agent.name)

    def _press_settings(self) -> None:
        self.settings_requested.emit(self._agent.name)

    def menu(self) -> QMenu:
        """What can be done with the agent."""
        menu = QMenu(self)
        stopped = self._agent.state in ("stopped", "error")
        for text, slot, enabled in (
            (self.tr("Start"), self._press_switch, stopped),
            (self.tr("Stop"), self._press_switch, not stopped),
            (self.tr("Restart"), self._press_restart, True),
            (self.tr("Logs…"), self._press_logs, True),
            (self.tr("Settings…"), self._press_settings, True),
        ):
            action = menu.addAction(text)
            action.setEnabled(enabled)
            action.triggered.connect(slot)
        return menu

    def _show_menu(self, at: QPoint) -> None:
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.mapToGlobal(at))
