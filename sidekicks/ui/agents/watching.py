"""Keeps the dock in step with the agent that it shows."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from sidekicks.events import AgentLog, AgentStateChanged, Event
from sidekicks.models import Resources
from sidekicks.ui.agents.dock import AgentDock
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.theme import Theme
from sidekicks.ui.workspace import Workspace

if TYPE_CHECKING:
    from sidekicks.core import Core


class Watching(QObject):
    """Made when an agent's logs are wanted first."""

    def __init__(self, core: Core, window: MainWindow, workspace: Workspace, theme: Theme) -> None:
        super().__init__(window)
        self._core = core
        self._workspace = workspace
        self._before: tuple[float, float] | None = None
        self.dock = AgentDock(theme, window)
        window.add_dock(self.dock)
        self.dock.hide()
        self.dock.looked.connect(self._measure)
        self.dock.closed.connect(self.dock.hide)
        workspace.happened.connect(self._follow)

    def show(self, agent: str) -> None:
        """Shows an agent's logs."""
        self._before = None
        self._workspace.catch_up()
        agents = self._core.agents
        title = self._workspace.overview.agent_title(agent)
        self.dock.show_agent(agent, title, agents.logs(agent), agents.protocol_log(agent))
        self.dock.show()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.dock.set_theme(theme)

    def _follow(self, event: Event) -> None:
        match event:
            case AgentLog(agent=self.dock.agent):
                self.dock.add(event.line)
            case AgentStateChanged(agent=self.dock.agent) if event.state in ("stopped", "error"):
                self._before = None
                self.dock.show_stopped()
            case _:
                pass

    def _measure(self) -> None:
        agent = self.dock.agent
        if not self.dock.isVisible() or agent not in self._workspace.overview.agents:
            return

        async def measure() -> Resources | None:
            return await self._core.agents.resources(agent)

        def measured(used: Resources | None) -> None:
            if agent != self.dock.agent or used is None:
                return
            now, share = time.monotonic(), None
            if self._before is not None and now > self._before[0]:
                share = max(0.0, (used.cpu - self._before[1]) / (now - self._before[0]))
            self._before = (now, used.cpu)
            self.dock.show_resources(used.memory, share)

        self._workspace.run_quietly("measure an agent", measure, measured)
