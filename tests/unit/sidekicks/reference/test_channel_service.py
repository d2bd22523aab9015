"""Reference, "ChannelService": each method and each of its sentences."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sidekicks.channels.errors import ChannelError
from sidekicks.events import (
    AgentStateChanged,
    ChannelsChanged,
    CommandsChanged,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
)
from sidekicks.history.memory import MemoryHistory
from sidekicks.models import (
    Message,
    ToolPart,
    Usage,
)
from tests.agents import scripted
from tests.core_parts import Parts, parts
from tests.talk import Talk, text_of


def tools(message: Message) -> list[ToolPart]:
    return [part for part in message.parts if isinstance(part, ToolPart)]


async def asked(found: Parts, after: int = 0) -> PermissionRequested:
    event = await found.events.until(lambda event: isinstance(event, PermissionRequested), after)
    assert isinstance(event, PermissionRequested)
    return event


async def test_list_all_channels_and_direct_conversations_from_the_oldest_to_the_newest() -> None:
    async with parts(scripted("ada")) as found:
        first = await found.channels.create("Plans", "what to do")
        second = await found.channels.direct("ada")
        assert await found.channels.direct("ada") == second
        assert found.channels.list() == (first, second)
        assert found.events.all[-1] == ChannelsChanged(channels=(first, second))
        assert (second.name, second.direct, second.members) == ("", "ada", ("ada",))


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "plans", "PLANS "])
async def test_create_a_name_that_is_taken_or_empty_is_an_error(name: str) -> None:
    async with parts() as found:
        await found.channels.create("Plans")
        with pytest.raises(ChannelError):
            await found.channels.create(name)
        assert len(found.channels.list()) == 1


async def test_rename_renames_a_channel_not_a_direct_conversation() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.create("Plans")
        await found.channels.rename(channel.id, "PLANS", "new")
        assert (found.channels.list()[0].name, found.channels.list()[0].description) == ("PLANS", "new")
        direct = await found.channels.direct("ada")
        with pytest.raises(ChannelError, match="direct"):
            await found.channels.rename(direct.id, "x", "")


async def test_add_and_remove_member_the_channel_shows_agent_joined_or_agent_left() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.create("Plans")
        await found.channels.add_member(channel.id, "ada")
        assert found.channels.list()[0].members == ("ada",)
        await found.channels.remove_member(channel.id, "ada")
        assert found.channels.list()[0].members == ()
        messages = (await found.channels.conversation(channel.id)).messages
        assert [(m.role, m.code, m.agent) for m in messages] == [
            ("system", "agent-joined", "ada"),
            ("system", "agent-left", "ada"),
        ]
        with pytest.raises(ChannelError, match="no agent named bob"):
            await found.channels.add_member(channel.id, "bob")


async def test_delete_stops_its_answers_then_deletes_the_channel_and_all_its_history() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!text(begun) !silent")
        await found.spoken("begun")
        await found.channels.delete(channel.id)
        assert found.channels.list() == ()
        with pytest.raises(ChannelError):
            await found.channels.conversation(channel.id)
        again = await found.channels.direct("ada")
        assert (await found.channels.conversation(again.id)).messages == ()


async def test_conversation_in_the_middle_of_an_answer() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!text(begun) !silent")
        await found.spoken("begun")
        shown = await found.channels.conversation(channel.id)
        assert (shown.busy, shown.answering) == (True, "ada")
        assert text_of(shown.messages[-1]) == "begun"
        assert not shown.messages[-1].done


async def test_send_an_empty_text_or_an_unknown_channel_are_errors() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        with pytest.raises(ChannelError):
            await found.channels.send(channel.id, " \n ")
        with pytest.raises(ChannelError):
            await found.channels.send("nothing", "hello")
        assert (await found.channels.conversation(channel.id)).messages == ()


async def test_conversation_the_last_100_messages_and_older_the_100_before_one() -> None:
    async with parts() as found:
        channel = await found.channels.create("Plans")
        sent = [await found.channels.send(channel.id, str(number)) for number in range(60)]
        await found.free(channel.id)
        while (await found.channels.conversation(channel.id)).busy:
            await found.free(channel.id, len(found.events.all))
        shown = await found.channels.conversation(channel.id)
        assert (len(shown.messages), shown.more) == (100, True)
        page = await found.channels.older(channel.id, shown.messages[0].id)
        assert (len(page.messages), page.more) == (20, False)
        assert page.messages[0].id == sent[0]


@pytest.mark.parametrize("directive", ["!ask(execute, rm x)", "!askbare(execute, rm x)"])
async def test_answer_permission_answers_a_pending_request_with_one_of_its_options(directive: str) -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, directive)
        request = await asked(found)
        assert (request.tool_call.title, request.tool_call.kind) == ("rm x", "execute")
        assert request.tool_call.input == '{"command":"rm x"}'
        assert [option.kind for option in request.options] == ["allow_once", "allow_always", "reject_once"]
        shown = await found.channels.conversation(channel.id)
        assert [pending.id for pending in shown.permissions] == [request.id]
        assert tools(shown.messages[-1])[0].id == request.tool_call.id
        with pytest.raises(ChannelError):
            await found.channels.answer_permission(request.id, "perhaps")
        await found.channels.answer_permission(request.id, "yes")
        await found.free(channel.id)
        assert PermissionResolved(id=request.id, channel=channel.id) in found.events.all
        shown = await found.channels.conversation(channel.id)
        assert shown.permissions == ()
        [tool] = tools(shown.messages[-1])
        assert tool.output == "done (yes)"
        with pytest.raises(ChannelError):
            await found.channels.answer_permission(request.id, "yes")


async def test_cancel_stops_the_answer_the_agents_to_come_and_the_waiting_messages() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.channels.send(channel.id, "@ada @bob !text(begun) !silent")
        await found.spoken("begun")
        waiting = await found.channels.send(channel.id, "me too")
        await found.channels.cancel(channel.id)
        shown = await found.channels.conversation(channel.id)
        assert not shown.busy
        assert [(m.agent, m.stop_reason) for m in shown.messages if m.role == "agent"] == [
            ("ada", "cancelled")
        ]
        dropped = [
            event.message
            for event in found.events.all
            if isinstance(event, MessageUpdated) and event.message.id == waiting
        ][-1]
        assert (dropped.queued, dropped.error) == (False, "cancelled")
        assert (await found.say(channel.id, "@ada again"))[-1].stop_reason == "end_turn"


async def test_cancel_answers_cancelled_to_pending_permissions() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!ask")
        request = await asked(found)
        await found.channels.cancel(channel.id)
        assert PermissionResolved(id=request.id, channel=channel.id) in found.events.all
        answer = (await found.channels.conversation(channel.id)).messages[-1]
        assert answer.stop_reason == "cancelled"
        assert tools(answer)[0].status == "failed"


async def test_commands_are_kept_from_one_run_to_the_next_and_empty_when_there_never_were_any() -> None:
    history = MemoryHistory()
    async with parts(scripted("ada", "commands"), history=history) as found:
        channel = await found.channels.direct("ada")
        await found.channels.prepare(channel.id)
        await found.events.until(lambda event: isinstance(event, CommandsChanged))
        known = found.channels.commands("ada")
        await found.say(channel.id, "hello")
    async with parts(scripted("ada"), history=history) as found:
        assert found.channels.commands("ada") == known != ()


async def test_create_creates_a_channel_with_its_name_and_description(talk: Talk) -> None:
    channel = await talk.channels.create(" Plans ", "what to do")
    assert (channel.name, channel.description, channel.direct, channel.members) == (
        *("Plans", "what to do"),
        "",
        (),
    )
    assert (await talk.channels.create("x" * 64)).name == "x" * 64
    for name in ("x" * 65, " pLANS"):
        with pytest.raises(ChannelError):
            await talk.channels.create(name)


async def test_direct_the_conversation_with_an_agent_made_the_first_time(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    made = await talk.channels.direct("ada")
    assert (made.name, made.description, made.direct, made.members) == ("", "", "ada", ("ada",))
    assert await talk.channels.direct("ada") == made
    with pytest.raises(ChannelError, match="no agent named bob"):
        await talk.channels.direct("bob")


async def test_members_are_in_the_order_of_their_arrival(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"), scripted("eve"))
    channel = await talk.channel("eve", "ada")
    await talk.ask(channel, "@bob hello")
    assert talk.channels.list()[0].members == ("eve", "ada", "bob")


async def test_send_adds_the_message_and_returns_its_id_and_starts_the_agents(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    assert talk.agents.list()[0].state == "stopped"
    sent = await talk.channels.send(channel, "hello")
    kept = await talk.history.message(sent)  # on disk when it returns
    assert kept is not None
    assert (kept.role, text_of(kept)) == ("user", "hello")
    await talk.free(channel)
    assert talk.agents.list()[0].state == "ready"


async def test_send_the_message_waits_while_the_channel_answers(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask")
    request = await talk.recorder.until(PermissionRequested)
    waiting = await talk.channels.send(channel, "and then")
    assert await talk.history.message(waiting) is None
    since = len(talk.recorder.events)
    await talk.channels.answer_permission(request.id, "yes")
    await talk.free(channel, since)
    assert text_of((await talk.messages(channel))[-1]) == "echo: and then"


async def test_remove_member_stops_its_answer(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    answer = await talk.begun(channel, "!text(well) !silent")
    await talk.channels.remove_member(channel, "ada")
    assert (await talk.done(answer)).stop_reason == "cancelled"
    assert (await talk.messages(channel))[-1].code == "agent-left"


async def test_conversation_has_usage_by_agent_and_pending_permissions(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.channels.send(channel, "@ada @bob !usage(10, 100) !ask")
    first = await talk.recorder.until(PermissionRequested)
    await talk.channels.answer_permission(first.id, "yes")
    second = await talk.recorder.until(PermissionRequested, lambda event: event.agent == "bob")
    shown = await talk.channels.conversation(channel)
    assert shown.usage == {name: Usage(used=10, size=100) for name in ("ada", "bob")}
    assert [request.id for request in shown.permissions] == [second.id]
    assert (shown.busy, shown.queued, shown.answering, shown.more) == (True, 0, "bob", False)
    await talk.channels.cancel(channel)


# -- Prepare -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("when", ["early-updates", "commands"])
async def test_prepare_starts_members_that_never_announced_commands_and_opens_their_sessions(
    talk: Talk, when: str
) -> None:
    """It returns once the sessions are open; the commands come by their event."""
    talk.configure(scripted("ada", when), scripted("bob", when), scripted("eve", when))
    channel = await talk.channel("ada", "bob")
    await talk.channels.prepare(channel)
    assert [status.state for status in talk.agents.list()] == ["ready", "ready", "stopped"]
    for name in ("ada", "bob"):
        await talk.recorder.until(CommandsChanged, lambda event, n=name: event.agent == n)
        assert talk.channels.commands(name) != ()
    await talk.agents.stop("ada")
    await talk.channels.prepare(channel)  # they have announced theirs: nobody is started
    assert [status.state for status in talk.agents.list()] == ["stopped", "ready", "stopped"]


async def test_prepare_a_member_that_answers_elsewhere_is_ignored(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    one, two = await talk.channel("ada", name="one"), await talk.channel("ada", name="two")
    answer = await talk.begun(one, "!text(well) !silent")
    async with asyncio.timeout(5):
        await talk.channels.prepare(two)
    await talk.channels.cancel(one)
    assert (await talk.done(answer)).stop_reason == "cancelled"
    assert await talk.history.members(two) == {}


async def test_prepare_one_member_that_fails_does_not_keep_the_others_from_it(talk: Talk) -> None:
    talk.configure(scripted("ada", "exit=1"), scripted("bob", "commands"))
    channel = await talk.channel("ada", "bob")
    await talk.channels.prepare(channel)
    assert [status.state for status in talk.agents.list()] == ["error", "ready"]
    since = len(talk.recorder.events)
    await talk.channels.prepare(channel)  # only the user starts again what has failed
    states = [
        e for e in talk.recorder.events[since:] if isinstance(e, AgentStateChanged) and e.agent == "ada"
    ]
    assert states == []


async def test_prepare_its_session_serves_the_first_answer_which_is_given_the_past_all_the_same(
    talk: Talk, tmp_path: Path
) -> None:
    talk.configure(scripted("ada"), scripted("bob", f"prompts={tmp_path / 'bob'}"))
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "@ada the word is pear")
    await talk.channels.prepare(channel)
    assert not (tmp_path / "bob").exists()  # no model is bothered
    told = text_of(await talk.ask(channel, "@bob !session !prompt"))
    assert "-1Said" in told  # its first session in this process, session-<pid>-1, and the past
    assert "the word is pear" in told


async def test_prepare_while_it_is_under_way_a_message_waits_for_the_same_session(talk: Talk) -> None:
    talk.configure(scripted("ada", "slow-start=0.3"))
    channel = await talk.channel("ada")
    preparing = asyncio.create_task(talk.channels.prepare(channel))
    await talk.recorder.until(AgentStateChanged, lambda event: event.state == "starting")
    answer = await talk.ask(channel, "!session")
    await preparing
    assert text_of(answer).endswith("-1")
    assert {event.waiting_for for event in talk.recorder.of(TurnChanged)} == {""}
