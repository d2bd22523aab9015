"""What the window knows of all conversations at once."""

from __future__ import annotations

from sidekicks.events import (
    AgentStateChanged,
    ChannelsChanged,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
    UnreadChanged,
)
from sidekicks.models import AgentStatus, Channel, ToolPart
from sidekicks.ui.overview import Overview
from sidekicks.ui.sidebar.rows import rows

MM = AgentStatus(name="mm", title="Mini Me", icon="", description="", state="stopped")
CHANNEL = Channel(id="1", name="Release", members=("mm",))
DIRECT = Channel(id="2", direct="mm", members=("mm",))


def overview() -> Overview:
    return Overview([MM], [CHANNEL, DIRECT])


def asked(id_: str, channel: str) -> PermissionRequested:
    return PermissionRequested(
        id=id_,
        channel=channel,
        agent="mm",
        message_id="9",
        tool_call=ToolPart(id="t", title="edit a"),
        options=(),
    )


def test_what_is_unread_is_what_the_core_counts_but_for_the_channel_that_is_shown() -> None:
    seen = overview()
    seen.take_unread({"1": 2, "gone": 3})
    assert (seen.activity("1").unread, seen.activity("2").unread) == (2, 0)
    seen.show("2")
    seen.apply(UnreadChanged(channel="1", unread=3, last_read="8"))
    seen.apply(UnreadChanged(channel="2", unread=1, last_read="8"))
    assert (seen.activity("1").unread, seen.activity("2").unread) == (3, 0)
    seen.show("1")
    assert seen.activity("1").unread == 0


def test_permissions_are_counted_until_they_are_resolved() -> None:
    seen = overview()
    seen.apply(asked("p", "1"))
    seen.apply(asked("q", "2"))
    assert [request.id for request in seen.pending()] == ["p", "q"]
    seen.apply(PermissionResolved(id="p", channel="1"))
    assert [request.id for request in seen.pending()] == ["q"]


def test_what_belongs_to_a_deleted_channel_goes_with_it() -> None:
    seen = overview()
    seen.apply(asked("p", "1"))
    seen.apply(ChannelsChanged(channels=(DIRECT,)))
    assert seen.pending() == []


def test_an_agents_state_is_followed() -> None:
    seen = overview()
    assert seen.apply(AgentStateChanged(agent="mm", state="error", error="exit 1"))
    assert (seen.agents["mm"].state, seen.agents["mm"].error) == ("error", "exit 1")
    assert not seen.apply(AgentStateChanged(agent="gone", state="ready"))


def test_rows_show_channels_then_one_direct_conversation_for_each_agent() -> None:
    seen = Overview([MM], [CHANNEL])
    seen.apply(TurnChanged(channel="1", busy=True, queued=0, answering="mm"))
    channel, section, direct = rows(seen)
    assert (channel.title, channel.busy) == ("Release", True)
    assert section.kind == "section"
    assert (direct.title, direct.id) == ("Mini Me", "")


def test_a_direct_conversation_with_an_agent_no_longer_configured_stays() -> None:
    seen = Overview([], [DIRECT])
    assert [row.title for row in rows(seen) if row.kind == "direct"] == ["mm"]


def test_search_finds_names_and_titles() -> None:
    seen = overview()
    assert [row.title for row in rows(seen, "#rel") if row.kind == "channel"] == ["Release"]
    assert [row.title for row in rows(seen, "mini") if row.kind != "section"] == ["Mini Me"]
    assert [row.title for row in rows(seen, "@mm") if row.kind != "section"] == ["Mini Me"]
