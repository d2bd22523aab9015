"""The agents' sessions of all channels: opened when they are needed, taken up after a restart, left again."""

from __future__ import annotations

import os
from pathlib import Path

from sidekicks.acp.client import AgentClient
from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.channels.keeping import Keeping
from sidekicks.channels.permissions import Permissions
from sidekicks.channels.session import ChannelSession
from sidekicks.channels.turns import Turn
from sidekicks.history.port import History, Member
from sidekicks.ids import Ids
from sidekicks.models import Command, Policy, Usage


class Sessions:
    """Opens and leaves sessions, and is the `Desk` to which they report."""

    def __init__(self, bus: Bus, agents: AgentService, history: History, keeping: Keeping, ids: Ids) -> None:
        self.bus = bus
        self.permissions = Permissions(bus)
        self._agents = agents
        self._history = history
        self._keeping = keeping
        self._ids = ids

    async def of(self, activity: Activity, agent: str, client: AgentClient) -> ChannelSession:
        """The agent's session of a channel: the open one, the one of a former run, or a new one.

        Raises:
            AgentFailureError: there is no session; the message says why.
        """
        open_one = activity.sessions.get(agent)
        if open_one is not None and open_one.client is client:
            return open_one
        definition = self._agents.definition(agent)
        if definition is None:
            raise AgentUnavailableError(f"the configuration has no agent named {agent}")
        cwd = definition.cwd or activity.channel.cwd or str(Path.home())
        if not os.path.isdir(cwd):  # noqa: PTH112, ASYNC240 - one look, before a program is told to work there
            raise AgentUnavailableError(f"the working folder {cwd} does not exist")
        members = await self._history.members(activity.channel.id)
        member = members.get(agent, Member(agent=agent))

        def on_usage(usage: Usage) -> None:
            activity.usage[agent] = usage

        session = ChannelSession(activity.channel.id, agent, client, self, on_usage)
        await session.open(member.session_id, cwd, definition.mcp_servers)
        self.leave(activity, agent)
        activity.sessions[agent] = session
        return session

    def leave(self, activity: Activity, agent: str) -> None:
        """The agent's session of this channel is over."""
        session = activity.sessions.pop(agent, None)
        if session is not None:
            session.close()

    async def renew(self, activity: Activity) -> None:
        """The sessions of a channel are over, and are not to be taken up again: its agents get new ones."""
        for agent in tuple(activity.sessions):
            self.leave(activity, agent)
        channel = activity.channel.id
        for agent, member in (await self._history.members(channel)).items():
            if member.session_id:
                await self._history.delete_member(channel, agent)

    # -- what they report (Desk) ---------------------------------------------------------------------

    def new_id(self) -> str:
        """A fresh id."""
        return self._ids.new()

    def policy(self, agent: str) -> Policy:
        """What the agent may do without asking."""
        definition = self._agents.definition(agent)
        return definition.permissions if definition is not None else "ask"

    def announced(self, agent: str, commands: tuple[Command, ...]) -> None:
        """The agent announced its commands."""
        self._keeping.announced(agent, commands)

    def late(self, turn: Turn) -> None:
        """More of an answer came after its end."""
        self._keeping.late(turn)
