"""What is unread, and up to where the user has read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sidekicks.events import PermissionRequested, UnreadChanged
from tests.agents import scripted
from tests.talk import Talk

NewTalk = Callable[[], Awaitable[Talk]]


async def unread(talk: Talk, channel: str, count: int, since: int = 0) -> UnreadChanged:
    """Waits until that many are told to be unread."""
    return await talk.recorder.until(
        UnreadChanged, lambda event: event.channel == channel and event.unread == count, since=since
    )


async def test_answers_are_unread_until_they_are_seen(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel, other = await talk.channel("ada", "bob"), await talk.channel("ada", name="other")
    answer = await talk.ask(channel, "@ada @bob hello")
    await unread(talk, channel, 2)
    assert talk.channels.unread() == {channel: 2}  # not the own message, not who joined
    since = len(talk.recorder.events)
    await talk.channels.mark_read(channel)
    assert await unread(talk, channel, 0, since) == UnreadChanged(
        channel=channel, unread=0, last_read=answer.id
    )
    assert talk.channels.unread() == {}
    assert (await talk.channels.conversation(channel)).last_read == answer.id
    assert (await talk.channels.conversation(other)).last_read == ""


async def test_reading_up_to_a_message_leaves_the_rest_unread(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "@ada @bob hello")
    await unread(talk, channel, 2)
    first, second = [message.id for message in await talk.messages(channel) if message.role == "agent"]
    await talk.channels.mark_read(channel, first)
    assert talk.channels.unread() == {channel: 1}
    await talk.channels.mark_read(channel, second)
    told = len(talk.recorder.of(UnreadChanged))
    await talk.channels.mark_read(channel, first)  # what was read stays read
    await talk.channels.mark_read(channel, "~")  # there is nothing after the newest
    assert (await talk.channels.conversation(channel)).last_read == second
    assert len(talk.recorder.of(UnreadChanged)) == told


async def test_who_writes_has_read_what_came_before(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "hello")
    await unread(talk, channel, 1)
    since = len(talk.recorder.events)
    sent = await talk.channels.send(channel, "!ask")
    assert await unread(talk, channel, 0, since) == UnreadChanged(channel=channel, unread=0, last_read=sent)
    await talk.channels.cancel(channel)


async def test_an_answer_that_is_not_finished_is_not_read(talk: Talk) -> None:
    """What is noted meanwhile, and a message that waits, are newer than it, and came before its end."""
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada")
    sent = await talk.channels.send(channel, "!ask")
    request = await talk.recorder.until(PermissionRequested)
    await talk.channels.send(channel, "@ada !ask")
    await talk.channels.add_member(channel, "bob")
    await talk.channels.mark_read(channel)
    assert (await talk.channels.conversation(channel)).last_read == sent
    await talk.channels.answer_permission(request.id, "yes")
    await talk.recorder.until(PermissionRequested, lambda event: event.id != request.id)
    await unread(talk, channel, 1)
    await talk.channels.cancel(channel)


async def test_what_went_wrong_is_unread(talk: Talk) -> None:
    talk.configure(scripted("ada", "exit=1"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    assert (await talk.ask(channel, "hello")).code == "no-recipient"
    await unread(talk, channel, 1)
    since = len(talk.recorder.events)
    assert (await talk.ask(channel, "@ada hello")).code == "agent-unavailable"
    await unread(talk, channel, 0, since)  # by writing
    await unread(talk, channel, 1, since)
    assert talk.channels.unread() == {channel: 1}


async def test_it_is_counted_anew_after_a_restart(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada"))
    read, left, quiet = [await talk.channel("ada", name=name) for name in ("read", "left", "quiet")]
    answer = await talk.ask(read, "hello")
    await talk.channels.mark_read(read)
    await talk.ask(left, "hello")
    await talk.close()
    talk = await new_talk()
    assert talk.channels.unread() == {left: 1}
    assert (await talk.channels.conversation(read)).last_read == answer.id
    await talk.channels.delete(left)
    assert talk.channels.unread() == {}
    await talk.channels.mark_read(quiet)
    await talk.close()
