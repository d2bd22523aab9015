"""A channel service over real agents and a real store."""

from __future__ import annotations

import asyncio

from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.service import ChannelService
from sidekicks.events import MessageDelta, MessageUpdated, TurnChanged
from sidekicks.history.port import History
from sidekicks.models import AgentDefinition, Limits, Message, TextPart
from tests.agents import QUICK, command_of
from tests.events import Recorder

CANCEL_SECONDS = 0.4


class Talk:
    """The core's parts, and what a test says to them."""

    def __init__(self, history: History, *, silent_seconds: float = 60.0) -> None:
        self.bus = Bus()
        self.recorder = Recorder(self.bus)
        self.history = history
        self.agents = AgentService(self.bus, command_of, patience=QUICK)
        self.channels = ChannelService(
            self.bus,
            self.agents,
            history,
            cancel_seconds=CANCEL_SECONDS,
            silent_seconds=silent_seconds,
        )

    def configure(self, *definitions: AgentDefinition, limit: int = 8) -> None:
        self.agents.apply(definitions, Limits(max_running_agents=limit))

    async def channel(self, *members: str, name: str = "main") -> str:
        """A channel with members; its id."""
        channel = await self.channels.create(name)
        for member in members:
            await self.channels.add_member(channel.id, member)
        return channel.id

    async def ask(self, channel: str, text: str) -> Message:
        """Sends `text` and waits until the channel is free; the last message of an agent or the system."""
        since = len(self.recorder.events)
        await self.channels.send(channel, text)
        await self.free(channel, since)
        return (await self.messages(channel))[-1]

    async def free(self, channel: str, since: int = 0) -> None:
        """Waits until the channel has become free after the event number `since`."""
        await self.recorder.until(
            TurnChanged, lambda event: event.channel == channel and not event.busy, since=since
        )

    async def begun(self, channel: str, text: str) -> str:
        """Sends `text` and waits until the agent has said a word; the id of its answer."""
        since = len(self.recorder.events)
        await self.channels.send(channel, text)
        return await self.said(channel, since)

    async def said(self, channel: str, since: int = 0) -> str:
        delta = await self.recorder.until(MessageDelta, lambda event: event.channel == channel, since=since)
        return delta.message_id

    async def messages(self, channel: str) -> tuple[Message, ...]:
        return (await self.channels.conversation(channel)).messages

    async def done(self, message: str) -> Message:
        event = await self.recorder.until(
            MessageUpdated, lambda event: event.message.id == message and event.message.done
        )
        return event.message

    async def close(self) -> None:
        async with asyncio.timeout(20):
            await self.channels.close()
            await self.agents.close()
            await self.history.close()


def text_of(message: Message) -> str:
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))
