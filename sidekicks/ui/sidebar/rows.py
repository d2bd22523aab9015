"""Which rows the list of conversations has: pure, from the overview and what the user searches for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sidekicks.models import AgentStatus, Channel
from sidekicks.ui.overview import Overview


@dataclass(frozen=True)
class Row:
    """One row. `id` is the channel; empty for the section title and a direct conversation not begun."""

    kind: Literal["channel", "section", "direct"]
    id: str = ""
    title: str = ""
    agent: AgentStatus | None = None
    unread: int = 0
    busy: bool = False
    permissions: int = 0

    @property
    def key(self) -> str:
        """What stays the same when the row's looks change."""
        return f"{self.kind}:{self.agent.name if self.agent else self.id}"


def rows(overview: Overview, search: str = "", order: Sequence[str] = ()) -> list[Row]:
    """Channels, the section title, direct conversations; with `search`, those whose title has it.

    Those whose keys are in `order` come first, as there; the others follow as the overview has them.
    """
    wanted = search.strip().lstrip("#@").casefold()
    channels = [_row(overview, channel) for channel in overview.channels.values() if not channel.direct]
    directs = [_direct(overview, agent) for agent in overview.agents.values()]
    directs += [
        _former(overview, channel)
        for channel in overview.channels.values()
        if channel.direct and channel.direct not in overview.agents
    ]
    found = [row for row in channels if wanted in row.title.casefold()]
    found_directs = [
        row for row in directs if wanted in row.title.casefold() or (row.agent and wanted in row.agent.name)
    ]
    rank = {key: number for number, key in enumerate(order)}

    def place(row: Row) -> int:
        return rank.get(row.key, len(rank))

    return [*sorted(found, key=place), Row("section"), *sorted(found_directs, key=place)]


def moved(arranged: Sequence[Row], row: Row, before: Row | None) -> tuple[str, ...]:
    """The keys of `arranged` with `row` before another, or behind all without one."""
    keys = [one.key for one in arranged if one.key != row.key]
    keys.insert(keys.index(before.key) if before else len(keys), row.key)
    return tuple(keys)


def _row(overview: Overview, channel: Channel) -> Row:
    activity = overview.activity(channel.id)
    return Row(
        "channel",
        channel.id,
        channel.name,
        unread=activity.unread,
        busy=activity.busy,
        permissions=len(activity.permissions),
    )


def _direct(overview: Overview, agent: AgentStatus) -> Row:
    channel = overview.direct_of(agent.name)
    if channel is None:
        return Row("direct", title=agent.title, agent=agent)
    return _with_agent(overview, channel, agent)


def _former(overview: Overview, channel: Channel) -> Row:
    gone = AgentStatus(name=channel.direct, title=channel.direct, icon="", description="", state="stopped")
    return _with_agent(overview, channel, gone)


def _with_agent(overview: Overview, channel: Channel, agent: AgentStatus) -> Row:
    activity = overview.activity(channel.id)
    return Row(
        "direct",
        channel.id,
        agent.title,
        agent,
        unread=activity.unread,
        busy=activity.busy,
        permissions=len(activity.permissions),
    )
