"""How many agents may run at once, and who makes room for whom."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable

from sidekicks.agents.agent import Agent, AgentUnavailableError


class Places:
    """The places for running agents. `agents` are all that may take one.

    Whoever asked first gets the next place; an agent keeps its own until nothing of it is left.
    """

    def __init__(self, agents: Callable[[], Iterable[Agent]]) -> None:
        self.limit = 1
        self._agents = agents
        self._turn = asyncio.Lock()

    async def begin(self, agent: Agent, stops: int) -> None:
        """Begins to start an agent, once there is a place for it.

        Raises:
            AgentUnavailableError: all others are busy, or it was stopped more than `stops` times meanwhile.
        """
        async with self._turn:
            if not agent.counts:
                await self._make_room(agent)
            if agent.stops != stops:
                raise AgentUnavailableError(f"{agent.why_stopped} before it started")
            agent.begin()

    @property
    def exceeded(self) -> bool:
        """Whether more run than may: the limit was lowered."""
        return len(self._running()) > self.limit

    async def keep(self) -> None:
        """Ends idle agents, the least recently used first, until no more run than may, or all are busy."""
        async with self._turn:
            while self.exceeded and (spare := [one for one in self._running() if _gives_way(one)]):
                await _first(spare).end("evict")

    async def _make_room(self, agent: Agent) -> None:
        while len(running := self._running(agent)) >= self.limit:
            spare = [one for one in running if _gives_way(one)]
            if not spare:
                names = ", ".join(one.definition.name for one in running)
                raise AgentUnavailableError(
                    f"too many agents running: {len(running)} agent(s) busy ({names}),"
                    f" the limit is {self.limit}"
                )
            await _first(spare).end("evict")

    def _running(self, but: Agent | None = None) -> list[Agent]:
        return [one for one in self._agents() if one.counts and one is not but]


def _gives_way(agent: Agent) -> bool:
    return agent.spare or agent.ending


def _first(agents: Iterable[Agent]) -> Agent:
    return min(agents, key=lambda one: (not one.ending, one.last_used))
