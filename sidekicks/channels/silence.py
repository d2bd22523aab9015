"""Notices that an agent from which an answer is awaited has not been heard of for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator
from contextlib import contextmanager

SILENT_SECONDS = 60.0
"""After how long an agent is called silent. Some hang for good when they lack credentials."""


class Silence:
    """Whether an agent that should say something is `silent`. Hearing it costs a look at the clock."""

    def __init__(self) -> None:
        self.silent = False
        self._heard = 0.0
        self._told: Callable[[], None] | None = None

    def heard(self) -> None:
        """There was a sign of life."""
        if self._told is not None:
            self._heard = asyncio.get_running_loop().time()
            self._set(silent=False)

    @contextmanager
    def watch(
        self, seconds: float, *, is_excused: Callable[[], bool], told: Callable[[], None]
    ) -> Generator[None]:
        """Listens from now on; time in which it is excused does not count.

        `told` is called when `silent` changes.
        """
        loop = asyncio.get_running_loop()
        self._told = told
        self._heard = loop.time()

        def look() -> None:
            nonlocal timer
            if is_excused():
                self.heard()
            left = self._heard + seconds - loop.time()
            if left <= 0:
                self._set(silent=True)
            timer = loop.call_later(left if left > 0 else seconds, look)

        timer = loop.call_later(seconds, look)
        try:
            yield
        finally:
            timer.cancel()
            self._told = None
            self.silent = False

    def _set(self, *, silent: bool) -> None:
        if silent != self.silent and self._told is not None:
            self.silent = silent
            self._told()
