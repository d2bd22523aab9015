"""Channels: who is in them, and what may be done with them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from sidekicks.channels.errors import ChannelError
from sidekicks.events import ChannelsChanged, CommandsChanged, PermissionRequested
from sidekicks.history.port import History, HistoryError
from sidekicks.models import Command
from tests.agents import scripted
from tests.talk import Talk, text_of

NewTalk = Callable[[], Awaitable[Talk]]


async def test_channels_are_listed_oldest_first_and_kept(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada"))
    first = await talk.channels.create("  First ", " what for ", cwd="/src")
    direct = await talk.channels.direct("ada")
    last = await talk.channels.create("last")
    assert (first.name, first.description, first.cwd, first.direct) == ("First", "what for", "/src", "")
    assert (direct.name, direct.direct, direct.members) == ("", "ada", ("ada",))
    assert talk.channels.list() == (first, direct, last)
    assert talk.recorder.of(ChannelsChanged)[-1].channels == (first, direct, last)
    await talk.close()
    assert (await new_talk()).channels.list() == (first, direct, last)


@pytest.mark.parametrize("name", ["", "  ", "x" * 65, "Main", "main "])
async def test_names_that_are_refused(talk: Talk, name: str) -> None:
    await talk.channels.create("main")
    other = await talk.channels.create("other")
    with pytest.raises(ChannelError, match="name"):
        await talk.channels.create(name)
    with pytest.raises(ChannelError, match="name"):
        await talk.channels.rename(other.id, name, "")
    assert [channel.name for channel in talk.channels.list()] == ["main", "other"]


async def test_a_channel_is_renamed(new_talk: NewTalk) -> None:
    talk = await new_talk()
    channel = await talk.channels.create("x" * 64)
    await talk.channels.rename(channel.id, "X" * 64, "new")
    assert (talk.channels.list()[0].name, talk.channels.list()[0].description) == ("X" * 64, "new")
    await talk.close()
    assert (await new_talk()).channels.list()[0].name == "X" * 64


async def test_a_direct_conversation_is_made_once_and_stays_as_it_is(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    direct = await talk.channels.direct("ada")
    assert await talk.channels.direct("ada") == direct
    for call in (
        talk.channels.rename(direct.id, "x", ""),
        talk.channels.add_member(direct.id, "bob"),
        talk.channels.remove_member(direct.id, "ada"),
    ):
        with pytest.raises(ChannelError, match="direct conversation"):
            await call
    with pytest.raises(ChannelError, match="no agent named cid"):
        await talk.channels.direct("cid")


async def test_what_is_not_there(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    calls = (
        talk.channels.rename("x", "y", ""),
        talk.channels.delete("x"),
        talk.channels.add_member("x", "ada"),
        talk.channels.remove_member("x", "ada"),
        talk.channels.send("x", "hi"),
        talk.channels.cancel("x"),
        talk.channels.conversation("x"),
        talk.channels.older("x", "y"),
        talk.channels.prepare("x"),
    )
    for call in calls:
        with pytest.raises(ChannelError, match="does not exist"):
            await call
    with pytest.raises(ChannelError, match="answered already"):
        await talk.channels.answer_permission("x", "y")
    assert talk.channels.commands("x") == ()


@pytest.mark.parametrize("text", ["", " \n\t"])
async def test_an_empty_message_is_refused(talk: Talk, text: str) -> None:
    channel = await talk.room()
    with pytest.raises(ChannelError, match="empty"):
        await talk.channels.send(channel, text)
    assert await talk.messages(channel) == ()


async def test_members_come_and_go(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.room("bob", "ada")
    assert talk.channels.list()[0].members == ("bob", "ada")
    with pytest.raises(ChannelError, match="ada is in the channel already"):
        await talk.channels.add_member(channel, "ada")
    with pytest.raises(ChannelError, match="no agent named cid"):
        await talk.channels.add_member(channel, "cid")
    await talk.channels.remove_member(channel, "bob")
    with pytest.raises(ChannelError, match="bob is not in the channel"):
        await talk.channels.remove_member(channel, "bob")
    notes = [(message.role, message.code, message.agent) for message in await talk.messages(channel)]
    assert notes == [
        ("system", "agent-joined", "bob"),
        ("system", "agent-joined", "ada"),
        ("system", "agent-left", "bob"),
    ]
    assert talk.recorder.of(ChannelsChanged)[-1].channels[0].members == ("ada",)


async def test_who_leaves_while_answering_is_stopped(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.room("ada", "bob")
    answer = await talk.begun(channel, "@ada @bob !text(well) !silent")
    await talk.channels.remove_member(channel, "ada")
    assert (await talk.done(answer)).stop_reason == "cancelled"
    assert [m.code for m in await talk.messages(channel)][-1] == "agent-left"


async def test_who_leaves_before_its_turn_does_not_answer(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.room("ada", "bob")
    await talk.channels.send(channel, "@ada @bob !ask")
    request = await talk.recorder.until(PermissionRequested)
    await talk.channels.remove_member(channel, "bob")
    await talk.channels.answer_permission(request.id, "yes")
    await talk.free(channel)
    assert [m.agent for m in await talk.messages(channel) if m.role == "agent"] == ["ada"]


async def test_who_comes_back_knows_nothing_but_is_told(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.room("ada")
    await talk.ask(channel, "the word is pear")
    await talk.channels.remove_member(channel, "ada")
    await talk.channels.add_member(channel, "ada")
    assert "the word is pear" in text_of(await talk.ask(channel, "!prompt"))


async def test_a_deleted_channel_is_gone_with_all_that_was_said(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada"))
    channel = await talk.room("ada")
    kept = await talk.room("ada", name="kept")
    await talk.ask(channel, "hello")
    await talk.ask(kept, "hello")
    await talk.begun(channel, "!text(well) !silent")
    await talk.channels.send(channel, "queued")
    await talk.channels.delete(channel)
    assert [one.id for one in talk.recorder.of(ChannelsChanged)[-1].channels] == [kept]
    with pytest.raises(ChannelError):
        await talk.channels.conversation(channel)
    assert text_of(await talk.ask(kept, "again")) == "echo: again"
    await talk.close()
    after = await new_talk()
    assert [one.id for one in after.channels.list()] == [kept]
    assert (await after.history.page(channel)).messages == ()
    assert await after.history.members(channel) == {}


async def test_what_comes_late_for_a_deleted_channel_is_not_stored(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.room("ada")
    await talk.ask(channel, "!text(well) !late(more)")
    await talk.channels.delete(channel)
    await talk.channels.close()
    assert (await talk.history.page(channel)).messages == ()


async def test_nothing_can_be_sent_to_a_channel_that_is_being_deleted(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.room("ada")
    await talk.begun(channel, "!text(well) !silent")
    deleting = asyncio.create_task(talk.channels.delete(channel))
    await asyncio.sleep(0)
    with pytest.raises(ChannelError, match="does not exist"):
        await talk.channels.send(channel, "too late")
    await deleting
    assert (await talk.history.page(channel)).messages == ()


async def test_a_long_conversation_comes_in_pages(talk: Talk) -> None:
    talk.configure()
    channel = await talk.room()
    for number in range(125):
        await talk.ask(channel, f"number {number}")  # nobody answers: two messages each
    conversation = await talk.channels.conversation(channel)
    assert (len(conversation.messages), conversation.more) == (100, True)
    assert text_of(conversation.messages[-2]) == "number 124"
    pages, page = [*conversation.messages], conversation
    while page.more:
        page = await talk.channels.older(channel, pages[0].id)
        pages = [*page.messages, *pages]
    assert [text_of(message) for message in pages if message.role == "user"] == [
        f"number {number}" for number in range(125)
    ]


async def test_commands_are_kept_from_one_run_to_the_next(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada"))
    channel = await talk.room("ada")
    await talk.ask(channel, "!commands(review)")
    review = Command(name="review", description="Does review", hint="what")
    assert talk.channels.commands("ada") == (review,)
    assert talk.recorder.of(CommandsChanged) == [CommandsChanged(agent="ada", commands=(review,))]
    await talk.close()  # at once
    assert (await new_talk()).channels.commands("ada") == (review,)


async def test_preparing_opens_sessions_of_those_whose_commands_are_unknown(talk: Talk) -> None:
    talk.configure(scripted("ada", "commands"), scripted("bob", "early-updates"), scripted("bad", "exit=1"))
    channel = await talk.room("ada", "bob", "bad")
    await talk.channels.prepare(channel)
    await talk.recorder.until(CommandsChanged, lambda event: event.agent == "ada")
    assert [command.name for command in talk.channels.commands("ada")] == ["review", "test"]
    assert [command.name for command in talk.channels.commands("bob")] == ["early"]
    assert all(m.code == "agent-joined" for m in await talk.messages(channel))
    assert not (await talk.channels.conversation(channel)).busy
    await talk.agents.stop("ada")
    await talk.channels.prepare(channel)  # they are known now
    assert [status.state for status in talk.agents.list()] == ["stopped", "ready", "error"]


async def test_a_prepared_session_serves_the_first_answer_with_the_past(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.room("ada", "bob")
    await talk.ask(channel, "@bob the word is pear")
    await talk.channels.prepare(channel)
    told = text_of(await talk.ask(channel, "@ada !prompt !session !turns"))
    assert "the word is pear" in told
    assert told.endswith("-11")  # its first session, its first turn


async def test_preparing_leaves_alone_who_answers_elsewhere(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    one, other = await talk.room("ada", name="one"), await talk.room("ada", name="other")
    await talk.begun(one, "!text(well) !silent")
    await talk.channels.prepare(other)
    assert talk.channels.commands("ada") == ()
    await talk.channels.cancel(one)


class FullDisk:
    """A history whose writes fail when they are told to."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.full = False

    def __getattr__(self, name: str) -> object:
        if self.full and name.startswith(("put_", "delete_")):
            return self._fail
        return getattr(self._history, name)

    async def _fail(self, *_: object) -> None:
        raise HistoryError("The disk is full.")


@pytest.fixture
def disk(talk: Talk) -> FullDisk:
    disk = FullDisk(talk.history)
    talk.__init__(disk)  # pyright: ignore[reportArgumentType]
    return disk


async def test_a_full_disk_takes_no_channel_and_changes_none(talk: Talk, disk: FullDisk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channels.create("main")
    disk.full = True
    for call in (
        talk.channels.create("other"),
        talk.channels.direct("ada"),
        talk.channels.rename(channel.id, "new", ""),
        talk.channels.add_member(channel.id, "ada"),
    ):
        with pytest.raises(HistoryError, match="full"):
            await call
    with pytest.raises(ChannelError, match="full"):
        await talk.channels.delete(channel.id)
    assert talk.channels.list() == (channel,)
    disk.full = False
    await talk.channels.create("other")


async def test_a_message_that_can_t_be_kept_is_refused(talk: Talk, disk: FullDisk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.room("ada")
    disk.full = True
    with pytest.raises(ChannelError, match="full"):
        await talk.channels.send(channel, "hello")
    await talk.free(channel)
    disk.full = False
    assert text_of(await talk.ask(channel, "again")) == "echo: again"


async def test_an_answer_that_can_t_be_kept_says_so(talk: Talk, disk: FullDisk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.room("ada")
    await talk.channels.send(channel, "!ask")
    request = await talk.recorder.until(PermissionRequested)
    await talk.channels.send(channel, "and then")
    disk.full = True
    await talk.channels.answer_permission(request.id, "yes")
    message = await talk.done(request.message_id)
    assert (message.stop_reason, message.error) == ("end_turn", "The disk is full.")
    await talk.free(channel)
    queued = [e.message for e in talk.recorder.events if getattr(e, "message", None) is not None][-1]
    assert (text_of(queued), queued.queued, queued.error) == ("and then", False, "The disk is full.")
