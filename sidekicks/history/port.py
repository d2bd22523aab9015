"""What the rest of the core asks of a history, whatever keeps it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec

from sidekicks.models import (
    Channel,
    Command,
    Message,
    Model,
    Page,
    PermissionRule,
    SearchResult,
    ToolKind,
)

PAGE = 100


class HistoryError(Exception):
    """The history could not be read or written; the message is one sentence for the user."""


class Member(Model, frozen=True):
    """What is kept of an agent in a channel: its ACP session id, and the id of the last message it saw.

    `chosen` are the values of the session's options that the user set. A session that is not `own` was made
    by another program: the channel goes on with it, and does not delete it.
    """

    agent: str
    session_id: str = ""
    seen: str = ""
    chosen: dict[str, str | bool] = msgspec.field(default_factory=dict[str, str | bool])
    own: bool = True


class History(Protocol):
    """A store of channels and finished messages. Any call may raise `HistoryError`.

    A write of a channel, member or message has reached the disk when the call returns. Messages are put
    when they are finished; putting one again replaces it. Reads see the writes that returned before.
    """

    @property
    def newest_id(self) -> str:
        """The greatest id of a channel or message when the store was opened; empty when it had none."""
        ...

    async def channels(self) -> tuple[Channel, ...]:
        """All channels, oldest first."""
        ...

    async def put_channel(self, channel: Channel) -> None:
        """Adds a channel or replaces it."""
        ...

    async def delete_channel(self, channel: str) -> None:
        """Deletes a channel with everything that belongs to it.

        If the program ends meanwhile, the channel is not there any more, and the rest is deleted at the
        next start.
        """
        ...

    async def members(self, channel: str) -> dict[str, Member]:
        """What is kept of the agents of a channel, by name; also of agents that have left it."""
        ...

    async def put_member(self, channel: str, member: Member) -> None:
        """Keeps an agent's session and last seen message."""
        ...

    async def delete_member(self, channel: str, agent: str) -> None:
        """Forgets an agent's session and last seen message."""
        ...

    async def put_message(self, message: Message, member: Member | None = None) -> None:
        """Keeps a message, together with what changed for `member` by it: both or neither."""
        ...

    async def put_messages(self, messages: Sequence[Message]) -> None:
        """Keeps messages of a channel that is not there yet.

        They are there for good when the channel is put; if that never happens, they are deleted at the next
        start.
        """
        ...

    async def message(self, message: str) -> Message | None:
        """The message with this id, of whatever channel."""
        ...

    async def page(self, channel: str, before: str = "", limit: int = PAGE) -> Page:
        """The last messages of a channel, or the last ones before the message `before`; oldest first."""
        ...

    async def after(self, channel: str, seen: str, limit: int = PAGE) -> tuple[Message, ...]:
        """The last messages of a channel, `limit` at most, that are newer than `seen`; oldest first."""
        ...

    async def following(self, channel: str, after: str = "", limit: int = PAGE) -> tuple[Message, ...]:
        """The first messages of a channel that are newer than `after`; oldest first."""
        ...

    async def search(self, query: str, limit: int = 50, channel: str = "", before: str = "") -> SearchResult:
        """The newest messages with all the words of `query`, in one channel or all, newest first.

        `query` is what a person types: words in any order, "quoted phrases" and names from code as they are;
        of the last word the beginning is enough. `before` is the last message of the former page.
        """
        ...

    async def last_answerer(self, channel: str) -> str:
        """The agent whose message is the newest one by any agent; empty when none has answered."""
        ...

    async def last_read(self, channel: str) -> str:
        """The id of the last message that the user has seen, else empty."""
        ...

    async def put_last_read(self, channel: str, message: str) -> None:
        """Keeps up to where the user has read."""
        ...

    async def unread(self, channel: str, limit: int = PAGE) -> int:
        """How many messages that are news are newer than the last read one; counts up to `limit`."""
        ...

    async def unread_counts(self, limit: int = PAGE) -> dict[str, int]:
        """`unread` of every channel that was ever read, where there are any; reads no message before that."""
        ...

    async def commands(self) -> dict[str, tuple[Command, ...]]:
        """The commands that each agent announced last."""
        ...

    async def put_commands(self, agent: str, commands: tuple[Command, ...]) -> None:
        """Keeps an agent's commands; they replace the former ones."""
        ...

    async def rules(self) -> tuple[PermissionRule, ...]:
        """The remembered answers to permission requests, by agent and kind."""
        ...

    async def put_rule(self, rule: PermissionRule) -> None:
        """Remembers an answer; it replaces the former one for the agent and kind."""
        ...

    async def delete_rule(self, agent: str, kind: ToolKind) -> None:
        """Forgets the answer for the agent and kind, if there is one."""
        ...

    async def close(self) -> None:
        """Ends the work that is under way and lets go of the store; other calls raise `HistoryError` then."""
        ...
