"""One agent of the configuration while the program runs: its state, who uses it, and its present run."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING

from sidekicks.acp.errors import AgentFailureError
from sidekicks.acp.login import Logins
from sidekicks.agents.run import Run, StartError, Surroundings
from sidekicks.agents.state import Happening, after
from sidekicks.agents.stderr import Tail, told
from sidekicks.models import AgentDefinition, AgentState, AgentStatus

if TYPE_CHECKING:
    from sidekicks.acp.client import AgentClient

STOPPED = "it was stopped"


class AgentUnavailableError(AgentFailureError):
    """An agent could not be started, or may not be; the message says why."""


class Agent:
    """An agent and, while it runs, its run. Every change of its state goes through the state table.

    It is `stopped` once nothing of it is left, and in `error` as soon as it is known to have failed: what is
    left of it is ended behind that, and the next start waits for it.
    """

    def __init__(self, definition: AgentDefinition, around: Surroundings) -> None:
        self.definition = definition
        self.state: AgentState = "stopped"
        self.error = ""
        self.last_used = 0.0
        self.stops = 0
        """How often it was asked to stop: whoever waits to start it must see that it was."""
        self.why_stopped = STOPPED
        self.logins = Logins()
        """The ways to log in that it named when it was last started."""
        self._needs_login = ""
        self._since: datetime | None = None
        self._around = around
        self._tail = Tail()
        self._run: Run | None = None
        self._users: list[AgentClient] = []
        self._wanted = 0
        self._stop_asked = False
        self._start: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None

    # -- what there is to say ------------------------------------------------------------------------

    def status(self) -> AgentStatus:
        """The agent as the window shows it."""
        shown = self.definition
        return AgentStatus(
            name=shown.name,
            title=shown.title,
            icon=shown.icon,
            description=shown.description,
            state=self.state,
            error=self.error or self._needs_login,
            outdated=self.outdated,
            since=self._since,
            logins=self.logins.shown() if self._needs_login else (),
        )

    @property
    def outdated(self) -> bool:
        """Whether it runs with another definition than the configuration's, which a restart applies."""
        return self.counts and self._run is not None and _differs(self._run.definition, self.definition)

    @property
    def started_with(self) -> AgentDefinition:
        """The definition of its present run, or of the next."""
        return self._run.definition if self._run is not None else self.definition

    @property
    def logs(self) -> tuple[str, ...]:
        """The last lines of its stderr, over all of its runs."""
        return self._tail.lines

    @property
    def pid(self) -> int | None:
        """The id of its process while it runs."""
        return self._run.pid if self._run is not None else None

    @property
    def counts(self) -> bool:
        """Whether it takes one of the places for running agents."""
        return self.state in ("starting", "ready", "busy")

    @property
    def spare(self) -> bool:
        """Whether it runs and nobody uses it or is about to."""
        return self.state == "ready" and not self._wanted and not self.ending

    @property
    def ending(self) -> bool:
        """Whether it is being ended, with its state still the one before, or what is left after a failure."""
        return self._ending is not None or (self._start is not None and self._stop_asked)

    @property
    def failing(self) -> bool:
        """Whether its connection is gone and it is still being found out why."""
        client = self._client
        return client is not None and client.closed and self.state in ("ready", "busy") and not self.ending

    def define(self, definition: AgentDefinition) -> None:
        """Takes a changed definition; a running agent goes on with the one it was started with."""
        if definition != self.definition:
            self.definition = definition
            self._tell()

    # -- its life ------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begins to start it; nothing when it runs already, or is being ended."""
        if self.counts or self.ending:
            return
        self._stop_asked = False
        self.why_stopped = STOPPED
        started = f"{self._around.now().astimezone():%Y-%m-%d %H:%M:%S}"
        for line in self._tail.begin(f"--- started again at {started} ---"):
            self._around.on_line(self.definition.name, line)
        self._run = Run(self.definition, self._around, self._tail, self.login_needed)
        self._needs_login = ""
        self._move("start")
        self._start = self._around.tasks.start(self._begin(self._run), f"start {self.definition.name}")

    async def started(self) -> None:
        """Waits for the start that is under way.

        Raises:
            AgentUnavailableError: it could not be started.
        """
        if self._start is not None:
            await asyncio.shield(self._start)
        if self.state not in ("ready", "busy"):
            raise AgentUnavailableError(self.error or f"{self.why_stopped} while it started")

    async def ended(self) -> None:
        """Waits for the end that is under way."""
        while self.failing and self._watching is not None:
            await asyncio.shield(self._watching)
        while self.ending and (waited_for := self._start or self._ending) is not None:
            await asyncio.shield(waited_for)

    async def stop(self, why: str = STOPPED) -> None:
        """Ends its process with everything that this started; a start that is under way is broken off.

        `why` is the sentence for whoever uses it.
        """
        if not self.ending:
            self.why_stopped = why
        if self._start is not None and self._run is not None:
            self._stop_asked = True
            self._run.break_off()
            await self.ended()
        else:
            await self.end("stop")

    def call_off(self, why: str) -> None:
        """Whoever waits to start it shall not; the first reason for an end that is under way stays."""
        self.stops += 1
        if not self.ending:
            self.why_stopped = why

    async def end(self, happening: Happening) -> None:
        """Ends it for one of the reasons that end a running agent; returns when nothing of it is left.

        `idle` and `evict` are no reasons any more when somebody has begun to use it meanwhile.
        """
        may = self.spare or (happening == "stop" and self.state in ("ready", "busy"))
        if self._run is not None and not self.ending and may:
            self._close(self._run, happening)
        await self.ended()

    @contextmanager
    def use(self) -> Generator[AgentClient]:
        """Its connection; the agent is busy meanwhile.

        Raises:
            AgentUnavailableError: it ended meanwhile.
        """
        client = self._client
        if client is None or self.ending or self.state not in ("ready", "busy"):
            raise AgentUnavailableError(self.error or self.why_stopped)
        self._users.append(client)
        self.last_used = self._around.clock()
        if self.state == "ready":
            self._move("use")
        try:
            yield client
        finally:
            self._users.remove(client)
            self.last_used = self._around.clock()
            # Users of a former process may still be leaving while another one runs.
            is_last = self._client is client and self.state == "busy" and client not in self._users
            if is_last and not self.ending:
                self._move("release")

    @contextmanager
    def wanted(self) -> Generator[None]:
        """Somebody is about to use it: it does not make room for others meanwhile."""
        self._wanted += 1
        try:
            yield
        finally:
            self._wanted -= 1

    def login_needed(self, why: str) -> None:
        """It needs the user to log in first, for this reason; "": it does not any more."""
        if why != self._needs_login:
            self._needs_login = why
            self._tell()

    async def why_gone(self) -> str:
        """Why its connection ended, once that is known."""
        if self._watching is not None and not self.ending:
            await asyncio.wait([self._watching], timeout=self._around.patience.signal)
        return self.error or self.why_stopped

    # -- how it begins and ends ----------------------------------------------------------------------

    @property
    def _client(self) -> AgentClient | None:
        return self._run.client if self._run is not None else None

    async def _begin(self, run: Run) -> None:
        failure = ""
        try:
            await run.open()
        except StartError as error:
            failure = str(error)
        self._start = None
        if self._stop_asked:
            self._close(run, "stop")
        elif failure:
            self._fail(run, "failure", failure)
        else:
            self.last_used = self._around.clock()
            self.logins = run.client.logins if run.client is not None else self.logins
            self._watching = self._around.tasks.start(self._watch(run), f"watch {self.definition.name}")
            self._move("handshake")

    async def _watch(self, run: Run) -> None:
        """Notices that it ended by itself, or that nobody can talk to it any more."""
        reason = await run.over()
        if self._run is run and not self.ending:
            self._fail(run, "exit", reason)

    def _fail(self, run: Run, happening: Happening, reason: str) -> None:
        self._close(run)
        self._move(happening, "\n".join([run.mask(reason), *told(self._tail.of_this_run)]))

    def _close(self, run: Run, happening: Happening | None = None) -> None:
        """Begins to end a run; what happens to the agent when it is over, unless it has failed before."""

        is_unused = happening is not None and run.client is not None and run.client not in self._users

        async def close() -> None:
            try:
                await run.close(is_unused=is_unused)
            finally:
                self._run = self._ending = None
                if happening is not None:
                    self._move(happening)

        self._ending = self._around.tasks.start(close(), f"stop {self.definition.name}")

    def _move(self, happening: Happening, error: str = "") -> None:
        self.state = after(self.state, happening)
        self.error = error
        self._since = self._around.now()
        self._tell()

    def _tell(self) -> None:
        self._around.on_state(self.status())


def _differs(one: AgentDefinition, other: AgentDefinition) -> bool:
    """Whether a process started with one is another than with the other.

    How it is shown, what it may do, and how long a start may take hold at once.
    """
    return (one.command, one.args, one.env, one.cwd, one.mcp_servers, one.protocol_log) != (
        (other.command, other.args, other.env, other.cwd, other.mcp_servers, other.protocol_log)
    )
