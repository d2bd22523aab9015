"""A history that lives until the program ends: what there is when the store can't be opened."""

# ruff: noqa: D102 - the protocol has the docstrings

from __future__ import annotations

import bisect
from collections.abc import Sequence
from itertools import islice

from sidekicks.history.port import PAGE, Member
from sidekicks.history.query import Query
from sidekicks.history.said import found_in
from sidekicks.models import Channel, Command, Message, Page, PermissionRule, SearchResult, ToolKind, is_news


class MemoryHistory:
    """A `History` in memory."""

    def __init__(self) -> None:
        self._channels: dict[str, Channel] = {}
        self._members: dict[str, dict[str, Member]] = {}
        self._messages: dict[str, dict[str, Message]] = {}
        self._order: dict[str, list[str]] = {}
        self._channel_of: dict[str, str] = {}
        self._last_read: dict[str, str] = {}
        self._commands: dict[str, tuple[Command, ...]] = {}
        self._rules: dict[tuple[str, ToolKind], PermissionRule] = {}

    @property
    def newest_id(self) -> str:
        """See `History`; so for all that follow."""
        return ""

    async def channels(self) -> tuple[Channel, ...]:
        return tuple(self._channels[channel] for channel in sorted(self._channels))

    async def put_channel(self, channel: Channel) -> None:
        self._channels[channel.id] = channel

    async def delete_channel(self, channel: str) -> None:
        for message in self._messages.pop(channel, {}):
            del self._channel_of[message]
        for kept in (self._channels, self._members, self._order, self._last_read):
            kept.pop(channel, None)

    async def members(self, channel: str) -> dict[str, Member]:
        return dict(self._members.get(channel, {}))

    async def put_member(self, channel: str, member: Member) -> None:
        self._members.setdefault(channel, {})[member.agent] = member

    async def delete_member(self, channel: str, agent: str) -> None:
        self._members.get(channel, {}).pop(agent, None)

    async def put_message(self, message: Message, member: Member | None = None) -> None:
        if message.id not in self._channel_of:
            bisect.insort(self._order.setdefault(message.channel, []), message.id)
        self._channel_of[message.id] = message.channel
        self._messages.setdefault(message.channel, {})[message.id] = message
        if member is not None:
            await self.put_member(message.channel, member)

    async def put_messages(self, messages: Sequence[Message]) -> None:
        for message in messages:
            await self.put_message(message)

    async def message(self, message: str) -> Message | None:
        channel = self._channel_of.get(message)
        return None if channel is None else self._messages[channel][message]

    async def page(self, channel: str, before: str = "", limit: int = PAGE) -> Page:
        order = self._order.get(channel, [])
        end = bisect.bisect_left(order, before) if before else len(order)
        start = max(0, end - limit)
        return Page(messages=self._slice(channel, start, end), more=start > 0)

    async def after(self, channel: str, seen: str, limit: int = PAGE) -> tuple[Message, ...]:
        order = self._order.get(channel, [])
        start = max(bisect.bisect_right(order, seen), len(order) - limit)
        return self._slice(channel, start, len(order))

    async def following(self, channel: str, after: str = "", limit: int = PAGE) -> tuple[Message, ...]:
        start = bisect.bisect_right(self._order.get(channel, []), after)
        return self._slice(channel, start, start + limit)

    async def search(self, query: str, limit: int = 50, channel: str = "", before: str = "") -> SearchResult:
        parsed = Query(query)
        if not parsed:
            return SearchResult()
        ids = sorted(self._order.get(channel, []) if channel else self._channel_of, reverse=True)
        older = (self._messages[self._channel_of[id_]][id_] for id_ in ids if not before or id_ < before)
        found = list(islice((hit for message in older for hit in found_in(parsed, [message])), limit + 1))
        return SearchResult(found=tuple(found[:limit]), more=len(found) > limit)

    async def last_answerer(self, channel: str) -> str:
        messages = self._messages.get(channel, {})
        newest = (messages[message] for message in reversed(self._order.get(channel, [])))
        return next((message.agent for message in newest if message.role == "agent"), "")

    async def last_read(self, channel: str) -> str:
        return self._last_read.get(channel, "")

    async def put_last_read(self, channel: str, message: str) -> None:
        self._last_read[channel] = message

    async def unread(self, channel: str, limit: int = PAGE) -> int:
        newer = await self.after(channel, self._last_read.get(channel, ""), len(self._channel_of))
        return min(limit, sum(is_news(message.role, message.code) for message in newer))

    async def unread_counts(self, limit: int = PAGE) -> dict[str, int]:
        counts = {channel: await self.unread(channel, limit) for channel in self._last_read}
        return {channel: count for channel, count in counts.items() if count}

    async def commands(self) -> dict[str, tuple[Command, ...]]:
        return dict(self._commands)

    async def put_commands(self, agent: str, commands: tuple[Command, ...]) -> None:
        self._commands[agent] = commands

    async def rules(self) -> tuple[PermissionRule, ...]:
        return tuple(rule for _, rule in sorted(self._rules.items()))

    async def put_rule(self, rule: PermissionRule) -> None:
        self._rules[rule.agent, rule.kind] = rule

    async def delete_rule(self, agent: str, kind: ToolKind) -> None:
        self._rules.pop((agent, kind), None)

    async def close(self) -> None:
        return

    def _slice(self, channel: str, start: int, end: int) -> tuple[Message, ...]:
        messages = self._messages.get(channel, {})
        return tuple(messages[message] for message in self._order.get(channel, [])[start:end])
