"""The agents of the configuration: started when they are needed, within the limits, and stopped again."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncGenerator, Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress

from sidekicks.acp.client import AgentClient
from sidekicks.agents.agent import Agent, AgentUnavailableError, Surroundings
from sidekicks.agents.elicitations import Elicitations
from sidekicks.agents.guardian import Guardian
from sidekicks.agents.process import PATIENCE, Patience
from sidekicks.bus import Bus
from sidekicks.events import AgentLog, AgentStateChanged
from sidekicks.models import AgentDefinition, AgentStatus, Limits
from sidekicks.tasks import Tasks

log = logging.getLogger(__name__)

LOOK_EVERY = 30.0
"""Seconds between two looks for agents that are idle for too long."""


class AgentService:
    """All agents by name, in the order of the configuration.

    `resolve` finds an agent's program; `clock` tells seconds that only rise.
    """

    def __init__(
        self,
        bus: Bus,
        resolve: Callable[[AgentDefinition], list[str] | None],
        *,
        clock: Callable[[], float] = time.monotonic,
        environment: Mapping[str, str] = os.environ,
        patience: Patience = PATIENCE,
    ) -> None:
        self.elicitations = Elicitations(bus)
        self._bus = bus
        self._agents: dict[str, Agent] = {}
        self._removed: dict[str, Agent] = {}
        self._closed = False
        self._limits = Limits()
        self._clock = clock
        self._tasks = Tasks()
        self._guardian = Guardian()
        self._room = asyncio.Lock()
        self._around = Surroundings(
            resolve=resolve,
            on_state=self._tell_state,
            on_line=self._tell_line,
            clock=clock,
            guardian=self._guardian,
            tasks=self._tasks,
            environment=environment,
            patience=patience,
        )

    # -- the configuration ---------------------------------------------------------------------------

    def apply(self, definitions: Iterable[AgentDefinition], limits: Limits) -> None:
        """Follows the configuration: new agents are shown, removed ones stopped, changed ones outdated."""
        former = self._agents | self._removed
        self._limits = limits
        self._agents = {}
        for definition in definitions:
            agent = former.pop(definition.name, None) or Agent(definition, self._around)
            self._agents[definition.name] = agent
            agent.define(definition)
        self._removed = {name: agent for name, agent in former.items() if agent.counts}
        for agent in self._removed.values():
            self._tasks.start(agent.stop(), f"stop the removed {agent.definition.name}")

    def list(self) -> tuple[AgentStatus, ...]:
        """All agents, in the order of the configuration."""
        return tuple(agent.status() for agent in self._agents.values())

    def definition(self, name: str) -> AgentDefinition | None:
        """An agent's definition."""
        agent = self._agents.get(name)
        return agent.definition if agent is not None else None

    # -- what the user and the channels do -----------------------------------------------------------

    async def start(self, name: str) -> None:
        """Starts an agent that does not run.

        Raises:
            AgentUnavailableError: it could not be started, or all places are taken.
        """
        agent = self._agent(name)
        while agent.ending or not agent.counts:
            await agent.ended()
            async with self._room:
                if not agent.counts:
                    await self._make_room(agent)
                if self._closed:
                    raise AgentUnavailableError("Sidekicks is closing")
                agent.begin()
        await agent.started()

    async def stop(self, name: str) -> None:
        """Stops an agent; returns when nothing of it is left."""
        await self._agent(name).stop()

    async def restart(self, name: str) -> None:
        """Stops an agent and starts it with its present definition."""
        await self.stop(name)
        await self.start(name)

    def logs(self, name: str) -> tuple[str, ...]:
        """The last 200 lines of an agent's stderr."""
        return self._agent(name).logs

    @asynccontextmanager
    async def use(self, name: str) -> AsyncGenerator[AgentClient]:
        """The connection of an agent, which is started if need be and busy meanwhile.

        Raises:
            AgentUnavailableError: it could not be started.
        """
        agent = self._agent(name)
        with agent.wanted():
            await self.start(name)
        with agent.use() as client:
            yield client

    @contextmanager
    def running(self, name: str) -> Generator[AgentClient | None]:
        """The connection of an agent that runs, which is busy meanwhile; None when it does not run."""
        with ExitStack() as stack:
            agent = self._agents.get(name)
            client: AgentClient | None = None
            if agent is not None:
                with suppress(AgentUnavailableError):
                    client = stack.enter_context(agent.use())
            yield client

    async def why_gone(self, name: str) -> str:
        """Why an agent's connection ended."""
        agent = self._agents.get(name)
        return await agent.why_gone() if agent is not None else "it was removed from the configuration"

    # -- the limits ----------------------------------------------------------------------------------

    def watch(self) -> None:
        """Looks for idle agents from now on."""
        self._tasks.start(self._watch(), "idle agents")

    async def stop_idle(self) -> None:
        """Stops the agents that are unused for longer than the limit."""
        limit = self._limits.stop_idle_agents_after
        now = self._clock()
        if limit:
            idle = (agent for agent in self._agents.values() if agent.spare)
            await asyncio.gather(*(agent.end("idle") for agent in idle if now - agent.last_used >= limit))

    async def close(self) -> None:
        """Stops every agent; nothing of them is left then."""
        self._closed = True
        agents = (*self._agents.values(), *self._removed.values())
        for ended in await asyncio.gather(*(agent.stop() for agent in agents), return_exceptions=True):
            if isinstance(ended, BaseException):
                log.error("an agent could not be stopped", exc_info=ended)
        await self._tasks.close()
        self._guardian.close()

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            await self.stop_idle()

    async def _make_room(self, agent: Agent) -> None:
        """Stops idle agents, the least recently used first, until one more may run."""
        limit = self._limits.max_running_agents
        while (
            len(running := [one for one in self._agents.values() if one.counts and one is not agent]) >= limit
        ):
            idle = [one for one in running if one.spare or one.ending]
            if not idle:
                names = ", ".join(one.definition.name for one in running)
                raise AgentUnavailableError(
                    f"too many agents running: {len(running)} agent(s) busy ({names}), the limit is {limit}"
                )
            await min(idle, key=lambda one: (not one.ending, one.last_used)).end("evict")

    def _agent(self, name: str) -> Agent:
        agent = self._agents.get(name)
        if agent is None:
            raise AgentUnavailableError(f"the configuration has no agent named {name}")
        return agent

    def _tell_state(self, status: AgentStatus) -> None:
        self._bus.publish(
            AgentStateChanged(
                agent=status.name, state=status.state, error=status.error, outdated=status.outdated
            )
        )

    def _tell_line(self, agent: str, line: str) -> None:
        self._bus.publish(AgentLog(agent=agent, line=line))
