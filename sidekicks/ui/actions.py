"""What the user asks for and that takes time: what to do, what success shows, what failure shows."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QCoreApplication

from sidekicks.tasks import Tasks

T = TypeVar("T")


def _nothing(_result: object) -> None:
    """For actions whose success shows by the events it causes."""


@dataclass(frozen=True)
class Action(Generic[T]):
    """`work()` is awaited; then `success` gets its result, or `failure` one sentence on what went wrong."""

    name: str
    work: Callable[[], Coroutine[Any, Any, T]]
    failure: Callable[[str], None]
    success: Callable[[T], None] = _nothing


class Actions:
    """Runs actions as tasks of one owner.

    The text of a refusal is one sentence for the user. Any other exception is a fault of ours: its traceback
    is in the log, and `failure` gets a sentence that says so.
    """

    def __init__(self, tasks: Tasks, refusals: tuple[type[Exception], ...]) -> None:
        self._tasks = tasks
        self._refusals = refusals

    def start(self, action: Action[T]) -> asyncio.Task[None]:
        """Starts it; returns its task, which ends after `success` or `failure` has been called."""
        task = self._tasks.start(self._run(action), action.name)
        task.add_done_callback(lambda done: self._report(done, action.failure))
        return task

    async def _run(self, action: Action[T]) -> None:
        try:
            result = await action.work()
        except self._refusals as error:
            action.failure(str(error))
        else:
            action.success(result)

    @staticmethod
    def _report(task: asyncio.Task[None], failure: Callable[[str], None]) -> None:
        if task.cancelled() or (error := task.exception()) is None:
            return
        text = QCoreApplication.translate(
            "Actions", "This failed unexpectedly ({reason}); the log says more."
        )
        failure(text.format(reason=f"{type(error).__name__}: {error}"))
