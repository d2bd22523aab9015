"""Whose turn it is: an agent answers in one channel at a time, the others wait for it in their order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity


class _Place:
    """A place in the line for an agent. `is_turn`: it is for an answer, and the channel says if it waits."""

    def __init__(self, activity: Activity, *, is_turn: bool) -> None:
        self.activity = activity
        self.is_turn = is_turn
        self.comes = asyncio.Event()


class Attention:
    """A line for each agent; who stands first has the agent."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._lines: dict[str, list[_Place]] = {}

    def is_taken(self, agent: str) -> bool:
        """Whether the agent is occupied somewhere now."""
        return bool(self._lines.get(agent))

    @asynccontextmanager
    async def turn(self, activity: Activity, agent: str) -> AsyncGenerator[None]:
        """The agent for an answer; meanwhile the channel says in which other one it answers."""
        self._bus.publish(activity.event())
        async with self._stand(_Place(activity, is_turn=True), agent):
            yield

    @asynccontextmanager
    async def aside(self, activity: Activity, agent: str) -> AsyncGenerator[None]:
        """The agent for something that is no answer."""
        async with self._stand(_Place(activity, is_turn=False), agent):
            yield

    def forget(self, activity: Activity) -> None:
        """The channel is deleted: nobody waits for it by its name any more."""
        for line in self._lines.values():
            for place in line:
                if place.activity is activity:
                    place.is_turn = False
            self._tell(line)

    @asynccontextmanager
    async def _stand(self, place: _Place, agent: str) -> AsyncGenerator[None]:
        line = self._lines.setdefault(agent, [])
        line.append(place)
        self._tell(line)
        try:
            if line[0] is not place:
                await place.comes.wait()
            yield
        finally:
            line.remove(place)
            self._set(place, "")
            self._tell(line)

    def _tell(self, line: list[_Place]) -> None:
        """Lets the first one come, and the others know for whom they wait."""
        if not line:
            return
        first = line[0]
        first.comes.set()
        self._set(first, "")
        for place in line[1:]:
            is_named = first.is_turn and first.activity is not place.activity
            self._set(place, first.activity.channel.id if is_named else "")

    def _set(self, place: _Place, waiting_for: str) -> None:
        if place.is_turn and place.activity.waiting_for != waiting_for:
            place.activity.waiting_for = waiting_for
            self._bus.publish(place.activity.event())
