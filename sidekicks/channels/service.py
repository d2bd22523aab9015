"""Channels: who is in them, what was said, and what happens to a message that is sent."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from sidekicks.acp.errors import AgentFailureError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.answering import CANCEL_SECONDS, Answering
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.room import Room
from sidekicks.channels.routing import Route, route
from sidekicks.events import ChannelsChanged, MessageUpdated
from sidekicks.history.port import History, HistoryError
from sidekicks.ids import Ids
from sidekicks.models import Channel, Command, Conversation, Message, Page, TextPart
from sidekicks.tasks import Tasks

log = logging.getLogger(__name__)

NAME_LIMIT = 64
"""Characters of a channel's name."""


class ChannelService:
    """All channels. What it refuses it says with a `ChannelError` of one sentence."""

    def __init__(
        self,
        bus: Bus,
        agents: AgentService,
        history: History,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        cancel_seconds: float = CANCEL_SECONDS,
    ) -> None:
        self._bus = bus
        self._agents = agents
        self._history = history
        self._now = now
        self._ids = Ids(history.newest_id)
        self._answering = Answering(bus, agents, history, self._ids, now=now, cancel_seconds=cancel_seconds)
        self._rooms: dict[str, Room] = {}
        self._tasks = Tasks()

    async def load(self) -> None:
        """Reads what the history has of channels and commands."""
        self._rooms = {channel.id: Room(channel) for channel in await self._history.channels()}
        self._answering.commands.update(await self._history.commands())

    async def close(self) -> None:
        """Ends all answers; one that is cut off is not kept."""
        await self._tasks.close()
        await self._answering.close()

    # -- channels and members ------------------------------------------------------------------------

    def list(self) -> tuple[Channel, ...]:
        """All channels and direct conversations, oldest first."""
        return tuple(self._rooms[channel].channel for channel in sorted(self._rooms))

    async def create(self, name: str, description: str = "", cwd: str = "") -> Channel:
        """A new channel. A name that is empty, too long or taken is refused."""
        channel = Channel(
            id=self._ids.new(), name=self._free_name(name), description=description.strip(), cwd=_folder(cwd)
        )
        return await self._add(channel)

    async def direct(self, agent: str) -> Channel:
        """The direct conversation with an agent, made the first time."""
        for channel in self.list():
            if channel.direct == agent:
                return channel
        self._check_agent(agent)
        return await self._add(Channel(id=self._ids.new(), direct=agent, members=(agent,)))

    async def rename(self, channel_id: str, name: str, description: str) -> None:
        """Renames a channel; a direct conversation has no name."""
        room = self._room(channel_id)
        self._check_named(room, "renamed")
        await self._change(room, name=self._free_name(name, room), description=description.strip())

    async def set_cwd(self, channel_id: str, cwd: str) -> None:
        """Another working folder; the agents get new sessions there."""
        room = self._room(channel_id)
        await self._change(room, cwd=_folder(cwd))
        for agent in tuple(room.sessions):
            self._answering.leave(room, agent)
        for agent, member in (await self._history.members(channel_id)).items():
            if member.session_id:
                await self._history.delete_member(channel_id, agent)

    async def delete(self, channel_id: str) -> None:
        """Stops a channel's answers and deletes it with everything that was said in it."""
        room = self._room(channel_id)
        del self._rooms[channel_id]  # nobody can send anything from here on
        await self._stop(room)
        try:
            await self._history.delete_channel(channel_id)
        except HistoryError as error:
            self._rooms[channel_id] = room
            raise ChannelError(str(error)) from error
        self._answering.forget(room)
        self._tell_channels()

    async def add_member(self, channel_id: str, agent: str) -> None:
        """Invites an agent."""
        room = self._room(channel_id)
        self._check_named(room, "joined by another agent")
        self._check_agent(agent)
        if agent in room.channel.members:
            raise ChannelError(f"{agent} is in the channel already")
        await self._join(room, agent)

    async def remove_member(self, channel_id: str, agent: str) -> None:
        """Takes an agent out of a channel; an answer of it is stopped first."""
        room = self._room(channel_id)
        self._check_named(room, "left by its agent")
        if agent not in room.channel.members:
            raise ChannelError(f"{agent} is not in the channel")
        if room.answering == agent:
            await self.cancel(channel_id)
        self._answering.leave(room, agent)
        await self._history.delete_member(channel_id, agent)
        await self._change(room, members=tuple(name for name in room.channel.members if name != agent))
        await self._answering.note(channel_id, "agent-left", agent)

    # -- what is said --------------------------------------------------------------------------------

    async def send(self, channel_id: str, text: str) -> str:
        """Adds a message of the user, which is on disk when this returns; its id.

        While the channel answers, the message waits; it is kept when its turn comes.
        """
        room = self._room(channel_id)
        if not text.strip():
            raise ChannelError("an empty message can't be sent")
        message = Message(
            id=self._ids.new(),
            channel=channel_id,
            created_at=self._now(),
            role="user",
            parts=(TextPart(text=text),),
            queued=room.busy,
        )
        if room.busy:
            room.queue.append(message)
            self._publish(message)
            self._answering.tell(room)
            return message.id
        room.busy = True
        room.idle.clear()
        try:
            await self._history.put_message(message)
        except BaseException as error:  # whoever sends may also be cancelled meanwhile
            self._begin(room)
            if isinstance(error, HistoryError):
                raise ChannelError(str(error)) from error
            raise
        self._publish(message)
        room.queue.appendleft(message)
        self._begin(room)
        return message.id

    async def cancel(self, channel_id: str) -> None:
        """Stops the answer that runs, those that were to follow and the waiting messages.

        Returns when the channel is free again: at most some 10 s later, whatever the agent does.
        """
        await self._stop(self._room(channel_id))

    async def _stop(self, room: Room) -> None:
        if not room.busy:
            return
        waiting = [message for message in room.queue if message.queued]
        room.queue.clear()
        room.stopping.set()
        self._answering.permissions.cancel(lambda request: request.channel == room.channel.id)
        for message in waiting:
            self._publish(msgspec.structs.replace(message, queued=False, error="cancelled"))
        self._answering.tell(room)
        await room.idle.wait()

    async def answer_permission(self, permission_id: str, option_id: str) -> None:
        """Answers a pending request with one of its options."""
        self._answering.permissions.answer(permission_id, option_id)

    async def conversation(self, channel_id: str) -> Conversation:
        """A channel with its last 100 messages and what is going on in it."""
        room = self._room(channel_id)
        page = await self._history.page(channel_id)
        stored = {message.id for message in page.messages}
        unfinished = [message for message in room.unfinished() if message.id not in stored]
        return Conversation(
            channel=room.channel,
            messages=tuple(sorted((*page.messages, *unfinished), key=lambda message: message.id)),
            more=page.more,
            busy=room.busy,
            queued=room.waiting,
            answering=room.answering,
            usage=dict(room.usage),
            permissions=self._answering.permissions.of(channel_id),
            waiting_for=room.waiting_for,
        )

    async def older(self, channel_id: str, before_id: str) -> Page:
        """The 100 messages before a message."""
        self._room(channel_id)
        return await self._history.page(channel_id, before_id)

    def commands(self, agent: str) -> tuple[Command, ...]:
        """The commands that an agent announced last, in this run or a former one."""
        return self._answering.commands.get(agent, ())

    async def prepare(self, channel_id: str) -> None:
        """Opens sessions of the members that have never announced commands.

        Those that answer elsewhere are left alone, and those that failed: only the user starts them again.
        """
        room = self._room(channel_id)
        configured = {status.name for status in self._agents.list() if status.state != "error"}
        members = [
            agent
            for agent in room.channel.members
            if agent in configured
            and agent not in self._answering.commands
            and not self._answering.is_elsewhere(agent)
        ]
        results = await asyncio.gather(
            *(self._answering.prepare(room, agent) for agent in members), return_exceptions=True
        )
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, AgentFailureError):
                raise result

    # -- the work on a channel's messages ------------------------------------------------------------

    def _begin(self, room: Room) -> None:
        self._tasks.start(self._work(room), f"answers in {room.channel.id}")

    async def _work(self, room: Room) -> None:
        """Answers what waits. A Stop that came before the work began counts for its first message."""
        try:
            while room.queue:
                await self._try(room, room.queue.popleft())
                room.stopping.clear()
        finally:
            room.busy = False
            room.turn = None
            room.stopping.clear()
            room.idle.set()
            self._answering.tell(room)

    async def _try(self, room: Room, message: Message) -> None:
        """Whatever goes wrong with a message is said at it, and the next one gets its turn."""
        try:
            await self._process(room, message)
        except HistoryError as error:
            self._publish(msgspec.structs.replace(message, queued=False, error=str(error)))
        except Exception as error:
            log.exception("a message could not be answered")
            failure = f"Sidekicks failed: {type(error).__name__}: {error}"
            self._publish(msgspec.structs.replace(message, queued=False, error=failure))

    async def _process(self, room: Room, message: Message) -> None:
        room.last_id = message.id
        if message.queued:
            message = msgspec.structs.replace(message, queued=False)
            await self._history.put_message(message)
            self._publish(message)
        way = await self._route(room, message)
        for agent in way.joins:
            await self._join(room, agent, room.next_id())
        if way.code is not None:
            await self._answering.note(room.channel.id, way.code, id_=room.next_id())
        for agent in way.recipients:
            if not room.stopping.is_set() and agent in room.channel.members:
                await self._answering.answer(room, agent, way, message)

    async def _route(self, room: Room, message: Message) -> Route:
        text = "".join(part.text for part in message.parts if isinstance(part, TextPart))
        names = [status.name for status in self._agents.list()]
        last = await self._history.last_answerer(room.channel.id)
        return route(text, room.channel, names, last or None)

    # -- small things --------------------------------------------------------------------------------

    async def _join(self, room: Room, agent: str, id_: str = "") -> None:
        await self._change(room, members=(*room.channel.members, agent))
        await self._answering.note(room.channel.id, "agent-joined", agent, id_=id_)

    async def _add(self, channel: Channel) -> Channel:
        self._rooms[channel.id] = Room(channel)  # before anything is waited for: its name is taken
        try:
            await self._history.put_channel(channel)
        except HistoryError:
            del self._rooms[channel.id]
            raise
        self._tell_channels()
        return channel

    async def _change(self, room: Room, **fields: object) -> None:
        former = room.channel
        room.channel = msgspec.structs.replace(former, **fields)
        try:
            await self._history.put_channel(room.channel)
        except HistoryError:
            room.channel = former
            raise
        self._tell_channels()

    def _room(self, channel_id: str) -> Room:
        room = self._rooms.get(channel_id)
        if room is None:
            raise ChannelError("this channel does not exist (any more)")
        return room

    def _free_name(self, name: str, own: Room | None = None) -> str:
        name = name.strip()
        if not 1 <= len(name) <= NAME_LIMIT:
            raise ChannelError(f"a channel's name has 1 to {NAME_LIMIT} characters")
        for room in self._rooms.values():
            if room is not own and room.channel.name.casefold() == name.casefold():
                raise ChannelError(f"there is a channel named {room.channel.name} already")
        return name

    def _check_named(self, room: Room, what: str) -> None:
        if room.channel.direct:
            raise ChannelError(f"a direct conversation can't be {what}")

    def _check_agent(self, agent: str) -> None:
        if self._agents.definition(agent) is None:
            raise ChannelError(f"the configuration has no agent named {agent}")

    def _publish(self, message: Message) -> None:
        self._bus.publish(MessageUpdated(channel=message.channel, message=message))

    def _tell_channels(self) -> None:
        self._bus.publish(ChannelsChanged(channels=self.list()))


def _folder(cwd: str) -> str:
    """A working folder as an absolute path; empty for none."""
    if not cwd.strip():
        return ""
    folder = Path(cwd.strip()).expanduser()
    if not folder.is_absolute():
        raise ChannelError(f"{cwd} is not the absolute path of a folder")
    if not folder.is_dir():
        raise ChannelError(f"the folder {cwd} does not exist")
    return str(folder)
