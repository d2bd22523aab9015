"""The core's parts for tests: scripted agents as real processes, a history in memory, short patience."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from sidekicks.agents.process import Patience
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.service import ChannelService
from sidekicks.events import Event, MessageUpdated, TurnChanged
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.port import History
from sidekicks.models import AgentDefinition, AgentStatus, Limits, Message, TextPart

SCRIPTED = Path(__file__).with_name("scripted_agent.py")
QUICK = Patience(end_of_input=0.4, descendants=0.2, signal=0.4)


def scripted(name: str, *options: str, **fields: object) -> AgentDefinition:
    """An agent that runs the scripted program with these options."""
    definition = AgentDefinition(
        name=name, title=name.title(), command=sys.executable, args=(str(SCRIPTED), *options)
    )
    return msgspec.structs.replace(definition, **fields)


class Clock:
    """Seconds that rise when a test says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Events:
    """Every event of a bus, and waiting for one."""

    def __init__(self, bus: Bus) -> None:
        self.all: list[Event] = []
        self._changed = asyncio.Event()
        bus.listen(self._take)

    def _take(self, event: Event) -> None:
        self.all.append(event)
        self._changed.set()

    async def until(self, wanted: Callable[[Event], bool], after: int = 0) -> Event:
        """The first event like that, from the `after`th on, perhaps already there."""
        async with asyncio.timeout(20):
            while True:
                for event in self.all[after:]:
                    if wanted(event):
                        return event
                self._changed.clear()
                await self._changed.wait()


class Parts:
    """Agents and channels on one bus."""

    def __init__(self, bus: Bus, history: History, agents: AgentService, channels: ChannelService) -> None:
        self.bus = bus
        self.history = history
        self.agents = agents
        self.channels = channels
        self.events = Events(bus)

    def agent(self, name: str) -> AgentStatus:
        """How an agent is."""
        return next(status for status in self.agents.list() if status.name == name)

    async def say(self, channel: str, text: str) -> list[Message]:
        """Sends a message and waits for the channel; the messages after it."""
        before = len(self.events.all)
        sent = await self.channels.send(channel, text)
        await self.free(channel, before)
        messages = (await self.channels.conversation(channel)).messages
        return [message for message in messages if message.id > sent]

    async def free(self, channel: str, after: int = 0) -> None:
        """Waits until the channel answers no more."""
        await self.events.until(
            lambda event: isinstance(event, TurnChanged) and event.channel == channel and not event.busy,
            after,
        )

    async def spoken(self, word: str) -> None:
        """Waits until an agent has begun an answer with this word in it."""
        await self.events.until(lambda event: word in getattr(event, "text", ""))

    async def answering(self) -> Message:
        """Waits until an answer has begun."""
        found = await self.events.until(
            lambda event: isinstance(event, MessageUpdated) and event.message.role == "agent"
        )
        assert isinstance(found, MessageUpdated)
        return found.message


@asynccontextmanager
async def parts(
    *definitions: AgentDefinition,
    limits: Limits = Limits(),  # noqa: B008 - frozen
    patience: Patience = QUICK,
    clock: Callable[[], float] | None = None,
    history: History | None = None,
    cancel_seconds: float = 0.5,
    silent_seconds: float = 60.0,
) -> AsyncGenerator[Parts]:
    """Agents and channels; at the end everything is closed and no task may be left."""
    bus = Bus()
    keep = history or MemoryHistory()
    agents = AgentService(
        bus,
        lambda definition: [definition.command, *definition.args],
        clock=clock or asyncio.get_running_loop().time,
        environment=os.environ,
        patience=patience,
    )
    agents.apply(definitions, limits)
    channels = ChannelService(bus, agents, keep, cancel_seconds=cancel_seconds, silent_seconds=silent_seconds)
    await channels.load()
    try:
        yield Parts(bus, keep, agents, channels)
    finally:
        await channels.close()
        await agents.close()


def text_of(message: Message) -> str:
    """What a message says."""
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))


def number_in(text: str) -> int:
    """The first number of a text."""
    found = re.search(r"\d+", text)
    assert found is not None, text
    return int(found[0])
