"""One message to a channel of real agents, and what comes of it."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress
from dataclasses import dataclass, field

from sidekicks.channels.errors import ChannelError
from sidekicks.core import Core
from sidekicks.events import MessageDelta, MessageUpdated, PermissionRequested, TurnChanged
from sidekicks.models import Message, PermissionKind, TextPart, ToolPart

PATIENCE = 300.0
"""Seconds for one exchange: a model on this machine may be slow, and `npx` downloads an agent first."""


@dataclass
class Exchange:
    """What came of a message; `words` are the times at which more of the answer's text came."""

    answers: list[Message] = field(default_factory=list[Message])
    notes: list[Message] = field(default_factory=list[Message])
    asked: list[PermissionRequested] = field(default_factory=list[PermissionRequested])
    words: list[float] = field(default_factory=list[float])
    stopped_in: float = 0.0

    @property
    def tools(self) -> list[ToolPart]:
        """All tool calls."""
        return [part for answer in self.answers for part in answer.parts if isinstance(part, ToolPart)]


async def exchange(
    core: Core, channel: str, text: str, *, permission: PermissionKind = "allow_once", stop: bool = False
) -> Exchange:
    """Sends `text` and waits for the end; gives that `permission` whenever asked; with `stop`, stops the
    answer at its first word."""
    result = Exchange()
    async with asyncio.timeout(PATIENCE), core.events.subscribe() as events:
        await core.channels.send(channel, text)
        async for event in events:
            match event:
                case MessageDelta(kind="text", channel=where) if where == channel:
                    result.words.append(time.monotonic())
                    if stop and len(result.words) == 1:
                        began = time.monotonic()
                        await core.channels.cancel(channel)
                        result.stopped_in = time.monotonic() - began
                case MessageUpdated(channel=where, message=message) if where == channel and message.done:
                    {"agent": result.answers, "system": result.notes}.get(message.role, []).append(message)
                case PermissionRequested(channel=where) if where == channel:
                    result.asked.append(event)
                    option = next(one for one in event.options if one.kind == permission)
                    with suppress(ChannelError):  # the agent changed the call: it is asked about anew
                        await core.channels.answer_permission(event.id, option.option_id)
                case TurnChanged(channel=where, busy=False) if where == channel:
                    return result
                case _:
                    pass
    raise AssertionError("the events ended")


def text_of(message: Message) -> str:
    """What a message says."""
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))
