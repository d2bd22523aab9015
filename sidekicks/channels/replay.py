"""The past of a session that an agent tells when it is taken up, as messages of a channel."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from datetime import datetime

from sidekicks.acp.changes import Change, NoticeTold, TextAdded, UserSaid
from sidekicks.channels.catchup import said, without_catch_up
from sidekicks.channels.secrecy import Hide
from sidekicks.channels.turns import Turn
from sidekicks.ids import Ids
from sidekicks.models import ImagePart, Message, Part, TextPart, ToolPart

MAX_MESSAGES = 2_000
"""Messages of a replayed past that are kept: the last ones."""


class Replay:
    """Takes the changes of the past in order; `messages` are what was said, each finished.

    `hide` takes the agent's secrets out of them.
    """

    def __init__(
        self, channel: str, agent: str, ids: Ids, now: Callable[[], datetime], hide: Hide = str
    ) -> None:
        self._hide = hide
        self._channel = channel
        self._agent = agent
        self._ids = ids
        self._now = now
        self._done: deque[Message] = deque(maxlen=MAX_MESSAGES)
        self._turn: Turn | None = None
        self._words: list[str] = []
        self._images: list[ImagePart] = []
        self._speaker: str | None = None

    def take(self, change: Change) -> None:
        """Takes what was said or done next."""
        match change:
            case UserSaid():
                self._end_turn()
                self._user(change)
            case NoticeTold(warning=False):
                return
            case NoticeTold(text=text):
                self._apply(TextAdded(text=f"\n\n> ⚠ {text}\n\n"))
            case _:
                self._apply(change)

    def messages(self) -> tuple[Message, ...]:
        """All messages, oldest first."""
        self._end_turn()
        self._end_user()
        return tuple(self._done)

    def _apply(self, change: Change) -> None:
        self._end_user()
        if self._turn is None:
            self._turn = Turn(self._message(), clock=time.monotonic, now=self._now, hide=self._hide)
        self._turn.apply(change)

    def _user(self, change: UserSaid) -> None:
        if change.message_id is not None and self._speaker not in (None, change.message_id):
            self._end_user()
        self._speaker = change.message_id
        if change.image is not None:
            self._images.append(change.image)
        else:
            self._words.append(change.text)

    def _end_user(self) -> None:
        text = without_catch_up("".join(self._words)).strip()
        parts: tuple[Part, ...] = ((TextPart(text=text),) if text else ()) + tuple(self._images)
        if parts:
            self._done.append(
                Message(
                    id=self._ids.new(),
                    channel=self._channel,
                    created_at=self._now(),
                    role="user",
                    parts=parts,
                )
            )
        self._words, self._images, self._speaker = [], [], None

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._done.append(self._turn.finish("end_turn"))
            self._turn = None

    def _message(self) -> Message:
        return Message(
            id=self._ids.new(),
            channel=self._channel,
            created_at=self._now(),
            role="agent",
            agent=self._agent,
            done=False,
        )


def unknown(past: Iterable[Message], known: Iterable[Message]) -> tuple[Message, ...]:
    """The messages of a replayed `past` that are not among the `known` ones of the channel."""
    there = Counter(map(_content, known))
    news: list[Message] = []
    for message in past:
        content = _content(message)
        if there[content]:
            there[content] -= 1
        else:
            news.append(message)
    return tuple(news)


def _content(message: Message) -> tuple[str, str, tuple[str, ...]]:
    text = "".join(said(message).split())
    calls = () if text else tuple(part.title for part in message.parts if isinstance(part, ToolPart))
    return message.agent, text, calls
