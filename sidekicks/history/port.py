"""What the rest of the core asks of a history, whatever keeps it.

A full-text index would wrap a `History`: it sees `put_message` and `delete_channel`, and can be rebuilt
from `channels` and `page`.
"""

from __future__ import annotations

from typing import Protocol

import msgspec

from sidekicks.models import (
    Channel,
    Command,
    Message,
    Model,
    Page,
    PermissionRule,
    Role,
    SystemCode,
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


def is_news(role: Role, code: SystemCode | None) -> bool:
    """Whether such a message counts as unread: an agent's, or what went wrong; not who came and went."""
    return role == "agent" or (role == "system" and code not in ("agent-joined", "agent-left"))


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
        """Deletes a channel with everything that belongs to it."""
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

    async def message(self, message: str) -> Message | None:
        """The message with this id, of whatever channel."""
        ...

    async def page(self, channel: str, before: str = "", limit: int = PAGE) -> Page:
        """The last messages of a channel, or the last ones before the message `before`; oldest first."""
        ...

    async def after(self, channel: str, seen: str, limit: int = PAGE) -> tuple[Message, ...]:
        """The last messages of a channel, `limit` at most, that are newer than `seen`; oldest first."""
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
