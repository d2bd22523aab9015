"""Definitions of scripted agents, and a service that is not patient with them."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sidekicks.acp.changes import Change, PermissionAsked, TextAdded
from sidekicks.acp.client import AgentClient
from sidekicks.agents.process import Patience
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.events import AgentStateChanged
from sidekicks.models import AgentDefinition, AgentStatus, Limits
from tests.events import Recorder

SCRIPT = Path(__file__).parent / "scripted_agent.py"
QUICK = Patience(end_of_input=0.3, descendants=0.2, signal=0.3, last_words=0.1)


def scripted(name: str, *options: str, **fields: Any) -> AgentDefinition:
    """A scripted agent with options of `tests.scripted_agent`."""
    return AgentDefinition(
        **{
            "name": name,
            "title": name.title(),
            "command": sys.executable,
            "args": (str(SCRIPT), *options),
            **fields,
        }
    )


def command_of(definition: AgentDefinition) -> list[str] | None:
    """What starts it: the command as it stands, unless it is called `missing`."""
    return None if definition.command == "missing" else [definition.command, *definition.args]


class Clock:
    """Seconds, and the time of day with them, that rise when a test says so."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def time_of_day(self) -> datetime:
        return datetime(2026, 12, 1, tzinfo=UTC) + timedelta(seconds=self.now)


class Listener:
    """Keeps what an agent says."""

    def __init__(self) -> None:
        self.text = ""
        self.said = asyncio.Event()

    def changed(self, change: Change) -> None:
        if isinstance(change, TextAdded):
            self.text += change.text
            self.said.set()

    async def asked(self, question: PermissionAsked) -> str | None:
        del question
        return None


class Setting:
    """A service with agents, and what it tells."""

    def __init__(
        self,
        clock: Clock,
        patience: Patience = QUICK,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.clock = clock
        self.bus = Bus()
        self.recorder = Recorder(self.bus)
        self.service = AgentService(
            self.bus, command_of, clock=clock, now=clock.time_of_day, sleep=sleep, patience=patience
        )

    def apply(self, *definitions: AgentDefinition, limit: int = 4, idle: float = 0) -> None:
        limits = Limits(max_running_agents=limit, stop_idle_agents_after=idle)
        self.service.apply(definitions, limits)

    def status(self, name: str) -> AgentStatus:
        return next(status for status in self.service.list() if status.name == name)

    def states(self, name: str) -> list[str]:
        """The states that were told, each once in a row."""
        told = [event.state for event in self.recorder.of(AgentStateChanged) if event.agent == name]
        return [state for at, state in enumerate(told) if at == 0 or told[at - 1] != state]

    async def until(self, name: str, state: str) -> AgentStateChanged:
        return await self.recorder.until(AgentStateChanged, lambda e: (e.agent, e.state) == (name, state))


async def prompt(client: AgentClient, text: str, listener: Listener | None = None) -> str:
    session = await client.new_session(str(Path.home()), (), listener or Listener())
    return await session.prompt(text)


def pid_in(path: Path) -> int:
    return int(path.read_text())
