"""What is under which key of the store, and the calls on it: blocking, for one thread at a time.

    v                       version of the format
    c/<channel>             Channel
    cm/<channel>/<agent>    Member
    m/<channel>/<message>   Message; ids sort by time, so the last page is read from the end
    x/<message>             the id of the message's channel
    r/<channel>             the id of the last message that the user has seen
    l/<channel>             <message>/<agent> of the newest answer, "/" without one; since it was asked for
    d/<channel>             nothing: what there is of this channel is to be deleted, or not yet whole
    a/<agent>               the agent's commands
    p/<agent>/<kind>        PermissionRule, a remembered answer

Values are MessagePack, except ids, which are as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import msgspec

from sidekicks.history.driver import Database
from sidekicks.history.port import Member
from sidekicks.history.space import Space, decoded, with_keys
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
    is_news,
)

LOOKED_AT = 10_000
"""Messages after the last one read that are looked at to count those that are news."""


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


class Records:
    """The records of an open database."""

    def __init__(self, database: Database) -> None:
        self._space = Space(database)

    def newest_id(self) -> str:
        """The greatest id of a channel or message, else empty."""
        channel = next(self._space.keys(b"c/", reverse=True), b"")
        return max(channel[2:].decode(), self.newest_message())

    def channels(self) -> tuple[Channel, ...]:
        """All channels by id."""
        return tuple(decoded(_channel, self._space.range(b"c/")))

    def put_channel(self, channel: Channel) -> None:
        """Adds or replaces a channel; with it, messages that were put before are there for good."""
        batch = self._space.batch(sync=True)
        batch.put(b"c/" + channel.id.encode(), _encode(channel))
        batch.delete(b"d/" + channel.id.encode())
        batch.write()

    def hide_channel(self, channel: str) -> None:
        """Takes a channel out of the list, and marks what was in it to be deleted."""
        batch = self._space.batch(sync=True)
        batch.put(b"d/" + channel.encode(), b"")
        for kind in (b"c/", b"r/", b"l/"):
            batch.delete(kind + channel.encode())
        for key in self._space.keys(b"cm/%s/" % channel.encode()):
            batch.delete(key)
        batch.write()

    def delete_messages(self, channel: str, after: str, limit: int) -> str:
        """Deletes some messages of a channel; the id of the last of them, empty when there were none left."""
        messages = b"m/%s/" % channel.encode()
        keys = list(islice(self._space.keys(messages, after.encode()), limit))
        batch = self._space.batch(sync=False)
        for key in keys:
            batch.delete(key)
            batch.delete(b"x/" + key.removeprefix(messages))
        batch.write()
        return keys[-1].removeprefix(messages).decode() if keys else ""

    def unmark_channel(self, channel: str) -> None:
        """Says that nothing is left of a channel that was to be deleted."""
        batch = self._space.batch(sync=True)
        batch.delete(b"d/" + channel.encode())
        batch.write()

    def hidden_channels(self) -> tuple[str, ...]:
        """The channels that were not deleted, or not put, to the end."""
        return tuple(key[2:].decode() for key in self._space.keys(b"d/"))

    def members(self, channel: str) -> dict[str, Member]:
        """The members' sessions by agent."""
        records = self._space.range(b"cm/%s/" % channel.encode())
        return {member.agent: member for member in decoded(_member, records)}

    def put_member(self, channel: str, member: Member) -> None:
        """Keeps a member's session."""
        self._space.put({_member_key(channel, member.agent): _encode(member)})

    def delete_member(self, channel: str, agent: str) -> None:
        """Forgets a member's session."""
        batch = self._space.batch(sync=True)
        batch.delete(_member_key(channel, agent))
        batch.write()

    def put_message(self, message: Message, member: Member | None) -> None:
        """Keeps a message, and a member's session with it."""
        records = _message_records(message)
        if member is not None:
            records[_member_key(message.channel, member.agent)] = _encode(member)
        if message.role == "agent":
            key = b"l/" + message.channel.encode()
            known = self._space.get(key)
            if known is not None and known.partition(b"/")[0] <= message.id.encode():
                records[key] = b"%s/%s" % (message.id.encode(), message.agent.encode())
        self._space.put(records)

    def put_messages(self, messages: Sequence[Message]) -> None:
        """Keeps messages of channels that are still to be put; till then they are marked to be deleted."""
        records: dict[bytes, bytes] = {}
        for message in messages:
            records[b"d/" + message.channel.encode()] = b""
            records |= _message_records(message)
        self._space.put(records)

    def message(self, message: str) -> Message | None:
        """The message with this id."""
        channel = self._space.get(b"x/" + message.encode())
        if channel is None:
            return None
        key = b"m/%s/%s" % (channel, message.encode())
        value = self._space.get(key)
        return None if value is None else next(decoded(_message, [(key, value)]), None)

    def messages(self, ids: Sequence[str]) -> tuple[Message, ...]:
        """The messages with these ids; those that are not there, or marked to be deleted, are left out."""
        hidden = set(self.hidden_channels())
        found = (self.message(message) for message in ids)
        return tuple(message for message in found if message is not None and message.channel not in hidden)

    def newest_message(self) -> str:
        """The greatest id of a message, else empty."""
        return next(iter(self.ids_before("", 1)), "")

    def ids(self, after: str, limit: int) -> tuple[str, ...]:
        """The first ids of messages after one."""
        return tuple(key[2:].decode() for key in islice(self._space.keys(b"x/", after.encode()), limit))

    def ids_before(self, before: str, limit: int) -> tuple[str, ...]:
        """The last ids of messages before one, or of all; the greatest first."""
        keys = self._space.keys(b"x/", before=before.encode(), reverse=True)
        return tuple(key[2:].decode() for key in islice(keys, limit))

    def page(self, channel: str, before: str, limit: int) -> Page:
        """The last messages, or the last ones before one; one more is looked for to know `more`."""
        last = self._messages(channel, before=before, reverse=True)
        messages = list(islice(last, limit + 1))
        return Page(messages=tuple(reversed(messages[:limit])), more=len(messages) > limit)

    def after(self, channel: str, seen: str, limit: int) -> tuple[Message, ...]:
        """The last messages that are newer than `seen`."""
        last = self._messages(channel, after=seen, reverse=True)
        return tuple(reversed(list(islice(last, limit))))

    def following(self, channel: str, after: str, limit: int) -> tuple[Message, ...]:
        """The first messages that are newer than `after`."""
        return tuple(islice(self._messages(channel, after=after), limit))

    def last_answerer(self, channel: str) -> str:
        """The agent of the newest message by an agent; looked for once, in all messages if need be."""
        key = b"l/" + channel.encode()
        known = self._space.get(key)
        if known is None:
            answers = (m for m in self._messages(channel, reverse=True) if m.role == "agent")
            known = next((f"{m.id}/{m.agent}" for m in answers), "/").encode()
            self._space.put({key: known}, sync=False)
        return known.partition(b"/")[2].decode()

    def last_read(self, channel: str) -> str:
        """The id of the last message read."""
        return (self._space.get(b"r/" + channel.encode()) or b"").decode()

    def put_last_read(self, channel: str, message: str) -> None:
        """Keeps the id of the last message read; worth no wait for the disk."""
        self._space.put({b"r/" + channel.encode(): message.encode()}, sync=False)

    def unread(self, channel: str, limit: int) -> int:
        """The number of messages after the last one read that are news."""
        return self._news_after(channel.encode(), self.last_read(channel).encode(), limit)

    def unread_counts(self, limit: int) -> dict[str, int]:
        """The same of all channels that were read before; one seek for a channel in which all was read."""
        counts = {key[2:]: self._news_after(key[2:], last, limit) for key, last in self._space.range(b"r/")}
        return {channel.decode(): count for channel, count in counts.items() if count}

    def _news_after(self, channel: bytes, last: bytes, limit: int) -> int:
        heads = decoded(_head, islice(self._space.range(b"m/%s/" % channel, after=last), LOOKED_AT))
        return sum(1 for _ in islice((head for head in heads if is_news(head.role, head.code)), limit))

    def commands(self) -> dict[str, tuple[Command, ...]]:
        """The commands of each agent."""
        return {
            key[2:].decode(): commands for key, commands in with_keys(_commands, self._space.range(b"a/"))
        }

    def put_commands(self, agent: str, commands: tuple[Command, ...]) -> None:
        """Keeps an agent's commands; worth no wait for the disk."""
        self._space.put({b"a/" + agent.encode(): _encode(commands)}, sync=False)

    def rules(self) -> tuple[PermissionRule, ...]:
        """All remembered answers."""
        return tuple(decoded(_rule, self._space.range(b"p/")))

    def put_rule(self, rule: PermissionRule) -> None:
        """Remembers an answer."""
        self._space.put({_rule_key(rule.agent, rule.kind): _encode(rule)})

    def delete_rule(self, agent: str, kind: ToolKind) -> None:
        """Forgets an answer."""
        batch = self._space.batch(sync=True)
        batch.delete(_rule_key(agent, kind))
        batch.write()

    def _messages(
        self, channel: str, after: str = "", before: str = "", *, reverse: bool = False
    ) -> Iterator[Message]:
        prefix = b"m/%s/" % channel.encode()
        records = self._space.range(prefix, after.encode(), before.encode(), reverse=reverse)
        # LevelDB's repair takes records of a damaged log as they are: a key may have become another one.
        return (
            message for key, message in with_keys(_message, records) if key == prefix + message.id.encode()
        )


def _message_records(message: Message) -> dict[bytes, bytes]:
    return {
        b"m/%s/%s" % (message.channel.encode(), message.id.encode()): _encode(message),
        b"x/" + message.id.encode(): message.channel.encode(),
    }


def _member_key(channel: str, agent: str) -> bytes:
    return b"cm/%s/%s" % (channel.encode(), agent.encode())


def _rule_key(agent: str, kind: ToolKind) -> bytes:
    return b"p/%s/%s" % (agent.encode(), kind.encode())
