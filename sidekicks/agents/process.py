"""One agent's process: started in a group of its own, heard to its last line, ended with all it started."""

from __future__ import annotations

import asyncio
import os
import sys
from asyncio.subprocess import PIPE, SubprocessStreamProtocol
from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from sidekicks.agents.exits import describe_exit
from sidekicks.agents.group import Group, group_of, spawn_options
from sidekicks.agents.stderr import Tail, drain

_BUFFER = 256 * 1024
_LOOK_EVERY = 0.02


class Patience(msgspec.Struct, frozen=True):
    """Seconds that a process is given at each step of stopping.

    `end_of_input`: after its stdin was closed; `descendants`: for what it started, after it has ended itself;
    `signal`: after SIGTERM; `last_words`: for the rest of its stderr.
    """

    end_of_input: float = 5.0
    descendants: float = 1.0
    signal: float = 3.0
    last_words: float = 0.25


PATIENCE = Patience()


class SpawnError(Exception):
    """The program can't be started; the message says why."""


class _Protocol(SubprocessStreamProtocol):
    """Knows when the process has ended: asyncio's own waiting goes on while a descendant holds a pipe."""

    def __init__(self) -> None:
        super().__init__(limit=_BUFFER, loop=asyncio.get_running_loop())
        self.exited = asyncio.Event()
        self.closed = asyncio.Event()

    def process_exited(self) -> None:
        super().process_exited()
        self.exited.set()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.closed.set()


class AgentProcess:
    """A running program. `stdin` and `stdout` are its pipes; stderr goes to `tail`, line by line."""

    def __init__(
        self, transport: asyncio.SubprocessTransport, protocol: _Protocol, tail: Tail, patience: Patience
    ) -> None:
        assert protocol.stdin is not None
        assert protocol.stdout is not None
        self.stdin: asyncio.StreamWriter = protocol.stdin
        self.stdout: asyncio.StreamReader = protocol.stdout
        self.tail = tail
        self._transport = transport
        self._protocol = protocol
        self._patience = patience
        self._group: Group = group_of(self.pid)
        self._stderr: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None

    @classmethod
    async def spawn(
        cls,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str,
        tail: Tail,
        on_line: Callable[[str], None] = lambda line: None,
        patience: Patience = PATIENCE,
    ) -> AgentProcess:
        """Starts `command` in the folder `cwd` with `env` as its whole environment.

        Raises:
            SpawnError: it can't be started.
        """
        loop = asyncio.get_running_loop()
        try:
            transport, protocol = await loop.subprocess_exec(
                _Protocol, *command, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=env, cwd=cwd, **spawn_options()
            )
        except OSError as error:
            raise SpawnError(_why_not(command[0], cwd, error)) from error
        process = cls(transport, protocol, tail, patience)
        assert protocol.stderr is not None
        process._stderr = asyncio.create_task(drain(protocol.stderr, tail, on_line), name="agent's stderr")
        return process

    @property
    def pid(self) -> int:
        """Its process id, which is also its group's."""
        return self._transport.get_pid()

    async def wait(self) -> None:
        """Waits until it has ended."""
        await self._protocol.exited.wait()

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self._protocol.exited.is_set()

    async def last_words(self) -> None:
        """Waits until its stderr was read to the end; not for long: what it started may hold it open."""
        if self._stderr is not None:
            await asyncio.wait([self._stderr], timeout=self._patience.last_words)

    def how_it_ended(self) -> str:
        """The end of a sentence that begins with the agent's name; empty while it runs."""
        return describe_exit(self._transport.get_returncode())

    async def stop(self) -> None:
        """Ends it and everything it started, step by step; returns when the group is gone.

        The steps: its stdin is closed; after 5 s SIGTERM to the group; 3 s later SIGKILL to the group.
        """
        if self._ending is None:
            self._ending = asyncio.create_task(self._end(), name=f"stop process {self.pid}")
        await asyncio.shield(self._ending)

    async def _end(self) -> None:
        self.stdin.close()
        # Whoever read its output may have stopped: an agent that can't write can't end by itself.
        discarding = asyncio.create_task(_discard(self.stdout), name=f"output of process {self.pid}")
        try:
            await self._end_group()
        finally:
            discarding.cancel()
            await asyncio.wait([discarding])
        await self._let_go()

    async def _end_group(self) -> None:
        if await _within(self._patience.end_of_input, self.wait()):
            await self._is_gone(self._patience.descendants)
        else:
            self._group.trace()
        if self._group.alive():
            self._group.terminate()
            await self._is_gone(self._patience.signal)
        if self._group.alive():
            self._group.trace()
            self._group.kill()
            await self._is_gone(self._patience.signal)
        await _within(self._patience.signal, self.wait())

    async def _is_gone(self, seconds: float) -> None:
        deadline = asyncio.get_running_loop().time() + seconds
        # Nobody tells when somebody else's child has ended, so it is looked at.
        while self._group.alive() and asyncio.get_running_loop().time() < deadline:  # noqa: ASYNC110 - see above
            await asyncio.sleep(_LOOK_EVERY)

    async def _let_go(self) -> None:
        """Hears the last words and closes the pipes, whoever else may hold them."""
        await self.last_words()
        if self._stderr is not None:
            self._stderr.cancel()
            await asyncio.wait([self._stderr])
        self._transport.close()
        await _within(1.0, self._protocol.closed.wait())
        self._group.close()


async def _discard(output: asyncio.StreamReader) -> None:
    while await output.read(_BUFFER):  # noqa: ASYNC110 - it waits for bytes; the sleep lets others run
        await asyncio.sleep(0)


async def _within(seconds: float, waiting: Awaitable[object]) -> bool:
    """Whether what is awaited happened in time."""
    try:
        async with asyncio.timeout(seconds):
            await waiting
    except TimeoutError:
        return False
    return True


def _why_not(program: str, cwd: str, error: OSError) -> str:
    if not os.path.isdir(cwd):  # noqa: PTH112 - as a text, as it came
        return f"its folder {cwd} does not exist"
    if isinstance(error, FileNotFoundError):
        return f"the program {program} was not found"
    if isinstance(error, PermissionError):
        return f"the program {program} may not be run (permission denied)"
    if sys.platform != "win32" and error.errno == 8:
        return f"the file {program} is no program"
    return f"the program {program} can't be started ({error.strerror or error})"
