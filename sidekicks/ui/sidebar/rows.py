"""Which rows the list of conversations has: pure, from the overview and what the user searches for."""

from __future__ import annotations

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
    def key(self) -> tuple[str, str]:
        """What stays the same when the row's looks change."""
        return (self.kind, self.agent.name if self.agent else self.id)

    @property
    def name(self) -> str:
        """The same as one word, to remember where the user put it."""
        return ":".join(self.key)


def rows(overview: Overview, search: str = "") -> list[Row]:
    """Channels, the section title, direct conversations; with `search`, those whose title has it."""
    wanted = search.strip().lstrip("#@").casefold()
    channels = [_row(overview, channel) for channel in overview.channels.values() if not channel.direct]
    directs = [_direct(overview, agent) for agent in overview.agents.values()]
    directs += [
        _former(overview, channel)
        for channel in overview.channels.values()
        if channel.direct and channel.direct not in overview.agents
    ]
    places = {name: place for place, name in enumerate(overview.order)}
    for listed in (channels, directs):
        listed.sort(key=lambda row: places.get(row.name, len(places)))
    found = [row for row in channels if wanted in row.title.casefold()]
    found_directs = [row for row in directs if wanted in row.title.casefold() or wanted in row.key[1]]
    return [*found, Row("section"), *found_directs]


def moved(listed: list[Row], row: int, to: int) -> list[str] | None:
    """The order when the row number `row` is put before the row number `to`; None when it can't be there.

    Channels stay among channels, and direct conversations among theirs.
    """
    kind = listed[row].kind
    same = [number for number, other in enumerate(listed) if other.kind == kind]
    to = min(max(to, same[0]), same[-1] + 1)
    if kind == "section" or to in (row, row + 1):
        return None
    order = list(range(len(listed)))
    order.remove(row)
    order.insert(to if to < row else to - 1, row)
    return [listed[number].name for number in order if listed[number].kind != "section"]


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
