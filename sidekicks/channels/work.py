"""A channel's messages: what is sent is answered at once, or waits for its turn, or is stopped."""

from __future__ import annotations

import logging

import msgspec

from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.channels.answering import Answering
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.keeping import Keeping
from sidekicks.channels.membership import Membership
from sidekicks.channels.permissions import Permissions
from sidekicks.channels.routing import Route, route
from sidekicks.events import MessageUpdated
from sidekicks.history.port import History, HistoryError
from sidekicks.models import Message, TextPart
from sidekicks.tasks import Tasks

log = logging.getLogger(__name__)


class Work:
    """One task per channel that answers: it takes one message after the other until none waits."""

    def __init__(
        self,
        bus: Bus,
        agents: AgentService,
        history: History,
        membership: Membership,
        answering: Answering,
        permissions: Permissions,
        keeping: Keeping,
    ) -> None:
        self._bus = bus
        self._agents = agents
        self._history = history
        self._membership = membership
        self._answering = answering
        self._permissions = permissions
        self._keeping = keeping
        self._tasks = Tasks()

    async def close(self) -> None:
        """Ends the work on all channels."""
        await self._tasks.close()

    async def add(self, activity: Activity, message: Message) -> bool:
        """Takes a message of the user: it is on disk when this returns, unless it has to wait; whether it is.

        Raises:
            ChannelError: it can't be kept.
        """
        if activity.busy:
            message = msgspec.structs.replace(message, queued=True)
            activity.queue.append(message)
            self._publish(message)
            self._bus.publish(activity.event())
            return False
        activity.busy = True
        activity.idle.clear()
        try:
            await self._history.put_message(message)
        except BaseException as error:  # whoever sends may also be cancelled meanwhile
            self._begin(activity)
            if isinstance(error, HistoryError):
                raise ChannelError(str(error)) from error
            raise
        self._publish(message)
        activity.queue.appendleft(message)
        self._begin(activity)
        return True

    async def stop(self, activity: Activity) -> None:
        """Stops the answer that runs, those that were to follow and the waiting messages."""
        if not activity.busy:
            return
        waiting = [message for message in activity.queue if message.queued]
        activity.queue.clear()
        activity.stopping.set()
        self._permissions.cancel(lambda request: request.channel == activity.channel.id)
        self._agents.elicitations.cancel(activity.channel.id, activity.answering)
        for message in waiting:
            self._publish(msgspec.structs.replace(message, queued=False, error="cancelled"))
        self._bus.publish(activity.event())
        await activity.idle.wait()

    def unqueue(self, activity: Activity, message_id: str) -> Message:
        """Takes back a message that waits.

        Raises:
            ChannelError: it does not wait (any more).
        """
        for message in activity.queue:
            if message.id == message_id and message.queued:
                activity.queue.remove(message)
                taken = msgspec.structs.replace(message, queued=False, error="cancelled")
                self._publish(taken)
                self._bus.publish(activity.event())
                return taken
        raise ChannelError("the message does not wait any more")

    def _begin(self, activity: Activity) -> None:
        self._tasks.start(self._work(activity), f"answers in {activity.channel.id}")

    async def _work(self, activity: Activity) -> None:
        """Answers what waits. A Stop that came before the work began counts for its first message."""
        try:
            while activity.queue:
                await self._try(activity, activity.queue.popleft())
                activity.stopping.clear()
        finally:
            activity.busy = False
            activity.turn = None
            activity.stopping.clear()
            activity.idle.set()
            self._bus.publish(activity.event())

    async def _try(self, activity: Activity, message: Message) -> None:
        """Whatever goes wrong with a message is said at it, and the next one gets its turn."""
        try:
            await self._process(activity, message)
        except HistoryError as error:
            self._publish(msgspec.structs.replace(message, queued=False, error=str(error)))
        except Exception as error:
            log.exception("a message could not be answered")
            failure = f"Sidekicks failed: {type(error).__name__}: {error}"
            self._publish(msgspec.structs.replace(message, queued=False, error=failure))

    async def _process(self, activity: Activity, message: Message) -> None:
        activity.last_id = message.id
        if message.queued:
            message = msgspec.structs.replace(message, queued=False)
            await self._history.put_message(message)
            self._publish(message)
        way = await self._route(activity, message)
        for agent in way.joins:
            await self._membership.join(activity, agent, activity.next_id())
        if way.code is not None:
            await self._keeping.note(activity.channel.id, way.code, id_=activity.next_id())
        for agent in way.recipients:
            if not activity.stopping.is_set() and agent in activity.channel.members:
                await self._answering.answer(activity, agent, way, message)

    async def _route(self, activity: Activity, message: Message) -> Route:
        names = [status.name for status in self._agents.list()]
        last = await self._history.last_answerer(activity.channel.id)
        return route(text_of(message), activity.channel, names, last or None)

    def _publish(self, message: Message) -> None:
        self._bus.publish(MessageUpdated(channel=message.channel, message=message))


def text_of(message: Message) -> str:
    """What the user wrote."""
    return "".join(part.text for part in message.parts if isinstance(part, TextPart))
