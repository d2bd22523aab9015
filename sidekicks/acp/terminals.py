"""The terminals that one agent has asked for: in its sessions' folders, few at a time, ended with them."""

from __future__ import annotations

import asyncio
import itertools
import os
import shutil
import sys
from collections.abc import Mapping, Sequence

from minime_agent.acp.wire.errors import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, RequestError
from minime_agent.acp.wire.services import (
    CreateTerminalRequest,
    TerminalExitStatus,
    TerminalOutputResponse,
    TerminalRequest,
)
from sidekicks.acp.files import inside
from sidekicks.acp.spawning import QUIET_PAGERS
from sidekicks.acp.terminal import Groups, Terminal, Watcher
from sidekicks.tasks import Tasks

MAX_RUNNING = 16
"""Commands of one agent that may run at once."""
MAX_ENDED = 16
"""Terminals whose command has ended that are kept until they are released; then the oldest is forgotten."""
DEFAULT_LIMIT = 1024 * 1024
"""Bytes of output that are kept when the agent does not say how many."""
MAX_LIMIT = 4 * 1024 * 1024
"""Bytes of output that are kept at most."""

_SHELL_WORDS = frozenset(" \t\n|&;<>()$`\\\"'*?[]#~=%{}!")
"""With one of these in it a command without arguments is a line for the shell."""


class Terminals:
    """All terminals of one connection, by id. `environment` is what their commands begin with.

    Requests raise `RequestError` with a sentence.
    """

    def __init__(self, groups: Groups, environment: Mapping[str, str]) -> None:
        self._groups = groups
        self._environment = environment
        self._terminals: dict[str, Terminal] = {}
        self._starting = 0
        self._ids = itertools.count(1)
        self._tasks = Tasks()
        self._closed = False

    async def create(self, request: CreateTerminalRequest, folders: Sequence[str]) -> str:
        """Runs a command in the first of `folders`, or where it says inside of them; the terminal's id."""
        if self._closed:
            raise RequestError(INTERNAL_ERROR, "the agent is being stopped")
        if self._running() + self._starting >= MAX_RUNNING:
            raise RequestError(
                INTERNAL_ERROR, f"{MAX_RUNNING} commands are running already; release a terminal first"
            )
        cwd = str(inside(folders, request.cwd)) if request.cwd else folders[0]
        env = {**self._environment, "TERM": "xterm-256color", **QUIET_PAGERS}
        env |= {variable.name: variable.value for variable in request.env}
        command = _command(request.command, request.args, cwd, env)
        limit = DEFAULT_LIMIT if request.output_byte_limit is None else max(0, request.output_byte_limit)
        terminal = Terminal(request.session_id, min(limit, MAX_LIMIT), self._groups)
        starting = self._tasks.start(self._start(terminal, command, cwd, env), "start a terminal")
        try:
            await asyncio.shield(starting)
        except asyncio.CancelledError:  # the agent has changed its mind
            self._tasks.start(self._discard(terminal, starting), "end a terminal that nobody wants")
            raise
        except (OSError, ValueError) as error:
            raise RequestError(INVALID_PARAMS, _why_not(request.command, cwd, error)) from error
        self._forget_old()
        number = f"terminal-{next(self._ids)}"
        self._terminals[number] = terminal
        if self._closed:
            await self._release(number)
            raise RequestError(INTERNAL_ERROR, "the agent is being stopped")
        return number

    def show(self, session: str, number: str, watcher: Watcher) -> None:
        """From now on `watcher` is told what a terminal writes; an unknown one is the agent's own."""
        terminal = self._terminals.get(number)
        if terminal is not None and terminal.session == session:
            terminal.show(watcher)

    def output(self, request: TerminalRequest) -> TerminalOutputResponse:
        """What a terminal shows."""
        terminal = self._of(request)
        text, truncated = terminal.output()
        return TerminalOutputResponse(output=text, truncated=truncated, exit_status=terminal.status)

    async def wait(self, request: TerminalRequest) -> TerminalExitStatus:
        """Waits until a terminal's command has ended."""
        return await self._of(request).wait()

    async def kill(self, request: TerminalRequest) -> None:
        """Ends a terminal's command; what it has written can still be read."""
        # Whoever asks may change their mind; a command that is being ended is ended.
        await asyncio.shield(self._tasks.start(self._of(request).end(), f"kill {request.terminal_id}"))

    async def release(self, request: TerminalRequest) -> None:
        """Ends a terminal's command and forgets the terminal."""
        self._of(request)
        await self._release(request.terminal_id)

    def forget(self, session: str) -> None:
        """The session is over: its terminals end."""
        for number in [number for number, one in self._terminals.items() if one.session == session]:
            self._start_release(number)

    async def close(self) -> None:
        """Ends all terminals; nothing of them is left then."""
        self._closed = True
        endings = [self._start_release(number) for number in tuple(self._terminals)]
        if endings:
            await asyncio.wait(endings)
        await self._tasks.close()

    # -- within --------------------------------------------------------------------------------------

    async def _start(
        self, terminal: Terminal, command: Sequence[str] | str, cwd: str, env: Mapping[str, str]
    ) -> None:
        self._starting += 1
        try:
            await terminal.run(command, cwd, env, self._tasks.start)
        finally:
            self._starting -= 1

    async def _discard(self, terminal: Terminal, starting: asyncio.Task[None]) -> None:
        await asyncio.wait([starting])
        await terminal.release()

    def _of(self, request: TerminalRequest) -> Terminal:
        terminal = self._terminals.get(request.terminal_id)
        if terminal is None or terminal.session != request.session_id:
            raise RequestError(
                RESOURCE_NOT_FOUND, f"there is no terminal {request.terminal_id}, or it was released"
            )
        return terminal

    def _running(self) -> int:
        return sum(terminal.status is None for terminal in self._terminals.values())

    def _forget_old(self) -> None:
        ended = [number for number, one in self._terminals.items() if one.status is not None]
        for number in ended[: max(0, len(ended) + 1 - MAX_ENDED)]:
            self._start_release(number)

    async def _release(self, number: str) -> None:
        await asyncio.shield(self._start_release(number))

    def _start_release(self, number: str) -> asyncio.Task[None]:
        return self._tasks.start(self._terminals.pop(number).release(), f"release {number}")


def _command(command: str, args: Sequence[str], cwd: str, env: Mapping[str, str]) -> Sequence[str] | str:
    """A program with its arguments; or a line for the shell, which many agents send as the command."""
    program = _find(command, cwd, env)
    if program is not None:
        return [program, *args]
    if not args and _SHELL_WORDS & set(command) and "\0" not in command:
        return command
    raise RequestError(INVALID_PARAMS, f"the program {command[:200]!r} was not found")


def _find(command: str, cwd: str, env: Mapping[str, str]) -> str | None:
    """The program that is meant, looked up as from the folder `cwd`."""
    if not command or "\0" in command:
        return None
    path = os.path.join(cwd, command) if os.path.dirname(command) else command  # noqa: PTH118, PTH120 - a text
    return shutil.which(path, path=env.get("PATH"))


def _why_not(command: str, cwd: str, error: Exception) -> str:
    if not os.path.isdir(cwd):  # noqa: PTH112 - as a text, as it came
        return f"the folder {cwd} does not exist"
    if isinstance(error, PermissionError):
        return f"the program {command[:200]!r} may not be run (permission denied)"
    if isinstance(error, OSError) and sys.platform != "win32" and error.errno == 8:
        return f"the file {command[:200]!r} is no program"
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return f"the program {command[:200]!r} can't be started ({reason})"
