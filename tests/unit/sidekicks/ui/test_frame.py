"""Events of one frame: nothing lost, order kept, and as few as possible."""

from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from sidekicks.events import Event, MessageDelta, MessageUpdated, TurnChanged, UsageChanged
from sidekicks.models import Message, TextPart, ToolPart, Usage
from sidekicks.ui.signals import Frame


def text(message: str, index: int, words: str) -> MessageDelta:
    return MessageDelta(channel="c", message_id=message, index=index, kind="text", text=words)


def tool(message: str, index: int, status: str) -> MessageDelta:
    part = ToolPart(id="t", title="read", status=status)
    return MessageDelta(channel="c", message_id=message, index=index, kind="tool", part=part)


def whole(message: str) -> MessageUpdated:
    return MessageUpdated(
        channel="c",
        message=Message(id=message, channel="c", created_at=datetime(2026, 1, 1, tzinfo=UTC), role="agent"),
    )


def frame(*events: Event) -> list[Event]:
    collected = Frame()
    for event in events:
        collected.add(event)
    return collected.take()


def test_text_of_one_part_is_joined_whatever_comes_between() -> None:
    taken = frame(text("m", 0, "a"), text("n", 0, "x"), text("m", 0, "b"), text("m", 1, "c"))
    assert taken == [text("m", 0, "ab"), text("n", 0, "x"), text("m", 1, "c")]


def test_only_the_last_state_of_a_tool_call_is_kept() -> None:
    taken = frame(tool("m", 1, "pending"), text("m", 0, "a"), tool("m", 1, "completed"))
    assert taken == [tool("m", 1, "completed"), text("m", 0, "a")]


def test_text_after_a_whole_message_is_not_moved_before_it() -> None:
    events = [text("m", 0, "a"), whole("m"), text("m", 0, "b")]
    assert frame(*events) == events


def test_only_the_last_usage_of_an_agent_is_kept() -> None:
    def usage(agent: str, used: int) -> UsageChanged:
        return UsageChanged(channel="c", agent=agent, usage=Usage(used=used, size=100))

    assert frame(usage("mm", 1), usage("codex", 2), usage("mm", 3)) == [usage("mm", 3), usage("codex", 2)]


def test_everything_else_keeps_its_order() -> None:
    events = [TurnChanged(channel="c", busy=busy, queued=0, answering="mm") for busy in (True, False, True)]
    assert frame(*events) == events


def test_taking_empties_it() -> None:
    collected = Frame()
    collected.add(text("m", 0, "a"))
    collected.take()
    assert not collected
    collected.add(text("m", 0, "b"))
    assert collected.take() == [text("m", 0, "b")]


def shown(events: list[Event]) -> dict[tuple[str, int], object]:
    """What a reader of the events sees in the end."""
    parts: dict[tuple[str, int], object] = {}
    for event in events:
        match event:
            case MessageUpdated():
                parts = {key: value for key, value in parts.items() if key[0] != event.message.id}
            case MessageDelta(kind="text"):
                key = (event.message_id, event.index)
                former = parts.get(key, TextPart(text=""))
                parts[key] = TextPart(text=getattr(former, "text", "") + event.text)
            case MessageDelta():
                parts[event.message_id, event.index] = event.part
    return parts


_messages = st.sampled_from(["m", "n"])
_events = st.lists(
    st.one_of(
        st.builds(text, _messages, st.sampled_from([0, 2]), st.text(max_size=3)),
        st.builds(tool, _messages, st.sampled_from([1, 3]), st.sampled_from(["pending", "completed"])),
        st.builds(whole, _messages),
    )
)


@given(_events)
def test_a_frame_shows_what_its_events_show_one_by_one(events: list[Event]) -> None:
    assert shown(frame(*events)) == shown(events)
