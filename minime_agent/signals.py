"""Ctrl+C, SIGTERM and SIGHUP (the terminal is gone): the work is cancelled and cleans up after itself.

The exit code says which it was.
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Coroutine
from typing import Any

INTERRUPTED = 130
"""The exit code after Ctrl+C, as shells have it: 128 and the signal's number."""


class Terminated(BaseException):
    """A signal to end came while work ran; the work has ended cleanly."""

    def __init__(self, number: int) -> None:
        self.name = signal.Signals(number).name
        self.exit_code = 128 + number
        super().__init__(f"ended by {self.name}")


def ends() -> tuple[int, ...]:
    """The signals that ask the process to end, other than Ctrl+C.

    Windows has none that an event loop can handle: the process is ended from outside there.
    """
    return () if sys.platform == "win32" else (signal.SIGTERM, signal.SIGHUP)


def run(runner: asyncio.Runner, work: Coroutine[Any, Any, int]) -> int:
    """Runs `work` and returns its result.

    Raises KeyboardInterrupt after Ctrl+C and `Terminated` after another of `ends`, both once `work` was
    cancelled and has cleaned up.
    """
    loop = runner.get_loop()
    came: list[int] = []

    async def guarded() -> int:
        task = asyncio.current_task()
        assert task is not None

        def stop(number: int) -> None:
            came.append(number)
            task.cancel()

        for number in ends():
            loop.add_signal_handler(number, stop, number)
        try:
            return await work
        finally:
            for number in ends():
                loop.remove_signal_handler(number)

    try:
        return runner.run(guarded())
    except (asyncio.CancelledError, OSError):
        if came:  # and a terminal that is gone takes no last words
            raise Terminated(came[0]) from None
        raise
