"""A core in memory for tests of the window: real models and events, no processes and no store."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from datetime import UTC, datetime

import msgspec

from sidekicks import events
from sidekicks.bus import Bus
from sidekicks.ids import Ids
from sidekicks.models import (
    AgentStatus,
    Channel,
    Command,
    Conversation,
    Message,
    Page,
    PermissionRequest,
    Problem,
    TextPart,
    Usage,
)

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


class RefusedError(Exception):
    """What the stand-in raises where the real services refuse."""


@dataclass
class StandInConfig:
    path: str = "/nowhere/sidekicks.yaml"
    source: str = "flag"
    created: bool = False
    valid: bool = True
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()
    theme: str = "light"
    language: str = "en"
    history_problem: str = ""

    def current(self) -> StandInConfig:
        return self


@dataclass
class StandInAgents:
    bus: Bus
    agents: dict[str, AgentStatus]
    lines: dict[str, list[str]] = field(default_factory=dict)

    def list(self) -> tuple[AgentStatus, ...]:
        return tuple(self.agents.values())

    def definition(self, name: str) -> None:
        return None

    def logs(self, name: str) -> tuple[str, ...]:
        return tuple(self.lines.get(name, ()))

    def become(self, name: str, state: str, error: str = "", outdated: bool = False) -> None:
        self.agents[name] = msgspec.structs.replace(
            self.agents[name], state=state, error=error, outdated=outdated
        )
        self.bus.publish(events.AgentStateChanged(agent=name, state=state, error=error, outdated=outdated))

    async def start(self, name: str) -> None:
        self.become(name, "ready")

    async def stop(self, name: str) -> None:
        self.become(name, "stopped")

    async def restart(self, name: str) -> None:
        self.become(name, "stopped")
        self.become(name, "ready")


@dataclass
class Room:
    channel: Channel
    messages: list[Message] = field(default_factory=list)
    busy: bool = False
    queued: int = 0
    usage: dict[str, Usage] = field(default_factory=dict)
    permissions: list[PermissionRequest] = field(default_factory=list)


@dataclass
class StandInChannels:
    bus: Bus
    ids: Ids = field(default_factory=Ids)
    rooms: dict[str, Room] = field(default_factory=dict)
    refuse: str = ""
    announced: dict[str, tuple[Command, ...]] = field(default_factory=dict)
    cancelled: list[str] = field(default_factory=list)
    answered: list[tuple[str, str]] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)
    elicited: list[tuple[str, str, object]] = field(default_factory=list)
    held: dict[str, asyncio.Event] = field(default_factory=dict)

    def list(self) -> tuple[Channel, ...]:
        return tuple(room.channel for room in self.rooms.values())

    def put(self, **fields: object) -> Channel:
        channel = Channel(id=self.ids.new(), **fields)
        self.rooms[channel.id] = Room(channel)
        return channel

    def say(self, channel: str, text: str, role: str = "agent", agent: str = "mm") -> Message:
        message = Message(
            id=self.ids.new(),
            channel=channel,
            created_at=NOON,
            role=role,
            agent=agent if role == "agent" else "",
            parts=(TextPart(text=text),),
            stop_reason="end_turn" if role == "agent" else None,
        )
        self.rooms[channel].messages.append(message)
        self.bus.publish(events.MessageUpdated(channel=channel, message=message))
        if role == "agent":
            self._count(channel, self.counts.get(channel, 0) + 1)
        return message

    def _count(self, channel: str, unread: int) -> None:
        self.counts[channel] = unread
        self.bus.publish(events.UnreadChanged(channel=channel, unread=unread, last_read=""))

    def unread(self) -> dict[str, int]:
        return self.counts

    async def mark_read(self, id_: str) -> None:
        self._count(id_, 0)

    def _check(self) -> None:
        if self.refuse:
            raise RefusedError(self.refuse)

    def _changed(self) -> None:
        self.bus.publish(events.ChannelsChanged(channels=self.list()))

    def _replace(self, id_: str, **fields: object) -> None:
        room = self.rooms[id_]
        room.channel = msgspec.structs.replace(room.channel, **fields)
        self._changed()

    async def create(self, name: str, description: str = "", cwd: str = "") -> Channel:
        self._check()
        channel = self.put(name=name, description=description, cwd=cwd)
        self._changed()
        return channel

    async def direct(self, agent: str) -> Channel:
        self._check()
        channel = self.put(direct=agent, members=(agent,))
        self._changed()
        return channel

    async def rename(self, id_: str, name: str, description: str) -> None:
        self._check()
        self._replace(id_, name=name, description=description)

    async def set_cwd(self, id_: str, cwd: str) -> None:
        self._replace(id_, cwd=cwd)

    async def delete(self, id_: str) -> None:
        del self.rooms[id_]
        self._changed()

    async def add_member(self, id_: str, agent: str) -> None:
        self._replace(id_, members=(*self.rooms[id_].channel.members, agent))

    async def remove_member(self, id_: str, agent: str) -> None:
        members = tuple(name for name in self.rooms[id_].channel.members if name != agent)
        self._replace(id_, members=members)

    async def send(self, id_: str, text: str, attachments: object = ()) -> str:
        self._check()
        return self.say(id_, text, "user").id

    async def cancel(self, id_: str) -> None:
        self.cancelled.append(id_)
        self.bus.publish(events.TurnChanged(channel=id_, busy=False, queued=0, answering=""))

    async def answer_permission(self, permission: str, option: str) -> None:
        self.answered.append((permission, option))

    async def answer_elicitation(self, elicitation: str, action: str, values: object = None) -> None:
        self._check()
        self.elicited.append((elicitation, action, values))
        self.bus.publish(events.ElicitationResolved(id=elicitation, channel=""))

    async def conversation(self, id_: str) -> Conversation:
        room = self.rooms[id_]
        if id_ in self.held:
            await self.held[id_].wait()
        return Conversation(
            channel=room.channel,
            messages=tuple(room.messages),
            more=False,
            busy=room.busy,
            queued=room.queued,
            answering="",
            usage=room.usage,
            permissions=tuple(room.permissions),
        )

    async def older(self, id_: str, before_id: str) -> Page:
        return Page(messages=(), more=False)

    def commands(self, agent: str) -> tuple[Command, ...]:
        return self.announced.get(agent, ())

    async def prepare(self, id_: str) -> None:
        pass


class StandInCore:
    """Two agents, one channel and a direct conversation, unless told otherwise."""

    refusals = (RefusedError,)
    keeps_history = True

    def __init__(self) -> None:
        self.events = Bus()
        self.config = StandInConfig()
        self.agents = StandInAgents(
            self.events,
            {
                "mm": AgentStatus(
                    name="mm",
                    title="Mini Me",
                    icon="🤖",
                    description="The bundled agent for local models",
                    state="ready",
                ),
                "codex": AgentStatus(
                    name="codex", title="Codex", icon="🦊", description="Writes code", state="stopped"
                ),
            },
        )
        self.channels = StandInChannels(self.events)
