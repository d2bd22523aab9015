"""Lets one agent after the other answer a channel's messages, and gives the channel back whatever they do."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncGenerator, Callable, Coroutine
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias, cast, get_args

import msgspec

from sidekicks.acp.client import AgentClient
from sidekicks.acp.errors import AgentFailureError, AgentGoneError
from sidekicks.acp.session import AgentSession
from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.catchup import catch_up
from sidekicks.channels.permissions import Permissions
from sidekicks.channels.room import Room
from sidekicks.channels.routing import Route
from sidekicks.channels.session import ChannelSession
from sidekicks.channels.stopping import StopAskedError, first, unless
from sidekicks.channels.turns import Turn
from sidekicks.events import CommandsChanged, MessageUpdated, TurnChanged
from sidekicks.history.port import History, HistoryError, Member
from sidekicks.ids import Ids
from sidekicks.models import Command, Message, Policy, StopReason, SystemCode
from sidekicks.tasks import Tasks

Outcome: TypeAlias = str | AgentFailureError
"""How a prompt ended: its stop reason, or why it has none."""

log = logging.getLogger(__name__)

CANCEL_SECONDS = 10.0
"""How long an agent may take to end a cancelled turn; as long again, and it is stopped."""
LATE_SECONDS = 0.1
"""What comes after the end of an answer is stored together, this long after it began to come."""


class _Past(msgspec.Struct, frozen=True, kw_only=True):
    """What goes before the user's words, and the last message that the agent has seen before and with it."""

    known: str
    seen: str
    text: str = ""


class Answering:
    """The turns of all channels. An agent answers in one channel at a time; others wait in order."""

    def __init__(
        self,
        bus: Bus,
        agents: AgentService,
        history: History,
        ids: Ids,
        *,
        now: Callable[[], datetime],
        cancel_seconds: float = CANCEL_SECONDS,
    ) -> None:
        self.bus = bus
        self.permissions = Permissions(bus)
        self.commands: dict[str, tuple[Command, ...]] = {}
        self._agents = agents
        self._history = history
        self._ids = ids
        self._now = now
        self._cancel_seconds = cancel_seconds
        self._tasks = Tasks()
        self._locks: dict[str, asyncio.Lock] = {}
        self._holders: dict[str, str] = {}
        self._waiting: dict[str, list[Room]] = {}
        self._late: dict[str, Turn] = {}
        self._unkept: dict[str, tuple[Command, ...]] = {}
        self._deleted: set[str] = set()

    # -- what sessions report (Desk) -----------------------------------------------------------------

    def new_id(self) -> str:
        """A fresh id."""
        return self._ids.new()

    def policy(self, agent: str) -> Policy:
        """What the agent may do without asking."""
        definition = self._agents.definition(agent)
        return definition.permissions if definition is not None else "ask"

    def announced(self, agent: str, commands: tuple[Command, ...]) -> None:
        """Keeps the agent's commands from one run to the next, and tells them."""
        if self.commands.get(agent) == commands:
            return
        self.commands[agent] = self._unkept[agent] = commands
        self._tasks.start(self._keep_commands(agent), f"keep the commands of {agent}")
        self.bus.publish(CommandsChanged(agent=agent, commands=commands))

    async def _keep_commands(self, agent: str) -> None:
        commands = self._unkept.pop(agent, None)
        if commands is not None:
            try:
                await self._history.put_commands(agent, commands)
            except HistoryError as error:
                log.warning("the commands of %s are not kept: %s", agent, error)

    def late(self, turn: Turn) -> None:
        """Stores what came after the end of an answer, once for all that comes together."""
        if turn.id not in self._late:
            self._late[turn.id] = turn
            self._tasks.start(self._store_soon(turn), "late part of an answer")

    async def _store_soon(self, turn: Turn) -> None:
        await asyncio.sleep(LATE_SECONDS)
        await self._store_late(turn)

    async def _store_late(self, turn: Turn) -> None:
        self._late.pop(turn.id, None)
        message = turn.message()
        if message.channel in self._deleted:
            return
        try:
            await self._history.put_message(message)
        except HistoryError as error:
            log.warning("the late part of an answer is not kept: %s", error)
        self.bus.publish(MessageUpdated(channel=message.channel, message=message))

    # -- for the service -----------------------------------------------------------------------------

    def tell(self, room: Room) -> None:
        """Tells how a channel is."""
        self.bus.publish(
            TurnChanged(
                channel=room.channel.id,
                busy=room.busy,
                queued=room.waiting,
                answering=room.answering,
                waiting_for=room.waiting_for,
            )
        )

    async def note(
        self, channel: str, code: SystemCode, agent: str = "", error: str = "", *, id_: str = ""
    ) -> None:
        """Adds a system message; it is shown also when it can't be kept.

        `id_` says where it stands, else it is the newest.
        """
        message = Message(
            id=id_ or self.new_id(),
            channel=channel,
            created_at=self._now(),
            role="system",
            agent=agent,
            code=code,
            error=error,
        )
        try:
            await self._history.put_message(message)
        except HistoryError as problem:
            both = dict.fromkeys(said for said in (error, str(problem)) if said)
            message = msgspec.structs.replace(message, error="\n".join(both))
        self.bus.publish(MessageUpdated(channel=channel, message=message))

    def is_elsewhere(self, agent: str) -> bool:
        """Whether the agent answers somewhere now."""
        return agent in self._holders

    async def prepare(self, room: Room, agent: str) -> None:
        """Opens the agent's session for a channel, so that it announces its commands."""
        async with self._attention_of(room, agent), self._agents.use(agent) as client:
            await self._session(room, agent, client)

    def forget(self, room: Room) -> None:
        """The channel is deleted: nothing of it may be stored any more."""
        self._deleted.add(room.channel.id)
        for agent in tuple(room.sessions):
            self.leave(room, agent)

    def leave(self, room: Room, agent: str) -> None:
        """The agent's session of this channel is over."""
        session = room.sessions.pop(agent, None)
        if session is not None:
            session.close()

    async def close(self) -> None:
        """Ends all turns as they are, and keeps what was about to be kept."""
        await self._tasks.close()
        for turn in tuple(self._late.values()):
            await self._store_late(turn)
        for agent in tuple(self._unkept):
            await self._keep_commands(agent)

    # -- one answer ----------------------------------------------------------------------------------

    async def answer(self, room: Room, agent: str, route: Route, prompt: Message) -> None:
        """Lets `agent` answer `prompt`; returns when the channel is free for the next, also on Stop."""
        room.answering = agent
        try:
            async with AsyncExitStack() as stack:
                try:
                    await unless(room.stopping, stack.enter_async_context(self._turn_of(room, agent)))
                    client = await unless(room.stopping, stack.enter_async_context(self._agents.use(agent)))
                    session = await unless(room.stopping, self._session(room, agent, client))
                    past = await self._past(room, agent, session, prompt, alone=route.command)
                except (AgentFailureError, HistoryError) as error:
                    await self._unavailable(room, agent, error)
                    return
                await self._turn(room, agent, session, past, past.text + route.sent, stack)
        except StopAskedError:
            return
        finally:
            room.answering = ""

    async def _unavailable(self, room: Room, agent: str, error: AgentFailureError | HistoryError) -> None:
        reason = str(error)
        if isinstance(error, AgentGoneError):
            reason = await self._agents.why_gone(agent)
        self.leave(room, agent)
        await self.note(room.channel.id, "agent-unavailable", agent, reason, id_=room.next_id())

    @asynccontextmanager
    async def _turn_of(self, room: Room, agent: str) -> AsyncGenerator[None]:
        """The agent's attention; meanwhile the channel says for which other one it waits."""
        waiting = self._waiting.setdefault(agent, [])
        async with AsyncExitStack() as stack:
            waiting.append(room)
            room.waiting_for = self._holders.get(agent, "")
            self.tell(room)
            try:
                await stack.enter_async_context(self._attention_of(room, agent))
            finally:
                waiting.remove(room)
                if room.waiting_for:
                    room.waiting_for = ""
                    self.tell(room)
            yield

    @asynccontextmanager
    async def _attention_of(self, room: Room, agent: str) -> AsyncGenerator[None]:
        async with self._locks.setdefault(agent, asyncio.Lock()):
            self._holders[agent] = room.channel.id
            for other in self._waiting.get(agent, ()):
                if other is not room:
                    other.waiting_for = room.channel.id
                    self.tell(other)
            try:
                yield
            finally:
                del self._holders[agent]

    async def _session(self, room: Room, agent: str, client: AgentClient) -> ChannelSession:
        """The agent's session of this channel: the open one, the one of a former run, or a new one."""
        open_one = room.sessions.get(agent)
        if open_one is not None and open_one.client is client:
            return open_one
        definition = self._agents.definition(agent)
        if definition is None:
            raise AgentUnavailableError(f"the configuration has no agent named {agent}")
        cwd = definition.cwd or room.channel.cwd or str(Path.home())
        if not os.path.isdir(cwd):  # noqa: PTH112, ASYNC240 - one look, before a program is told to work there
            raise AgentUnavailableError(f"the working folder {cwd} does not exist")
        member = (await self._history.members(room.channel.id)).get(agent, Member(agent=agent))

        def on_usage(usage: Any) -> None:
            room.usage[agent] = usage

        session = ChannelSession(room.channel.id, agent, client, self, on_usage)
        await session.open(member.session_id, cwd, definition.mcp_servers)
        self.leave(room, agent)
        room.sessions[agent] = session
        return session

    async def _past(
        self, room: Room, agent: str, session: ChannelSession, prompt: Message, *, alone: bool
    ) -> _Past:
        """What the agent is told of the past; nothing with a command, which goes `alone`."""
        members = await self._history.members(room.channel.id)
        known = "" if session.fresh or agent not in members else members[agent].seen
        unseen = await self._history.after(room.channel.id, known)
        others = [message for message in unseen if message.id != prompt.id]
        text = catch_up(others, agent, new_session=session.fresh)
        if alone and text:
            return _Past(known=known, seen=known)
        # What waits has a place among these: whoever is told of it later must not be taken to have seen it.
        first_waiting = min((message.id for message in room.queue if message.queued), default="~")
        told = (message.id for message in (*unseen, prompt) if message.id < first_waiting)
        return _Past(known=known, seen=max(told, default=known), text=text)

    async def _turn(
        self,
        room: Room,
        agent: str,
        session: ChannelSession,
        past: _Past,
        text: str,
        stack: AsyncExitStack,
    ) -> None:
        started = Message(
            id=room.next_id(),
            channel=room.channel.id,
            created_at=self._now(),
            role="agent",
            agent=agent,
            done=False,
        )
        turn = Turn(started, clock=time.monotonic, now=self._now)
        session.begin(turn)
        room.turn = turn
        self.bus.publish(MessageUpdated(channel=room.channel.id, message=started))
        prompting = self._tasks.start(_prompt(session.session, text), f"prompt to {agent}")
        try:
            await self._until_over(room, agent, session, prompting, stack)
            reason, error = await self._outcome(room, agent, prompting)
        except asyncio.CancelledError:
            prompting.cancel()
            raise
        gone = prompting.done() and isinstance(prompting.result(), AgentGoneError)
        # An agent that failed may have taken nothing of it in: it is told again.
        seen = past.known if gone or reason is None else past.seen
        session.fresh = session.fresh and seen == past.known
        member = Member(agent=agent, session_id=session.session.id, seen=seen)
        await self._finish(room, turn, member, reason, error)
        if gone:
            self.leave(room, agent)
        elif not prompting.done():
            session.turn = None  # it did not hear the Stop: what it goes on saying is not wanted

    async def _until_over(
        self,
        room: Room,
        agent: str,
        session: ChannelSession,
        prompting: asyncio.Task[Outcome],
        stack: AsyncExitStack,
    ) -> None:
        """Waits for the end of the turn. After a Stop an agent gets 10 s for it, and the channel is free."""
        await first(prompting, room.stopping)
        if prompting.done():
            return
        # Some agents do not hear a cancel while a question of theirs is open.
        session.stopping = True
        self.permissions.cancel(lambda request: request.channel == room.channel.id)
        cancelling = self._tasks.start(_quietly(session.session.cancel()), f"cancel {agent}")
        await asyncio.wait({prompting}, timeout=self._cancel_seconds)
        if not prompting.done():
            held = stack.pop_all()
            self._tasks.start(self._stop_the_deaf(agent, prompting, cancelling, held), f"deaf {agent}")

    async def _stop_the_deaf(
        self,
        agent: str,
        prompting: asyncio.Task[Outcome],
        cancelling: asyncio.Task[None],
        held: AsyncExitStack,
    ) -> None:
        """Nobody else gets the agent until it has ended the turn, or was stopped."""
        async with held:
            await asyncio.wait({prompting}, timeout=self._cancel_seconds)
            if not prompting.done():
                try:
                    await self._agents.stop(agent)
                except AgentUnavailableError as error:
                    log.info("%s was stopped already: %s", agent, error)
                await asyncio.wait({prompting, cancelling})

    async def _outcome(
        self, room: Room, agent: str, prompting: asyncio.Task[Outcome]
    ) -> tuple[StopReason | None, str]:
        if room.stopping.is_set():
            return "cancelled", ""  # some agents answer a cancel with an error
        reason = prompting.result()
        if isinstance(reason, AgentGoneError):
            return None, await self._agents.why_gone(agent)
        if isinstance(reason, AgentFailureError):
            return None, str(reason)
        if reason in get_args(StopReason):
            return cast("StopReason", reason), ""
        return None, f"the agent ended for a reason that is not known: {reason}"

    async def _finish(
        self, room: Room, turn: Turn, member: Member, reason: StopReason | None, error: str
    ) -> None:
        """What is shown as finished has been stored before."""
        message = turn.finish(reason, error)
        try:
            await self._history.put_message(message, member)
        except HistoryError as problem:
            message = msgspec.structs.replace(message, error=f"{error}\n{problem}".strip())
        room.turn = None
        self.bus.publish(MessageUpdated(channel=room.channel.id, message=message))


async def _prompt(session: AgentSession, text: str) -> Outcome:
    try:
        return await session.prompt(text)
    except AgentFailureError as error:
        return error
    except Exception as error:
        log.exception("the prompt failed")
        return AgentFailureError(f"Sidekicks could not ask it ({type(error).__name__}: {error})")


async def _quietly(call: Coroutine[Any, Any, None]) -> None:
    """An agent that is gone needs no cancel."""
    try:
        await call
    except AgentFailureError as error:
        log.info("cancel was not taken: %s", error)
