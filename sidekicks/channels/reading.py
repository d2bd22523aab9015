"""What the user has read, and how much of a channel is unread.

Unread are finished answers, and what went wrong (nobody was meant, an agent or its session was not to be
had); not the user's own messages, nor who joined or left. Who writes in a channel has read it so far. A
channel in which nobody ever wrote since there is such a count has nothing unread.
"""

from __future__ import annotations

import logging

from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.events import Event, MessageUpdated, UnreadChanged
from sidekicks.history.port import History, HistoryError
from sidekicks.models import Message, is_news
from sidekicks.tasks import Tasks

log = logging.getLogger(__name__)


class Reading:
    """Counts what is unread, 100 at most for a channel, and remembers up to where it was read."""

    def __init__(self, bus: Bus, history: History) -> None:
        self._bus = bus
        self._history = history
        self._unread: dict[str, int] = {}
        self._last_read: dict[str, str] = {}
        self._tasks = Tasks()
        self._unlisten = bus.listen(self._take)

    async def load(self) -> None:
        """Reads what was unread; of a channel that was read to its end, nothing else is looked at."""
        self._unread = await self._history.unread_counts()

    async def close(self) -> None:
        """Counts no more."""
        self._unlisten()
        await self._tasks.close()

    def counts(self) -> dict[str, int]:
        """The number of unread messages of each channel that has any."""
        return {channel: count for channel, count in self._unread.items() if count}

    async def last_read(self, channel: str) -> str:
        """The id of the last message that was read, else empty."""
        if channel not in self._last_read:
            self._last_read[channel] = await self._history.last_read(channel)
        return self._last_read[channel]

    async def mark(self, activity: Activity, message_id: str) -> None:
        """The user has read up to a message, or all when it is empty. What was read stays read.

        An answer that is not finished is not read, whatever is shown of it: it comes before messages that
        wait, and has an older id than they.
        """
        channel = activity.channel.id
        newest = (await self._history.page(channel, limit=1)).messages
        if not newest:
            return
        read = min(message_id or newest[0].id, newest[0].id)
        if activity.busy and activity.last_id:
            read = min(read, activity.finished_id)
        if read <= await self.last_read(channel):
            return
        await self._history.put_last_read(channel, read)
        self._last_read[channel] = read
        await self._count(channel, is_told=True)

    async def wrote(self, message: Message) -> None:
        """The user wrote a message, so they have read what came before it."""
        try:
            await self._history.put_last_read(message.channel, message.id)
        except HistoryError as error:
            log.warning("what was read is not kept: %s", error)
            return
        self._last_read[message.channel] = message.id
        if self._unread.get(message.channel):
            await self._count(message.channel, is_told=True)

    def forget(self, channel: str) -> None:
        """The channel is deleted."""
        self._unread.pop(channel, None)
        self._last_read.pop(channel, None)

    def _take(self, event: Event) -> None:
        if isinstance(event, MessageUpdated):
            message = event.message
            if message.done and is_news(message.role, message.code):
                self._tasks.start(self._recount(message.channel), f"unread of {message.channel}")

    async def _recount(self, channel: str) -> None:
        try:
            if await self.last_read(channel):
                await self._count(channel)
        except HistoryError as error:
            log.warning("what is unread is not known: %s", error)

    async def _count(self, channel: str, *, is_told: bool = False) -> None:
        count = await self._history.unread(channel)
        is_told = is_told or count != self._unread.get(channel, 0)
        self._unread[channel] = count
        if is_told:
            last_read = await self.last_read(channel)
            self._bus.publish(UnreadChanged(channel=channel, unread=count, last_read=last_read))
