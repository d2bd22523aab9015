"""Notices that an agent from which an answer is awaited has not been heard of for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Protocol

SILENT_SECONDS = 60.0
"""After how long an agent is called silent. Some hang for good when they lack credentials."""


class Timer(Protocol):
    """Something that will be done."""

    def cancel(self) -> None:
        """Not any more."""
        ...


class Clock(Protocol):
    """What tells the time, and what is done later: an event loop."""

    def time(self) -> float:
        """Seconds that only rise."""
        ...

    def call_later(self, delay: float, callback: Callable[[], None], /) -> Timer:
        """Calls in so many seconds."""
        ...


class Silence:
    """Whether an agent that should say something is `silent`. Hearing it costs a look at the clock."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.silent = False
        self._clock = clock
        self._heard = 0.0
        self._told: Callable[[], None] | None = None

    def heard(self) -> None:
        """There was a sign of life."""
        if self._told is not None:
            self._heard = self._timing.time()
            self._set(silent=False)

    @contextmanager
    def watch(
        self, seconds: float, *, is_excused: Callable[[], bool], told: Callable[[], None]
    ) -> Generator[None]:
        """Listens from now on; time in which it is excused does not count.

        `told` is called when `silent` changes.
        """
        clock = self._timing
        self._told = told
        self._heard = clock.time()

        def look() -> None:
            nonlocal timer
            if is_excused():
                self.heard()
            left = self._heard + seconds - clock.time()
            if left <= 0:
                self._set(silent=True)
            timer = clock.call_later(left if left > 0 else seconds, look)

        timer = clock.call_later(seconds, look)
        try:
            yield
        finally:
            timer.cancel()
            self._told = None
            self.silent = False

    @property
    def _timing(self) -> Clock:
        return self._clock or asyncio.get_running_loop()

    def _set(self, *, silent: bool) -> None:
        if silent != self.silent and self._told is not None:
            self.silent = silent
            self._told()
