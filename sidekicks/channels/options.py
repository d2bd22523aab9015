"""Choosing the options of an agent's session in a channel."""

from __future__ import annotations

from sidekicks.acp.errors import AgentFailureError, AgentGoneError
from sidekicks.agents.service import AgentService
from sidekicks.channels.activity import Activity
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.sessions import Sessions

MAX_CHOSEN = 100
"""Choices of one member that are kept."""


class Options:
    """Sets options at the user's wish, also while the agent answers."""

    def __init__(self, agents: AgentService, sessions: Sessions) -> None:
        self._agents = agents
        self._sessions = sessions

    async def set(self, activity: Activity, agent: str, option_id: str, value: str | bool) -> None:
        """Chooses a value, now and for later sessions; starts the agent and opens its session if need be.

        Raises:
            ChannelError: it can't be chosen, or the agent can't be started.
        """
        if agent not in activity.channel.members:
            raise ChannelError(f"{agent} is not in the channel")
        try:
            async with self._agents.use(agent) as client:
                session = await self._sessions.of(activity, agent, client)
                await session.session.set_option(option_id, value)
        except AgentGoneError as error:
            raise ChannelError(f"{agent}: {await self._agents.why_gone(agent)}") from error
        except AgentFailureError as error:
            raise ChannelError(f"{agent}: {error}") from error
        session.chosen[option_id] = value
        while len(session.chosen) > MAX_CHOSEN:
            del session.chosen[next(iter(session.chosen))]
        await self._sessions.keep(activity, session)
