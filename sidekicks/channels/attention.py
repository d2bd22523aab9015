"""Whose turn it is: an agent answers in one channel at a time, the others wait for it in order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity


class Attention:
    """Which channel has which agent, and which wait for it."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._locks: dict[str, asyncio.Lock] = {}
        self._holders: dict[str, str] = {}
        self._waiting: dict[str, list[Activity]] = {}

    def is_taken(self, agent: str) -> bool:
        """Whether the agent answers somewhere now."""
        return agent in self._holders

    @asynccontextmanager
    async def turn(self, activity: Activity, agent: str) -> AsyncGenerator[None]:
        """The agent's attention; meanwhile the channel says for which other one it waits."""
        waiting = self._waiting.setdefault(agent, [])
        async with AsyncExitStack() as stack:
            waiting.append(activity)
            activity.waiting_for = self._holders.get(agent, "")
            self._bus.publish(activity.event())
            try:
                await stack.enter_async_context(self.hold(activity, agent))
            finally:
                waiting.remove(activity)
                if activity.waiting_for:
                    activity.waiting_for = ""
                    self._bus.publish(activity.event())
            yield

    @asynccontextmanager
    async def hold(self, activity: Activity, agent: str) -> AsyncGenerator[None]:
        """The agent's attention, without a word of whom the channel waits for."""
        async with self._locks.setdefault(agent, asyncio.Lock()):
            self._holders[agent] = activity.channel.id
            for other in self._waiting.get(agent, ()):
                if other is not activity:
                    other.waiting_for = activity.channel.id
                    self._bus.publish(other.event())
            try:
                yield
            finally:
                del self._holders[agent]
