"""The agents at the bottom of the sidebar: who runs, who does not, and why."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QVBoxLayout, QWidget

from sidekicks.models import AgentStatus
from sidekicks.ui.agents.row import AgentRow
from sidekicks.ui.theme import SIZES, Theme


class AgentsPanel(QWidget):
    """One row per agent, in the order of the configuration; higher than the limit it scrolls."""

    start_requested = Signal(str)
    stop_requested = Signal(str)
    restart_requested = Signal(str)
    logs_requested = Signal(str)
    login_requested = Signal(str)
    settings_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._limit = 0
        self._rows: dict[str, AgentRow] = {}
        self._title = QLabel(self)
        self._title.setProperty("tone", "secondary")
        self._holder = QWidget()
        self._list = QVBoxLayout(self._holder)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(SIZES.xs)
        self._scroll = QScrollArea(self)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._holder)
        self._scroll.setStyleSheet(
            "QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; }"
        )
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, SIZES.s, 0, SIZES.s)
        layout.setSpacing(SIZES.xs)
        layout.addWidget(self._title)
        layout.addWidget(self._scroll)
        self._title.setContentsMargins(SIZES.s, 0, 0, 0)
        self._retranslate()

    def row(self, agent: str) -> AgentRow:
        """The row of an agent."""
        return self._rows[agent]

    def show_agents(self, agents: Sequence[AgentStatus]) -> None:
        """Shows exactly these agents."""
        if [agent.name for agent in agents] != list(self._rows):
            self._rebuild(agents)
        for agent in agents:
            self._rows[agent.name].show_agent(agent)
        self.setVisible(bool(agents))
        self._fit()

    def limit(self, height: int) -> None:
        """Takes at most so many pixels for the rows."""
        self._limit = height
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        font = theme.small_font()
        font.setWeight(font.Weight.DemiBold)
        self._title.setFont(font)
        for row in self._rows.values():
            row.set_theme(theme)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._title.setText(self.tr("Agents"))

    def _rebuild(self, agents: Sequence[AgentStatus]) -> None:
        for row in self._rows.values():
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self._rows = {}
        for agent in agents:
            row = AgentRow(agent, self._theme, self._holder)
            row.start_requested.connect(self.start_requested)
            row.stop_requested.connect(self.stop_requested)
            row.restart_requested.connect(self.restart_requested)
            row.logs_requested.connect(self.logs_requested)
            row.login_requested.connect(self.login_requested)
            row.settings_requested.connect(self.settings_requested)
            self._list.addWidget(row)
            # Qt would show it later, and until then the list has no height for it.
            row.show()
            self._rows[agent.name] = row

    def _fit(self) -> None:
        self._list.activate()
        wanted = self._holder.sizeHint().height()
        self._scroll.setFixedHeight(min(wanted, self._limit) if self._limit else wanted)
