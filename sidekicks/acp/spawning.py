"""A command with a terminal for its output: the one place where the platforms differ.

POSIX: a pseudo-terminal, so that programs write at once and in colours as they do for a person. It is not
their controlling terminal, and their input is empty: nobody is there to type, so a program that asks for a
password fails instead of waiting for ever. Windows: pipes.
"""

from __future__ import annotations

import asyncio
import os
import struct
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

COLUMNS = 120
ROWS = 40
QUIET_PAGERS = {"PAGER": "cat", "GIT_PAGER": "cat", "MANPAGER": "cat"}
"""A pager would wait for a key that nobody presses."""

OnData: TypeAlias = Callable[[bytes], None]


class Running(asyncio.SubprocessProtocol):
    """A process: `exited` when it has ended, `silent` when nothing more of its output can come."""

    def __init__(self, on_data: OnData) -> None:
        self.exited = asyncio.Event()
        self.silent = asyncio.Event()
        self.on_data = on_data
        self._process: asyncio.SubprocessTransport | None = None
        self._output: asyncio.ReadTransport | None = None

    @property
    def pid(self) -> int:
        """Its process id, which is also its group's."""
        assert self._process is not None
        return self._process.get_pid()

    @property
    def returncode(self) -> int | None:
        """As of `subprocess.Popen`."""
        return self._process.get_returncode() if self._process is not None else None

    def close(self) -> None:
        """Lets go of its output and of the process, which must have ended."""
        if self._output is not None:
            self._output.close()
        if self._process is not None:
            self._process.close()

    # -- what asyncio tells --------------------------------------------------------------------------

    def attached(self, process: asyncio.SubprocessTransport, output: asyncio.ReadTransport | None) -> None:
        """It runs; `output` is the terminal's side of it, when that is not one of the process's pipes."""
        self._process, self._output = process, output

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Windows: output came."""
        self.on_data(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Windows: no output will come any more."""
        self.silent.set()

    def process_exited(self) -> None:
        """The process has ended; what it started may go on."""
        self.exited.set()


class _Output(asyncio.Protocol):
    """The terminal's side of a pseudo-terminal. At its end Linux reports an error, others an end of file."""

    def __init__(self, running: Running) -> None:
        self._running = running

    def data_received(self, data: bytes) -> None:
        self._running.on_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        self._running.silent.set()


async def spawn(
    command: Sequence[str] | str,
    *,
    cwd: str,
    env: Mapping[str, str],
    options: Mapping[str, Any],
    on_data: OnData,
) -> Running:
    """Starts a program with its arguments, or a line for the shell, in the folder `cwd`.

    `env` is its whole environment; `options` are further ones of `subprocess.Popen`. Raises `OSError`.
    """
    running = Running(on_data)
    start = _on_pipes if sys.platform == "win32" else _on_a_terminal
    await start(running, command, {"cwd": cwd, "env": dict(env), "stdin": DEVNULL, **options})
    return running


async def _on_pipes(running: Running, command: Sequence[str] | str, options: dict[str, Any]) -> None:
    loop = asyncio.get_running_loop()
    options |= {"stdout": PIPE, "stderr": STDOUT}
    if isinstance(command, str):
        process, _ = await loop.subprocess_shell(lambda: running, command, **options)
    else:
        process, _ = await loop.subprocess_exec(lambda: running, *command, **options)
    running.attached(process, None)


async def _on_a_terminal(running: Running, command: Sequence[str] | str, options: dict[str, Any]) -> None:
    assert sys.platform != "win32"
    loop = asyncio.get_running_loop()
    arguments = _shell(command, options["env"]) if isinstance(command, str) else command
    ours, theirs = os.openpty()
    try:
        _prepare(theirs)
        options |= {"stdout": theirs, "stderr": theirs}
        process, _ = await loop.subprocess_exec(lambda: running, *arguments, **options)
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    output, _ = await loop.connect_read_pipe(lambda: _Output(running), os.fdopen(ours, "rb", buffering=0))
    running.attached(process, output)


def _shell(line: str, env: Mapping[str, str]) -> list[str]:
    """What runs a line: bash where there is one, since agents write for it."""
    import shutil

    return [shutil.which("bash", path=env.get("PATH")) or "/bin/sh", "-c", line]


def _prepare(terminal: int) -> None:
    """Line ends stay as they are written, and the size is one that tables fit into."""
    if sys.platform != "win32":
        import fcntl
        import termios

        modes = termios.tcgetattr(terminal)
        modes[1] &= ~termios.OPOST
        modes[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(terminal, termios.TCSANOW, modes)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
