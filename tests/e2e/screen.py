"""A terminal as a person has it: a real pseudo-terminal with mm on it; what it shows, what is typed."""

from __future__ import annotations

import asyncio
import os
import struct
import sys
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path

import psutil
import pyte
import pytest

from tests.e2e.conftest import mm_environment

if sys.platform == "win32":
    pytest.skip("pseudo-terminals of POSIX", allow_module_level=True)

import fcntl
import pty
import termios

CTRL_C, CTRL_D, ALT_ENTER, ALT_UP = b"\x03", b"\x04", b"\x1b\r", b"\x1b\x1b[A"
ROWS = 30
IN_A_TERMINAL = """
import os, runpy
os.close(os.open(os.ttyname(0), os.O_RDWR))  # makes it the terminal of this session, so that Ctrl+C arrives
runpy.run_module("minime_agent", run_name="__main__")
"""


class Screen:
    """What a person sees and types."""

    def __init__(self, master: int, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self._master = master
        self._seen = ""
        self._pasting, self._after_the_paste = False, b""
        self._more = asyncio.Event()
        asyncio.get_running_loop().add_reader(master, self._read)

    def _read(self) -> None:
        try:
            data = os.read(self._master, 65536)
        except OSError:
            data = b""
        if not data:
            asyncio.get_running_loop().remove_reader(self._master)
        self._take(data)
        self._more.set()

    def _take(self, data: bytes) -> None:
        self._seen += data.decode("utf-8", "replace")

    async def shows(self, text: str) -> str:
        """Waits until `text` appears; gives what came up to it, and forgets that."""
        async with asyncio.timeout(20):
            while text not in self._seen:
                self._more.clear()
                await self._more.wait()
        before, _, self._seen = self._seen.partition(text)
        return before + text

    async def sleeps(self) -> None:
        """Waits until it waits for keys: Python's readline does not see a signal that comes just before."""
        while psutil.Process(self.process.pid).status() != psutil.STATUS_SLEEPING:  # noqa: ASYNC110 (no event)
            await asyncio.sleep(0.01)

    def types(self, keys: bytes) -> None:
        if self._pasting:
            self._after_the_paste += keys
        else:
            os.write(self._master, keys)

    def close(self) -> None:
        """As when the window of a terminal is closed, or ssh loses its connection."""
        if self._master >= 0:
            asyncio.get_running_loop().remove_reader(self._master)
            os.close(self._master)
            self._master = -1

    async def pastes(self, text: str) -> None:
        """As a terminal does it; more than fits into its buffer, too. What it answers itself comes after."""
        self._pasting = True
        data = b"\x1b[200~" + text.encode() + b"\x1b[201~"
        while data:
            data = data[await asyncio.to_thread(os.write, self._master, data[:65536]) :]
        self._pasting = False
        os.write(self._master, self._after_the_paste)

    def resize(self, columns: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))


class DrawnScreen(Screen):
    """A screen that is drawn: `shows` looks at what stands on it and at what has scrolled off it."""

    def __init__(self, master: int, process: asyncio.subprocess.Process, columns: int) -> None:
        self.raw = b""
        self._terminal = pyte.HistoryScreen(columns, ROWS, history=5000, ratio=0.5)
        self._terminal.write_process_input = lambda data: self.types(data.encode())  # the cursor's position
        self._stream = pyte.ByteStream(self._terminal)
        super().__init__(master, process)

    def _take(self, data: bytes) -> None:
        self.raw += data
        self._stream.feed(data)

    @property
    def text(self) -> str:
        """All lines, without the blanks at their ends."""
        terminal = self._terminal
        above = ("".join(row[n].data for n in range(terminal.columns)) for row in terminal.history.top)
        return "\n".join(line.rstrip() for line in (*above, *terminal.display))

    async def shows(self, text: str, times: int = 1) -> str:
        """Waits until `text` stands there (so many times), wherever lines end; gives all that does."""
        try:
            async with asyncio.timeout(20):
                while " ".join(self.text.split()).count(" ".join(text.split())) < times:
                    self._more.clear()
                    await self._more.wait()
        except TimeoutError:
            raise AssertionError(f"{text!r} never came:\n{self.text.rstrip()}") from None
        return self.text

    def resize(self, columns: int) -> None:
        super().resize(columns)
        self._terminal.resize(ROWS, columns)


StartScreen = Callable[..., Awaitable[Screen]]


async def open_screen(
    stack: AsyncExitStack, folder: Path, url: str, *arguments: str, columns: int = 80, **environment: str
) -> Screen:
    """mm on a new terminal, until `stack` is closed."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", IN_A_TERMINAL, "--base-url", url, *arguments),
        cwd=folder,
        env=mm_environment(folder) | {"TERM": "dumb"} | environment,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)

    async def end() -> None:
        screen.close()
        if process.returncode is None:
            process.kill()
        await process.wait()

    if environment.get("TERM", "dumb") == "dumb":
        screen = Screen(master, process)
    else:
        screen = DrawnScreen(master, process, columns)
    stack.push_async_callback(end)
    return screen
