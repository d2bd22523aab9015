"""Up to where an agent has seen a channel."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

from sidekicks.channels.activity import Activity
from sidekicks.channels.past import past_of
from sidekicks.channels.session import ChannelSession
from sidekicks.history.memory import MemoryHistory
from sidekicks.models import Channel, Message, TextPart


class Fresh:
    """As much of a session as matters here."""

    agent = "ada"
    fresh = True


def said(number: int, *, queued: bool = False) -> Message:
    return Message(
        id=f"{number:026d}",
        channel="c",
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        role="user",
        parts=(TextPart(text=f"number {number}"),),
        queued=queued,
    )


async def test_what_waits_is_not_taken_for_seen_though_something_newer_was_told() -> None:
    """A session that was taken up has put its past at the end, behind what waits."""
    history, activity = MemoryHistory(), Activity(Channel(id="c"))
    for number in (1, 2, 9):
        await history.put_message(said(number))
    activity.queue.append(said(5, queued=True))
    past = await past_of(history, activity, cast("ChannelSession", Fresh()), said(2), alone=False)
    assert past.seen == said(2).id
    assert "number 9" in past.text
