"""The agents of the configuration: started when they are needed, within the limits, and stopped again."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Iterable, Mapping
from contextlib import ExitStack, asynccontextmanager, contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from minime_agent.guardian import Guardian
from sidekicks.acp.errors import AgentGoneError
from sidekicks.acp.login import LoginCommand
from sidekicks.agents.agent import STOPPED, Agent, AgentUnavailableError
from sidekicks.agents.elicitations import Elicitations
from sidekicks.agents.places import Places
from sidekicks.agents.process import PATIENCE, Patience
from sidekicks.agents.run import Surroundings, protocol_log_path
from sidekicks.bus import Bus
from sidekicks.events import AgentLog, AgentStateChanged
from sidekicks.models import AgentDefinition, AgentStatus, Limits, Resources
from sidekicks.tasks import Tasks, to_the_end

if TYPE_CHECKING:
    from sidekicks.acp.client import AgentClient

log = logging.getLogger(__name__)

REMOVED = "it was removed from the configuration"
CLOSING = "Sidekicks is closing"

LOOK_EVERY = 30.0
"""Seconds between two looks for agents that are idle for too long."""


class AgentService:
    """All agents by name, in the order of the configuration.

    `resolve` finds an agent's program; `clock` tells seconds that only rise, `now` the time of day, `sleep`
    waits for seconds. Protocol logs are written in `protocol_folder`, if there is one.
    """

    def __init__(
        self,
        bus: Bus,
        resolve: Callable[[AgentDefinition], list[str] | None],
        *,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        environment: Mapping[str, str] = os.environ,
        protocol_folder: Path | None = None,
        patience: Patience = PATIENCE,
    ) -> None:
        self.elicitations = Elicitations(bus)
        self._bus = bus
        self._agents: dict[str, Agent] = {}
        self._removed: dict[str, Agent] = {}
        self._closing: asyncio.Task[None] | None = None
        self._limits = Limits()
        self._clock = clock
        self._sleep = sleep
        self._tasks = Tasks()
        self._guardian = Guardian()
        self._places = Places(lambda: (*self._agents.values(), *self._removed.values()))
        self._around = Surroundings(
            resolve=resolve,
            on_state=self._tell_state,
            on_line=self._tell_line,
            clock=clock,
            now=now,
            ask=partial(self.elicitations.ask, ""),
            guardian=self._guardian,
            tasks=self._tasks,
            environment=environment,
            protocol_folder=protocol_folder,
            patience=patience,
        )

    # -- the configuration ---------------------------------------------------------------------------

    def apply(self, definitions: Iterable[AgentDefinition], limits: Limits) -> None:
        """Follows the configuration: new agents are shown, removed ones stopped, changed ones outdated.

        With a lower limit idle agents are stopped at once, busy ones when they are done.
        """
        former = self._removed | self._agents
        self._limits = limits
        self._places.limit = limits.max_running_agents
        self._agents = {}
        for definition in definitions:
            agent = former.pop(definition.name, None) or Agent(definition, self._around)
            self._agents[definition.name] = agent
            agent.define(definition)
        self._removed = {name: agent for name, agent in former.items() if agent.counts or agent.ending}
        for agent in former.values():
            agent.call_off(REMOVED)  # at once: somebody may be waiting for a place to start it
            self._tasks.start(agent.stop(REMOVED), f"stop the removed {agent.definition.name}")
        self._keep_limit()

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
        await self._start(agent, agent.stops)

    async def _start(self, agent: Agent, stops: int) -> None:
        if self._closing is not None:
            raise AgentUnavailableError(CLOSING)
        while agent.failing or agent.ending or not agent.counts:
            await agent.ended()
            await self._places.begin(agent, stops)
        await agent.started()

    async def stop(self, name: str) -> None:
        """Stops an agent, or calls a start off that waits for a place; returns when nothing of it is left."""
        await _stop_for_good(self._agent(name), STOPPED)

    async def restart(self, name: str) -> None:
        """Stops an agent and starts it with its present definition, unless it is stopped meanwhile.

        Raises:
            AgentUnavailableError: as `start`.
        """
        agent = self._agent(name)
        stops = agent.stops
        await agent.stop("it was restarted")
        await self._start(agent, stops)

    def logs(self, name: str) -> tuple[str, ...]:
        """The last 200 lines of an agent's stderr; they outlive its end, and a line parts its runs."""
        return self._agent(name).logs

    def protocol_log(self, name: str) -> Path | None:
        """The file with everything that is said with an agent, which may not be there yet; None: it is off.

        A change of `protocolLog` takes hold with the next start.
        """
        return protocol_log_path(self._around.protocol_folder, self._agent(name).started_with)

    async def resources(self, name: str) -> Resources | None:
        """What an agent that runs costs the machine; None when it does not run."""
        from sidekicks.agents.resources import resources_of  # the start has no time for psutil

        pid = self._agent(name).pid
        return await asyncio.to_thread(resources_of, pid) if pid is not None else None

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
        return await agent.why_gone() if agent is not None else REMOVED

    # -- logging in ----------------------------------------------------------------------------------

    async def login(self, name: str, method_id: str) -> None:
        """Logs in to an agent by one of its `logins` that needs no terminal.

        It takes as long as the user takes; cancelling this calls it off.

        Raises:
            AgentFailureError: there is no such way, or it failed.
        """
        try:
            async with self.use(name) as client:
                await client.log_in(method_id)
        except AgentGoneError as error:
            raise AgentUnavailableError(await self.why_gone(name)) from error

    async def login_command(self, name: str, method_id: str) -> LoginCommand:
        """What to run in a terminal for a way to log in that needs one; then call `logged_in`.

        Raises:
            AgentFailureError: there is no such way, or the agent can't be started to tell it.
        """
        agent = self._agent(name)
        if not agent.logins.methods:
            await self.start(name)
        definition = agent.definition
        command = self._around.resolve(definition)
        if command is None:
            raise AgentUnavailableError(f"the program {definition.command} was not found")
        environment = {**self._around.environment, **definition.env}
        cwd = definition.cwd or str(Path.home())
        return agent.logins.command(method_id, command, environment, cwd)

    async def logged_in(self, name: str) -> None:
        """The command of a login succeeded: an agent that runs is started anew, to see that it did.

        Raises:
            AgentUnavailableError: it could not be started again.
        """
        agent = self._agent(name)
        agent.login_needed("")
        if agent.counts:
            await self.restart(name)

    async def logout(self, name: str) -> None:
        """Makes an agent forget who is logged in.

        Raises:
            AgentFailureError: it can't.
        """
        async with self.use(name) as client:
            await client.log_out()

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
        """Stops every agent, all at once; nothing of them is left then, also when the caller is cancelled."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(), name="stop all agents")
        await to_the_end(self._closing)

    async def _close(self) -> None:
        agents = (*self._agents.values(), *self._removed.values())
        for ended in await asyncio.gather(
            *(_stop_for_good(agent, CLOSING) for agent in agents), return_exceptions=True
        ):
            if isinstance(ended, BaseException):
                log.error("an agent could not be stopped", exc_info=ended)
        await self._tasks.close()
        self._guardian.close()

    async def _watch(self) -> None:
        while True:
            await self._sleep(LOOK_EVERY)
            await self.stop_idle()

    def _keep_limit(self) -> None:
        if self._places.exceeded:
            self._tasks.start(self._places.keep(), "agents beyond the limit")

    def _agent(self, name: str) -> Agent:
        agent = self._agents.get(name)
        if agent is None:
            raise AgentUnavailableError(f"the configuration has no agent named {name}")
        return agent

    def _tell_state(self, status: AgentStatus) -> None:
        self._bus.publish(
            AgentStateChanged(
                agent=status.name,
                state=status.state,
                error=status.error,
                outdated=status.outdated,
                logins=status.logins,
            )
        )
        if status.state == "ready":
            self._keep_limit()

    def _tell_line(self, agent: str, line: str) -> None:
        self._bus.publish(AgentLog(agent=agent, line=line))


async def _stop_for_good(agent: Agent, why: str) -> None:
    agent.call_off(why)
    await agent.stop(why)
