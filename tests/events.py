"""Waiting for what the core tells, instead of for time to pass."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from sidekicks.bus import Bus
from sidekicks.events import Event

E = TypeVar("E")


class Recorder:
    """Every event of a bus, in order; `until` waits for one."""

    def __init__(self, bus: Bus) -> None:
        self.events: list[Event] = []
        self._more = asyncio.Event()
        bus.listen(self._take)

    def _take(self, event: Event) -> None:
        self.events.append(event)
        self._more.set()

    def of(self, kind: type[E]) -> list[E]:
        """The events of one kind so far."""
        return [event for event in self.events if isinstance(event, kind)]

    async def until(
        self, kind: type[E], is_meant: Callable[[E], object] = lambda event: True, *, since: int = 0
    ) -> E:
        """The first event of a kind that is meant, from the event number `since` on."""
        async with asyncio.timeout(20):
            position = since
            while True:
                for event in self.events[position:]:
                    position += 1
                    if isinstance(event, kind) and is_meant(event):
                        return event
                self._more.clear()
                await self._more.wait()
