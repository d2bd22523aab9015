"""What is under which key of the store, and the calls on it: blocking, for one thread at a time.

    v                       version of the format
    c/<channel>             Channel
    cm/<channel>/<agent>    Member
    m/<channel>/<message>   Message; ids sort by time, so the last page is read from the end
    x/<message>             the id of the message's channel
    r/<channel>             the id of the last message that the user has seen
    a/<agent>               the agent's commands
    p/<agent>/<kind>        PermissionRule, a remembered answer

Values are MessagePack, except ids, which are as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

import msgspec

from sidekicks.history.driver import Database
from sidekicks.history.port import Member, is_news
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

T = TypeVar("T")

log = logging.getLogger(__name__)


class _Head(Model, frozen=True):
    """What says whether a message is news; the rest of it is passed over."""

    role: Role
    code: SystemCode | None = None


_encode = msgspec.msgpack.Encoder().encode
_channel = msgspec.msgpack.Decoder(Channel)
_member = msgspec.msgpack.Decoder(Member)
_message = msgspec.msgpack.Decoder(Message)
_commands = msgspec.msgpack.Decoder(tuple[Command, ...])
_rule = msgspec.msgpack.Decoder(PermissionRule)
_head = msgspec.msgpack.Decoder(_Head)
_END = b"\xff"


class Records:
    """The records of an open database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def newest_id(self) -> str:
        """The greatest id of a channel or message, else empty."""
        last = [next((key for key, _ in self._range(prefix, reverse=True)), b"") for prefix in (b"c/", b"x/")]
        return max(key[2:] for key in last).decode()

    def channels(self) -> tuple[Channel, ...]:
        """All channels by id."""
        return tuple(_decoded(_channel, self._range(b"c/")))

    def put_channel(self, channel: Channel) -> None:
        """Adds or replaces a channel."""
        self._put({b"c/" + channel.id.encode(): _encode(channel)})

    def delete_channel(self, channel: str) -> None:
        """Deletes everything of a channel, at once."""
        batch = self._database.write_batch(sync=True)
        messages = b"m/%s/" % channel.encode()
        for key, _ in self._range(messages):
            batch.delete(key)
            batch.delete(b"x/" + key.removeprefix(messages))
        for key, _ in self._range(b"cm/%s/" % channel.encode()):
            batch.delete(key)
        batch.delete(b"c/" + channel.encode())
        batch.delete(b"r/" + channel.encode())
        batch.write()

    def members(self, channel: str) -> dict[str, Member]:
        """The members' sessions by agent."""
        records = self._range(b"cm/%s/" % channel.encode())
        return {member.agent: member for member in _decoded(_member, records)}

    def put_member(self, channel: str, member: Member) -> None:
        """Keeps a member's session."""
        self._put({_member_key(channel, member.agent): _encode(member)})

    def delete_member(self, channel: str, agent: str) -> None:
        """Forgets a member's session."""
        batch = self._database.write_batch(sync=True)
        batch.delete(_member_key(channel, agent))
        batch.write()

    def put_message(self, message: Message, member: Member | None) -> None:
        """Keeps a message, and a member's session with it."""
        records = {
            b"m/%s/%s" % (message.channel.encode(), message.id.encode()): _encode(message),
            b"x/" + message.id.encode(): message.channel.encode(),
        }
        if member is not None:
            records[_member_key(message.channel, member.agent)] = _encode(member)
        self._put(records)

    def message(self, message: str) -> Message | None:
        """The message with this id."""
        channel = self._database.get(b"x/" + message.encode(), verify_checksums=True)
        if channel is None:
            return None
        key = b"m/%s/%s" % (channel, message.encode())
        value = self._database.get(key, verify_checksums=True)
        return None if value is None else next(_decoded(_message, [(key, value)]), None)

    def page(self, channel: str, before: str, limit: int) -> Page:
        """The last messages, or the last ones before one; one more is looked for to know `more`."""
        last = self._last_messages(channel, before=before)
        messages = list(islice(last, limit + 1))
        return Page(messages=tuple(reversed(messages[:limit])), more=len(messages) > limit)

    def after(self, channel: str, seen: str, limit: int) -> tuple[Message, ...]:
        """The last messages that are newer than `seen`."""
        last = self._last_messages(channel, after=seen)
        return tuple(reversed(list(islice(last, limit))))

    def last_answerer(self, channel: str) -> str:
        """The agent of the newest message by an agent."""
        return next((m.agent for m in self._last_messages(channel) if m.role == "agent"), "")

    def last_read(self, channel: str) -> str:
        """The id of the last message read."""
        return (self._database.get(b"r/" + channel.encode(), verify_checksums=True) or b"").decode()

    def put_last_read(self, channel: str, message: str) -> None:
        """Keeps the id of the last message read; worth no wait for the disk."""
        self._put({b"r/" + channel.encode(): message.encode()}, sync=False)

    def unread(self, channel: str, limit: int) -> int:
        """The number of messages after the last one read that are news."""
        return self._news_after(channel.encode(), self.last_read(channel).encode(), limit)

    def unread_counts(self, limit: int) -> dict[str, int]:
        """The same of all channels that were read before; one seek for a channel in which all was read."""
        counts = {key[2:]: self._news_after(key[2:], last, limit) for key, last in self._range(b"r/")}
        return {channel.decode(): count for channel, count in counts.items() if count}

    def _news_after(self, channel: bytes, last: bytes, limit: int) -> int:
        heads = _decoded(_head, self._range(b"m/%s/" % channel, after=last))
        return sum(1 for _ in islice((head for head in heads if is_news(head.role, head.code)), limit))

    def commands(self) -> dict[str, tuple[Command, ...]]:
        """The commands of each agent."""
        return {key[2:].decode(): commands for key, commands in _with_keys(_commands, self._range(b"a/"))}

    def put_commands(self, agent: str, commands: tuple[Command, ...]) -> None:
        """Keeps an agent's commands; worth no wait for the disk."""
        self._put({b"a/" + agent.encode(): _encode(commands)}, sync=False)

    def rules(self) -> tuple[PermissionRule, ...]:
        """All remembered answers."""
        return tuple(_decoded(_rule, self._range(b"p/")))

    def put_rule(self, rule: PermissionRule) -> None:
        """Remembers an answer."""
        self._put({_rule_key(rule.agent, rule.kind): _encode(rule)})

    def delete_rule(self, agent: str, kind: ToolKind) -> None:
        """Forgets an answer."""
        batch = self._database.write_batch(sync=True)
        batch.delete(_rule_key(agent, kind))
        batch.write()

    def _last_messages(self, channel: str, after: str = "", before: str = "") -> Iterator[Message]:
        prefix = b"m/%s/" % channel.encode()
        records = self._range(prefix, after.encode(), before.encode(), reverse=True)
        # LevelDB's repair takes records of a damaged log as they are: a key may have become another one.
        return (
            message for key, message in _with_keys(_message, records) if key == prefix + message.id.encode()
        )

    def _range(
        self, prefix: bytes, after: bytes = b"", before: bytes = b"", *, reverse: bool = False
    ) -> Iterator[tuple[bytes, bytes]]:
        return self._database.iterator(
            start=prefix + after,
            stop=prefix + (before or _END),
            include_start=False,
            reverse=reverse,
            verify_checksums=True,
        )

    def _put(self, records: dict[bytes, bytes], *, sync: bool = True) -> None:
        batch = self._database.write_batch(sync=sync)
        for key, value in records.items():
            batch.put(key, value)
        batch.write()


def _member_key(channel: str, agent: str) -> bytes:
    return b"cm/%s/%s" % (channel.encode(), agent.encode())


def _rule_key(agent: str, kind: ToolKind) -> bytes:
    return b"p/%s/%s" % (agent.encode(), kind.encode())


def _decoded(decoder: msgspec.msgpack.Decoder[T], records: Iterable[tuple[bytes, bytes]]) -> Iterator[T]:
    return (value for _, value in _with_keys(decoder, records))


def _with_keys(
    decoder: msgspec.msgpack.Decoder[T], records: Iterable[tuple[bytes, bytes]]
) -> Iterator[tuple[bytes, T]]:
    """Keys and values; a value that can't be understood is left out: the others are still worth showing."""
    for key, value in records:
        try:
            yield key, decoder.decode(value)
        except msgspec.MsgspecError as error:
            log.warning("the record %r can't be read: %s", key, error)
