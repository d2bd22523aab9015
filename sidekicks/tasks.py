"""The owner of asyncio tasks: nothing is fire-and-forget, every failure is reported."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

log = logging.getLogger(__name__)
T = TypeVar("T")


class Tasks:
    """Keeps the tasks that one part of the program started, logs what they raise, and ends them together."""

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()

    def start(self, work: Coroutine[Any, Any, Any], name: str) -> asyncio.Task[Any]:
        """Runs `work` as a task of this owner."""
        task = asyncio.get_running_loop().create_task(work, name=name)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("task %s failed", task.get_name(), exc_info=error)

    async def settled(self) -> None:
        """Waits until every task has ended by itself."""
        while self._tasks:
            await asyncio.wait(tuple(self._tasks))
            await asyncio.sleep(0)  # their callbacks run, which take them out

    async def close(self) -> None:
        """Cancels every task and waits until all have ended."""
        while pending := [
            task for task in self._tasks if not task.done() and task is not asyncio.current_task()
        ]:
            for task in pending:
                task.cancel()
            await asyncio.wait(pending)


async def to_the_end(work: asyncio.Future[T]) -> T:
    """Waits for what must not be left half done; when the caller is cancelled, that is raised at its end."""
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait([work])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        work.result()
        raise cancelled
    return work.result()
