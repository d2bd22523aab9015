"""One agent of the configuration while the program runs: its process, its connection, its state."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

import msgspec

from sidekicks.acp.client import AgentClient
from sidekicks.acp.errors import AgentFailureError, AgentGoneError
from sidekicks.agents.guardian import Guardian
from sidekicks.agents.process import PATIENCE, AgentProcess, Patience, SpawnError
from sidekicks.agents.state import Happening, after
from sidekicks.agents.stderr import Budget, Tail, plain
from sidekicks.models import AgentDefinition, AgentState, AgentStatus
from sidekicks.tasks import Tasks
from sidekicks.version import VERSION

log = logging.getLogger(__name__)

TOLD_LINES = 10
"""Last stderr lines that go with a reason."""
TOLD_CHARACTERS = 300
"""What goes with a reason of each of them; the logs have more."""


class AgentUnavailableError(AgentFailureError):
    """An agent could not be started, or may not be; the message says why."""


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What an agent needs of the rest of the program, so that tests can give something else."""

    resolve: Callable[[AgentDefinition], list[str] | None]
    on_state: Callable[[AgentStatus], None]
    on_line: Callable[[str, str], None]
    clock: Callable[[], float]
    guardian: Guardian
    tasks: Tasks
    environment: Mapping[str, str] = os.environ
    patience: Patience = PATIENCE


class Agent:
    """An agent and, while it runs, its process. Every change of its state goes through the state table."""

    def __init__(self, definition: AgentDefinition, around: Surroundings) -> None:
        self.definition = definition
        self.state: AgentState = "stopped"
        self.error = ""
        self.last_used = 0.0
        self.client: AgentClient | None = None
        self._around = around
        self._running: AgentDefinition | None = None
        self._process: AgentProcess | None = None
        self._tail = Tail()
        self._users: list[AgentClient] = []
        self._start: asyncio.Task[None] | None = None
        self._deadline: asyncio.Timeout | None = None
        self._stop_asked = False
        self._wanted = 0
        self._watching: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._gone = ""

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
            error=self.error,
            outdated=self.outdated,
        )

    @property
    def outdated(self) -> bool:
        """Whether it runs with another definition than the configuration's."""
        return self._running is not None and self._running != self.definition

    @property
    def logs(self) -> tuple[str, ...]:
        """The last lines of its stderr."""
        return self._tail.lines

    @property
    def counts(self) -> bool:
        """Whether it takes one of the places for running agents."""
        return self.state in ("starting", "ready", "busy")

    @property
    def spare(self) -> bool:
        """Whether it runs and nobody uses it or is about to."""
        return self.state == "ready" and not self._wanted

    @property
    def ending(self) -> bool:
        """Whether it is being ended; its state is still the one before."""
        return self._ending is not None

    def define(self, definition: AgentDefinition) -> None:
        """Takes a changed definition; a running agent goes on with the one it was started with."""
        if definition != self.definition:
            self.definition = definition
            self._tell()

    # -- its life ------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begins to start it, when it neither runs nor is ended right now."""
        if not self.counts and not self.ending:
            self._stop_asked = False
            self._move("start")
            self._start = self._around.tasks.start(self._begin(), f"start {self.definition.name}")

    async def started(self) -> None:
        """Waits for the start that is under way.

        Raises:
            AgentUnavailableError: it could not be started.
        """
        if self._start is not None:
            await asyncio.shield(self._start)
        if self.state not in ("ready", "busy"):
            raise AgentUnavailableError(self.error or "it was stopped while it started")

    async def ended(self) -> None:
        """Waits for the end that is under way."""
        while self._ending is not None:
            await asyncio.shield(self._ending)

    async def stop(self) -> None:
        """Ends its process with everything that this started; a start that is under way is broken off."""
        if self._start is None:
            await self.end("stop")
            return
        self._stop_asked = True
        if self._deadline is not None and not self._deadline.expired():
            self._deadline.reschedule(asyncio.get_running_loop().time())
        await asyncio.shield(self._start)

    async def end(self, why: Happening) -> None:
        """Ends it for one of the reasons that end a running agent; returns when nothing of it is left."""
        if self._ending is None and self.state in ("ready", "busy"):
            self._ending = self._around.tasks.start(self._end(why), f"stop {self.definition.name}")
        if self._ending is not None:
            await asyncio.shield(self._ending)

    @contextmanager
    def use(self) -> Generator[AgentClient]:
        """Its connection; the agent is busy meanwhile.

        Raises:
            AgentUnavailableError: it ended meanwhile.
        """
        client = self.client
        if client is None or self._ending is not None or self.state not in ("ready", "busy"):
            raise AgentUnavailableError(self.error or "it was stopped")
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
            is_last = self.client is client and self.state == "busy" and client not in self._users
            if is_last and self._ending is None:
                self._move("release")

    @contextmanager
    def wanted(self) -> Generator[None]:
        """Somebody is about to use it: it does not make room for others meanwhile."""
        self._wanted += 1
        try:
            yield
        finally:
            self._wanted -= 1

    async def why_gone(self) -> str:
        """Why its connection ended, once that is known."""
        if self._watching is not None and (self._ending is None or self._gone):
            await asyncio.wait([self._watching], timeout=self._around.patience.signal)
        return self.error or self._gone or "it was stopped"

    # -- how it begins -------------------------------------------------------------------------------

    async def _begin(self) -> None:
        try:
            await self._try(self.definition)
        finally:
            self._start = None

    async def _try(self, definition: AgentDefinition) -> None:
        self._tail.clear()
        self._gone = ""
        failure, is_gone = "", False
        try:
            async with asyncio.timeout(definition.start_timeout) as self._deadline:
                if not self._stop_asked:
                    await self._open(definition)
        except TimeoutError:
            failure = f"it did not answer within {definition.start_timeout:g} s"
        except (SpawnError, AgentFailureError) as error:
            failure, is_gone = str(error), isinstance(error, AgentGoneError)
        except Exception as error:
            log.exception("starting %s failed", definition.name)
            failure = f"it can't be started ({type(error).__name__}: {error})"
        finally:
            self._deadline = None
        if failure or self._stop_asked:
            await self._fail(failure, is_gone=is_gone)
            return
        assert self._process is not None
        assert self.client is not None
        self._running = definition
        self.last_used = self._around.clock()
        watch = self._watch(self._process, self.client)
        self._watching = self._around.tasks.start(watch, f"watch {definition.name}")
        self._move("handshake")

    async def _open(self, definition: AgentDefinition) -> None:
        command = self._around.resolve(definition)
        if command is None:
            raise SpawnError(
                f"the program {definition.command} was not found; install it,"
                f" or change `command` of the agent {definition.name} in the settings"
            )
        told = Budget(self._around.clock)

        def on_line(line: str) -> None:
            if told.allows():
                self._around.on_line(definition.name, line)

        self._process = await AgentProcess.spawn(
            command,
            env={**self._around.environment, **definition.env},
            cwd=definition.cwd or str(Path.home()),
            tail=self._tail,
            on_line=on_line,
            patience=self._around.patience,
        )
        self._around.guardian.watch(self._process.pid)

        def on_junk(start: bytes) -> None:
            line = f"not the protocol: {plain(start[:200])}"
            self._tail.add(line)
            on_line(line)

        self.client = AgentClient(self._process.stdout, self._process.stdin, on_junk=on_junk)
        closing = self._close_after_exit(self._process, self.client)
        self._around.tasks.start(closing, f"exit of {definition.name}")
        await self.client.handshake(VERSION)

    async def _fail(self, failure: str, *, is_gone: bool) -> None:
        ended = ""
        if self._process is not None:
            if is_gone:
                ended = await self._exit_of(self._process)
            await self._close_process()
        if self._stop_asked:
            self._move("stop")
        else:
            self._move("failure", self._with_tail(f"it {ended} before it answered" if ended else failure))

    async def _exit_of(self, process: AgentProcess) -> str:
        """How a process ended whose connection broke; empty when it still runs."""
        try:
            async with asyncio.timeout(self._around.patience.descendants):
                await process.wait()
        except TimeoutError:
            return ""
        return process.how_it_ended()

    # -- how it ends ---------------------------------------------------------------------------------

    async def _close_after_exit(self, process: AgentProcess, client: AgentClient) -> None:
        """What it started may hold its output open for as long as it likes, and nobody answers any more."""
        await process.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._around.patience.last_words):
                await client.wait_closed()
        await client.close()

    async def _watch(self, process: AgentProcess, client: AgentClient) -> None:
        """Notices that it ended by itself, or that nobody can talk to it any more."""
        await client.wait_closed()
        ended = "" if self._ending is not None else await self._exit_of(process)
        if self._ending is None:
            self._gone = f"it {ended}" if ended else "it closed its output"
            await self.end("exit")

    async def _end(self, why: Happening) -> None:
        try:
            await self._close_process()
        finally:
            self._ending = None
            self._move(why, self._with_tail(self._gone) if why == "exit" else "")

    async def _close_process(self) -> None:
        """Ends the connection first, so that whoever waits for an answer learns of it at once."""
        process, client = self._process, self.client
        if client is not None:
            await client.close()
        if process is not None:
            await process.stop()
            self._around.guardian.forget(process.pid)
        self._process = self.client = self._running = None

    def _with_tail(self, reason: str) -> str:
        lines = [line[:TOLD_CHARACTERS] for line in self._tail.lines if line.strip()]
        others = [line for at, line in enumerate(lines) if at == 0 or line != lines[at - 1]]
        return "\n".join([reason, *others[-TOLD_LINES:]])

    def _move(self, happening: Happening, error: str = "") -> None:
        self.state = after(self.state, happening)
        self.error = error
        self._tell()

    def _tell(self) -> None:
        self._around.on_state(self.status())
