"""Waiting for something or for a Stop, whichever comes first."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class StopAskedError(Exception):
    """The user pressed Stop while something was waited for."""


async def first(task: asyncio.Task[T], event: asyncio.Event) -> None:
    """Waits until the task is done or the event set."""
    waiting = asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        waiting.cancel()


async def unless(stop: asyncio.Event, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`, which ends when the event is set first.

    Raises:
        StopAskedError: the event was set first.
    """
    task = asyncio.ensure_future(work)
    try:
        await first(task, stop)
    except asyncio.CancelledError:
        task.cancel()
        await asyncio.wait({task})
        raise
    if not task.done():
        task.cancel()
        await asyncio.wait({task})
    if task.cancelled():
        raise StopAskedError
    return task.result()
