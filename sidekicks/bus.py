"""Publish and subscribe: the one way in which the core tells anyone anything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager

from sidekicks.events import Event

DEFAULT_LIMIT = 10_000


class SlowSubscriberError(Exception):
    """A subscriber let its bounded queue fill up; it has missed events and must read the state anew."""


class Subscription(AsyncIterator[Event]):
    """An async iterator of events, in order, at most `limit` of them waiting."""

    def __init__(self, limit: int) -> None:
        self._events: asyncio.Queue[Event] = asyncio.Queue(limit)
        self._overflow = False

    def offer(self, event: Event) -> None:
        """Takes an event without waiting; marks the subscription as overflowed when there is no room."""
        try:
            self._events.put_nowait(event)
        except asyncio.QueueFull:
            self._overflow = True

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Event:
        if self._overflow and self._events.empty():
            raise SlowSubscriberError(f"more than {self._events.maxsize} events were waiting")
        return await self._events.get()


class Bus:
    """Delivers each published event to every listener (at once) and every subscription (queued), in order."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []
        self._listeners: list[Callable[[Event], None]] = []

    def publish(self, event: Event) -> None:
        """Hands the event on; never waits. A listener must not raise and must be quick."""
        for listener in tuple(self._listeners):
            listener(event)
        for subscription in self._subscriptions:
            subscription.offer(event)

    def listen(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Calls `listener` with every event from now on, until the returned function is called."""
        self._listeners.append(listener)

        def stop() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return stop

    @asynccontextmanager
    async def subscribe(self, limit: int = DEFAULT_LIMIT) -> AsyncGenerator[Subscription]:
        """Every event published inside the `async with`, as an async iterator."""
        subscription = Subscription(limit)
        self._subscriptions.append(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.remove(subscription)
