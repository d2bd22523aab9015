"""The agents' sessions of all channels: opened when they are needed, taken up after a restart, left again."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from sidekicks.acp.changes import Change
from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.channels.facts import Facts
from sidekicks.channels.keeping import Keeping
from sidekicks.channels.permissions import Permissions
from sidekicks.channels.rules import Rules
from sidekicks.channels.session import ChannelSession
from sidekicks.channels.turns import Turn
from sidekicks.history.port import History, Member
from sidekicks.ids import Ids
from sidekicks.models import AgentDefinition, Channel, Command, Policy, ToolKind
from sidekicks.tasks import Tasks

if TYPE_CHECKING:
    from sidekicks.acp.client import AgentClient


class Sessions:
    """Opens and leaves sessions, and is the `Desk` to which they report."""

    def __init__(
        self,
        bus: Bus,
        agents: AgentService,
        history: History,
        rules: Rules,
        keeping: Keeping,
        ids: Ids,
    ) -> None:
        self.bus = bus
        self.permissions = Permissions(bus)
        self.elicitations = agents.elicitations
        self._rules = rules
        self._agents = agents
        self._history = history
        self._keeping = keeping
        self._ids = ids
        self._tasks = Tasks()

    async def of(self, activity: Activity, agent: str, client: AgentClient) -> ChannelSession:
        """The agent's session of a channel: the open one, the one of a former run, or a new one.

        When that of a former run is lost, the channel says so.

        Raises:
            AgentFailureError: there is no session; the message says why.
        """
        async with activity.opening:
            open_one = activity.sessions.get(agent)
            if open_one is not None and open_one.client is client:
                return open_one
            members = await self._history.members(activity.channel.id)
            session = self._new(activity, members.get(agent, Member(agent=agent)), client)
            return await self.open(activity, session)

    async def open(self, activity: Activity, session: ChannelSession) -> ChannelSession:
        """Opens the session in the place of any other of its agent; the caller holds `opening`.

        Raises:
            AgentFailureError: there is no session; the message says why.
        """
        definition = self._agents.definition(session.agent)
        if definition is None:
            raise AgentUnavailableError(f"the configuration has no agent named {session.agent}")
        cwd = working_folder(definition, activity.channel)
        if not os.path.isdir(cwd):  # noqa: PTH112, ASYNC240 - one look, before a program is told to work there
            raise AgentUnavailableError(f"the working folder {cwd} does not exist")
        await session.open(cwd, definition.mcp_servers)
        activity.silence.heard()
        if await session.apply_choices():
            await self.keep(activity, session)
        former = activity.sessions.get(session.agent)
        if former is not None and former.client is session.client and former.id == session.id:
            former.close()  # it goes on under another listener
        else:
            self.leave(activity, session.agent)
        activity.sessions[session.agent] = session
        if session.lost:
            note_id, channel = activity.note_id(), activity.channel.id
            await self._keeping.note(channel, "session-lost", session.agent, session.lost, id_=note_id)
        return session

    def taken_up(
        self,
        activity: Activity,
        member: Member,
        client: AgentClient,
        replay: Callable[[Change], None] | None,
    ) -> ChannelSession:
        """A session, to be opened, that goes on with the member's or fails; its past is told to `replay`."""
        session = self._new(activity, member, client)
        session.only, session.replay = True, replay
        return session

    async def keep(self, activity: Activity, session: ChannelSession) -> None:
        """Keeps what has changed for the member."""
        await self._history.put_member(activity.channel.id, session.member)

    def leave(self, activity: Activity, agent: str) -> None:
        """The agent's session of this channel is over."""
        session = activity.sessions.pop(agent, None)
        if session is not None:
            session.close()
            self._tasks.start(session.client.leave(session.session), f"leave a session of {agent}")

    async def renew(self, activity: Activity) -> None:
        """The sessions of a channel are over, and are not to be taken up again: its agents get new ones."""
        for agent in tuple(activity.sessions):
            self.leave(activity, agent)
        channel = activity.channel.id
        for member in (await self._history.members(channel)).values():
            if member.session_id:
                await self._history.put_member(channel, Member(agent=member.agent, chosen=member.chosen))

    async def delete(self, activity: Activity, members: Iterable[Member]) -> None:
        """The channel is deleted: its agents, those that run and can, delete their sessions of it, too."""
        for agent in tuple(activity.sessions):
            self.leave(activity, agent)
        await self._tasks.settled()
        for member in members:
            if member.session_id and member.own:
                with self._agents.running(member.agent) as client:
                    if client is not None:
                        await client.delete_session(member.session_id)

    async def close(self) -> None:
        """Waits until the agents know of the sessions that were left."""
        await self._tasks.settled()

    def _new(self, activity: Activity, member: Member, client: AgentClient) -> ChannelSession:
        channel = activity.channel.id

        def on_warning(text: str) -> None:
            self._keeping.noted(channel, "notice", member.agent, text, id_=activity.note_id())

        return ChannelSession(
            channel,
            member,
            client,
            self,
            facts=Facts(self.bus, activity, member.agent),
            on_heard=activity.silence.heard,
            on_warning=on_warning,
        )

    # -- what they report (Desk) ---------------------------------------------------------------------

    def new_id(self) -> str:
        """A fresh id."""
        return self._ids.new()

    def policy(self, agent: str) -> Policy:
        """What the agent may do without asking."""
        definition = self._agents.definition(agent)
        return definition.permissions if definition is not None else "ask"

    def remembered(self, agent: str, kind: ToolKind) -> bool | None:
        """What is remembered for the agent's tools of a kind."""
        return self._rules.allowed(agent, kind)

    def announced(self, agent: str, commands: tuple[Command, ...]) -> None:
        """The agent announced its commands."""
        self._keeping.announced(agent, commands)

    def late(self, turn: Turn) -> None:
        """More of an answer came after its end."""
        self._keeping.late(turn)


def working_folder(definition: AgentDefinition, channel: Channel) -> str:
    """Where an agent works in a channel."""
    return definition.cwd or channel.cwd or str(Path.home())
