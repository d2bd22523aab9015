"""What an agent has not seen of a channel, and up to where it has seen it."""

from __future__ import annotations

import msgspec

from sidekicks.channels.activity import Activity
from sidekicks.channels.catchup import catch_up
from sidekicks.channels.session import ChannelSession
from sidekicks.history.port import History
from sidekicks.models import Message


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """What goes before the user's words, and the last message that the agent has seen before and with it."""

    known: str
    seen: str
    text: str = ""


async def past_of(
    history: History, activity: Activity, session: ChannelSession, prompt: Message, *, alone: bool
) -> Past:
    """What the session's agent is told of the past; nothing with a command, which goes `alone`."""
    agent = session.agent
    members = await history.members(activity.channel.id)
    known = "" if session.fresh or agent not in members else members[agent].seen
    unseen = await history.after(activity.channel.id, known)
    others = [message for message in unseen if message.id != prompt.id]
    text = catch_up(others, agent, new_session=session.fresh)
    if alone and text:
        return Past(known=known, seen=known)
    # What waits has a place among these: whoever is told of it later must not be taken to have seen it.
    first_waiting = min((message.id for message in activity.queue if message.queued), default="~")
    told = (message.id for message in (*unseen, prompt) if message.id < first_waiting)
    return Past(known=known, seen=max(told, default=known), text=text)
