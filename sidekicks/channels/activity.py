"""What is going on in one channel right now; nothing of it is kept."""

from __future__ import annotations

import asyncio
from collections import deque

from sidekicks.channels.session import ChannelSession
from sidekicks.channels.silence import Silence
from sidekicks.channels.turns import Turn
from sidekicks.events import TurnChanged
from sidekicks.ids import following, preceding
from sidekicks.models import Channel, Message, SessionOption, Usage


class Activity:
    """A channel at work: who answers, what waits, the sessions that are open.

    `stopping` is set from a Stop until the work it was for has ended. `last_id` is the id of the message that
    is being answered, or of the last one that it caused. `opening` is held while a session is opened.
    """

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.busy = False
        self.answering = ""
        self.waiting_for = ""
        self.queue: deque[Message] = deque()
        self.turn: Turn | None = None
        self.stopping = asyncio.Event()
        self.idle = asyncio.Event()
        self.idle.set()
        self.sessions: dict[str, ChannelSession] = {}
        self.usage: dict[str, Usage] = {}
        self.options: dict[str, tuple[SessionOption, ...]] = {}
        self.titles: dict[str, str] = {}
        self.opening = asyncio.Lock()
        self.silence = Silence()
        self.last_id = ""

    def next_id(self) -> str:
        """The id of the next message that the present one causes: messages sent meanwhile come after it."""
        self.last_id = following(self.last_id)
        return self.last_id

    def note_id(self) -> str:
        """Where something that just happened is noted: in the present work, else empty for the end."""
        return self.next_id() if self.busy and self.last_id else ""

    @property
    def finished_id(self) -> str:
        """Up to where all messages of the present work are finished."""
        if self.turn is not None and not self.turn.done:
            return preceding(self.turn.id)
        return self.last_id

    @property
    def waiting(self) -> int:
        """How many messages wait for the end of the answers."""
        return sum(message.queued for message in self.queue)

    def unfinished(self) -> tuple[Message, ...]:
        """Messages that are not in the history yet."""
        current = (self.turn.message(),) if self.turn is not None and not self.turn.done else ()
        return (*current, *(message for message in self.queue if message.queued))

    def event(self) -> TurnChanged:
        """How the channel is."""
        return TurnChanged(
            channel=self.channel.id,
            busy=self.busy,
            queued=self.waiting,
            answering=self.answering,
            waiting_for=self.waiting_for,
            silent=self.silence.silent,
        )
