"""Questions to whoever sits at the terminal."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path
from typing import TextIO

from sidekicks.commands.output import say


class NobodyError(Exception):
    """There is nobody to answer, or they closed the terminal's input."""


class Terminal:
    """Asks one question at a time. `text_came_through` stdin: the keyboard is asked for another way."""

    def __init__(self, *, text_came_through: bool = False) -> None:
        self._keyboard = _keyboard(text_came_through=text_came_through)
        self._lock = asyncio.Lock()

    @property
    def is_there(self) -> bool:
        """Whether anybody can be asked."""
        return self._keyboard is not None

    @property
    def lock(self) -> asyncio.Lock:
        """To be held over questions that belong together."""
        return self._lock

    async def ask(self, question: str) -> str:
        """The line that is typed after `question`. Cancelling ends the waiting, where the system lets it.

        Raises:
            NobodyError: there is no line.
        """
        if self._keyboard is None:
            raise NobodyError
        say(question, end="")
        line = await _line(self._keyboard)
        if not line:
            say("")
            raise NobodyError
        return line.strip()


def _keyboard(*, text_came_through: bool) -> TextIO | None:
    if sys.stdin is not None and sys.stdin.isatty():
        return sys.stdin
    if not text_came_through or sys.stderr is None or not sys.stderr.isatty() or sys.platform == "win32":
        return None
    # By its name: macOS can't wait for /dev/tty.
    return Path(os.ttyname(sys.stderr.fileno())).open(encoding="utf-8")


async def _line(keyboard: TextIO) -> str:
    if sys.platform == "win32":
        return await asyncio.to_thread(keyboard.readline)
    loop, ready = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(keyboard, ready.set)
    try:
        await ready.wait()
    finally:
        loop.remove_reader(keyboard)
    return keyboard.readline()
