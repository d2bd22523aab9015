"""Ctrl+C and SIGTERM: the work is cancelled, cleans up after itself, and the exit code says which it was."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Coroutine
from typing import Any

INTERRUPTED = 130
TERMINATED = 143


class Terminated(BaseException):
    """SIGTERM came while work ran; the work has ended cleanly."""


def run(runner: asyncio.Runner, work: Coroutine[Any, Any, int]) -> int:
    """Runs `work` and returns its result.

    Raises KeyboardInterrupt after Ctrl+C and `Terminated` after SIGTERM, both once `work` was cancelled and
    has cleaned up.
    """
    loop = runner.get_loop()
    came: list[int] = []

    async def guarded() -> int:
        task = asyncio.current_task()
        assert task is not None

        def stop() -> None:
            came.append(signal.SIGTERM)
            task.cancel()

        # Windows has no SIGTERM to handle: the process is ended from outside there.
        if sys.platform != "win32":
            loop.add_signal_handler(signal.SIGTERM, stop)
        try:
            return await work
        finally:
            if sys.platform != "win32":
                loop.remove_signal_handler(signal.SIGTERM)

    try:
        return runner.run(guarded())
    except asyncio.CancelledError:
        if came:
            raise Terminated from None
        raise
