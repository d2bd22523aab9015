"""Publish and subscribe: the one way in which the core tells anyone anything."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager

from sidekicks.events import Event

DEFAULT_LIMIT = 10_000


class SlowSubscriberError(Exception):
    """A subscriber let its bounded queue fill up; it has missed events and must read the state anew."""


class Subscription(AsyncIterator[Event]):
    """An async iterator of events, in order, at most `limit` of them waiting; it ends when the core closes.

    When there is no room for an event, those that wait are still given, then `SlowSubscriberError` is raised:
    nothing comes after a gap that was not told. Going on with it afterwards gives what happens from then on.
    """

    def __init__(self, limit: int) -> None:
        self._events: deque[Event] = deque()
        self._limit = limit
        self._overflow = False
        self._ended = False
        self._news = asyncio.Event()

    def offer(self, event: Event) -> None:
        """Takes an event without waiting; marks the subscription as overflowed when there is no room."""
        self._overflow = self._overflow or len(self._events) >= self._limit
        if not self._overflow:
            self._events.append(event)
        self._news.set()

    def end(self) -> None:
        """No more events will come."""
        self._ended = True
        self._news.set()

    def __aiter__(self) -> Subscription:
        return self

    async def __anext__(self) -> Event:
        while not self._events:
            if self._overflow:
                self._overflow = False
                raise SlowSubscriberError(f"more than {self._limit} events were waiting")
            if self._ended:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._events.popleft()


class Bus:
    """Delivers each published event to every listener (at once) and every subscription (queued), in order."""

    def __init__(self) -> None:
        self._subscriptions: list[Subscription] = []
        self._listeners: list[Callable[[Event], None]] = []
        self._closed = False

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
        if self._closed:
            subscription.end()
        self._subscriptions.append(subscription)
        try:
            yield subscription
        finally:
            self._subscriptions.remove(subscription)

    def close(self) -> None:
        """Ends every subscription, once it has been read."""
        self._closed = True
        for subscription in self._subscriptions:
            subscription.end()
