"""Processes that a test did not start itself."""

from __future__ import annotations

import asyncio

import psutil


def is_running(pid: int) -> bool:
    """Whether the process still runs; one that nobody has collected yet does not."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def gone(pid: int) -> None:
    """Waits until the process has ended; a signal takes a moment to arrive."""
    async with asyncio.timeout(10):
        while is_running(pid):  # noqa: ASYNC110 (the end of another's child gives no event)
            await asyncio.sleep(0.01)
