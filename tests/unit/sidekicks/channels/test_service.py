"""Channels with real agents: each rule of the reference as a user would notice it."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path

import pytest

from sidekicks.channels.errors import ChannelError
from sidekicks.events import (
    ChannelsChanged,
    CommandsChanged,
    MessageDelta,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
    UsageChanged,
)
from sidekicks.history.memory import MemoryHistory
from sidekicks.models import (
    Command,
    Limits,
    Message,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
    Usage,
)
from tests.core_parts import Parts, parts, scripted, text_of


def tools(message: Message) -> list[ToolPart]:
    return [part for part in message.parts if isinstance(part, ToolPart)]


async def asked(found: Parts, after: int = 0) -> PermissionRequested:
    event = await found.events.until(lambda event: isinstance(event, PermissionRequested), after)
    assert isinstance(event, PermissionRequested)
    return event


# -- channels and members ------------------------------------------------------------------------------


async def test_channels_are_listed_oldest_first_and_told() -> None:
    async with parts(scripted("ada")) as found:
        first = await found.channels.create("Plans", "what to do")
        second = await found.channels.direct("ada")
        assert await found.channels.direct("ada") == second
        assert found.channels.list() == (first, second)
        assert found.events.all[-1] == ChannelsChanged(channels=(first, second))
        assert (second.name, second.direct, second.members) == ("", "ada", ("ada",))


@pytest.mark.parametrize("name", ["", "   ", "x" * 65, "plans", "PLANS "])
async def test_a_name_that_is_empty_too_long_or_taken_is_refused(name: str) -> None:
    async with parts() as found:
        await found.channels.create("Plans")
        with pytest.raises(ChannelError):
            await found.channels.create(name)
        assert len(found.channels.list()) == 1


async def test_rename() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.create("Plans")
        await found.channels.rename(channel.id, "PLANS", "new")
        assert (found.channels.list()[0].name, found.channels.list()[0].description) == ("PLANS", "new")
        direct = await found.channels.direct("ada")
        with pytest.raises(ChannelError, match="direct"):
            await found.channels.rename(direct.id, "x", "")


async def test_members_join_and_leave_with_a_note() -> None:
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


async def test_delete_stops_the_answer_and_forgets_everything() -> None:
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


@pytest.mark.parametrize("cwd", ["relative/path", "/nowhere/at/all"])
async def test_a_folder_that_is_none_is_refused(cwd: str) -> None:
    async with parts() as found:
        with pytest.raises(ChannelError):
            await found.channels.create("Plans", cwd=cwd)
        channel = await found.channels.create("Plans")
        with pytest.raises(ChannelError):
            await found.channels.set_cwd(channel.id, cwd)


async def test_the_channels_folder_is_the_sessions(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    async with parts(scripted("ada")) as found:
        channel = await found.channels.create("Plans", cwd=str(tmp_path / "one"))
        assert text_of((await found.say(channel.id, "@ada !cwd"))[-1]).endswith("one")
        await found.channels.set_cwd(channel.id, str(tmp_path / "two"))
        answer = (await found.say(channel.id, "!cwd !prompt"))[-1]
        assert "two" in text_of(answer)
        assert '<message from="user">\n@ada !cwd' in text_of(answer)


# -- messages ------------------------------------------------------------------------------------------


async def test_an_answer_streams_and_is_stored() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        answer = (await found.say(channel.id, "!thought(hm) !text(Hello) !tool !diff !plan !usage"))[-1]
        thought, text, tool, edit, plan = answer.parts
        assert isinstance(thought, ThoughtPart)
        assert thought.text == "hm"
        assert thought.seconds is not None
        assert text == TextPart(text="Hello")
        assert isinstance(tool, ToolPart)
        assert (tool.kind, tool.title, tool.status, tool.output) == (
            "execute",
            "ls",
            "completed",
            "README.md",
        )
        assert (tool.input, tool.exit_code) == ('{"command":"ls"}', 0)
        assert isinstance(edit, ToolPart)
        assert edit.diffs[0].old_text == "one\ntwo\n"
        assert isinstance(plan, PlanPart)
        assert [entry.status for entry in plan.entries] == ["completed", "in_progress", "pending"]
        assert (answer.role, answer.agent, answer.done, answer.stop_reason) == (
            "agent",
            "ada",
            True,
            "end_turn",
        )
        assert await found.history.message(answer.id) == answer
        usage = Usage(used=1200, size=32000)
        assert UsageChanged(channel=channel.id, agent="ada", usage=usage) in found.events.all
        assert (await found.channels.conversation(channel.id)).usage == {"ada": usage}


async def test_deltas_rebuild_the_message() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        answer = (await found.say(channel.id, "!stream(50) !thought(a) !thought(b) !tool !text(end) !plan"))[
            -1
        ]
        built: dict[int, str | object] = {}
        for event in found.events.all:
            if isinstance(event, MessageDelta):
                former = built.get(event.index, "")
                built[event.index] = f"{former}{event.text}" if event.part is None else event.part
        shown = [part.text if isinstance(part, TextPart | ThoughtPart) else part for part in answer.parts]
        assert list(built.values()) == shown


async def test_a_conversation_in_the_middle_of_an_answer() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!text(begun) !silent")
        await found.spoken("begun")
        shown = await found.channels.conversation(channel.id)
        assert (shown.busy, shown.answering) == (True, "ada")
        assert text_of(shown.messages[-1]) == "begun"
        assert not shown.messages[-1].done


async def test_empty_text_and_unknown_channels_are_refused() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        with pytest.raises(ChannelError):
            await found.channels.send(channel.id, " \n ")
        with pytest.raises(ChannelError):
            await found.channels.send("nothing", "hello")
        assert (await found.channels.conversation(channel.id)).messages == ()


async def test_mentioned_agents_join_and_answer_in_order_and_know_what_was_said() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        said = await found.say(channel.id, "@bob, @ada !prompt")
        assert [(m.role, m.agent) for m in said] == [
            ("system", "bob"),
            ("system", "ada"),
            ("agent", "bob"),
            ("agent", "ada"),
        ]
        assert found.channels.list()[0].members == ("bob", "ada")
        assert text_of(said[2]) == "@bob, @ada !prompt"
        assert '<message from="bob">' in text_of(said[3])


async def test_nobody_answers_when_nobody_is_meant() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.channels.add_member(channel.id, "ada")
        await found.channels.add_member(channel.id, "bob")
        said = await found.say(channel.id, "hello")
        assert [(m.role, m.code) for m in said] == [("system", "no-recipient")]


async def test_the_last_answerer_goes_on() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.say(channel.id, "@ada one")
        await found.say(channel.id, "@bob two")
        assert [m.agent for m in await found.say(channel.id, "three")] == ["bob"]


async def test_an_agent_is_told_once_what_it_has_not_seen() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.say(channel.id, "@ada first")
        await found.say(channel.id, "@bob second")
        third = text_of((await found.say(channel.id, "@ada !prompt"))[-1])
        assert "second" in third
        assert "echo: @bob second" in third
        assert "first" not in third
        assert text_of((await found.say(channel.id, "@ada !prompt"))[-1]) == "@ada !prompt"


async def test_a_command_is_sent_alone_and_leaves_the_rest_to_be_told() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.say(channel.id, "@ada first")
        await found.say(channel.id, "@bob second")
        assert text_of((await found.say(channel.id, "/ada:tests !prompt"))[-1]) == "/tests !prompt"
        assert "second" in text_of((await found.say(channel.id, "@ada !prompt"))[-1])


async def test_what_a_failed_turn_was_told_is_told_again() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.say(channel.id, "@ada first")
        await found.say(channel.id, "@bob second")
        await found.say(channel.id, "@ada !error(-32603, no luck)")
        assert "second" in text_of((await found.say(channel.id, "@ada !prompt"))[-1])


async def test_messages_sent_meanwhile_wait_and_are_answered_in_order() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!text(begun) !wait(0.3)")
        await found.spoken("begun")
        first, second = (
            await found.channels.send(channel.id, "one"),
            await found.channels.send(channel.id, "two"),
        )
        shown = await found.channels.conversation(channel.id)
        assert shown.queued == 2
        assert [m.queued for m in shown.messages if m.id in (first, second)] == [True, True]
        await found.free(channel.id)
        messages = (await found.channels.conversation(channel.id)).messages
        assert [text_of(m) for m in messages if m.role == "agent"] == ["begun", "echo: one", "echo: two"]
        assert not any(m.queued for m in messages)


async def test_an_agent_answers_in_one_channel_at_a_time_in_turn() -> None:
    async with parts(scripted("ada")) as found:
        rooms = [await found.channels.create(name) for name in ("one", "two", "three")]
        await found.channels.send(rooms[0].id, "@ada !text(begun) !wait(0.3)")
        await found.spoken("begun")
        for room in rooms[1:]:
            await found.channels.send(room.id, "@ada hello")
        waiting = await found.events.until(
            lambda event: (
                isinstance(event, TurnChanged) and event.channel == rooms[1].id and event.waiting_for != ""
            )
        )
        assert isinstance(waiting, TurnChanged)
        assert (waiting.waiting_for, waiting.answering) == (rooms[0].id, "ada")
        for room in rooms:
            await found.free(room.id)
        done = [
            event.channel
            for event in found.events.all
            if isinstance(event, MessageUpdated) and event.message.role == "agent" and event.message.done
        ]
        assert done == [room.id for room in rooms]


async def test_older_messages_come_by_the_hundred() -> None:
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


# -- what goes wrong -----------------------------------------------------------------------------------


async def test_an_agent_that_cannot_start_is_said_and_the_next_one_answers() -> None:
    async with parts(scripted("ada", "exit=3", "stderr=broken"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        said = await found.say(channel.id, "@ada @bob hello")
        note = next(m for m in said if m.code == "agent-unavailable")
        assert note.agent == "ada"
        assert "exit code 3" in note.error
        assert "broken" in note.error
        assert said[-1].agent == "bob"
        assert said[-1].stop_reason == "end_turn"


@pytest.mark.parametrize(
    ("options", "words"),
    [(["auth"], "log in"), (["session-fails"], "Authentication required")],
)
async def test_a_refused_session_is_said(options: list[str], words: str) -> None:
    async with parts(scripted("ada", *options)) as found:
        channel = await found.channels.direct("ada")
        said = await found.say(channel.id, "hello")
        assert said[-1].code == "agent-unavailable"
        assert words in said[-1].error


async def test_an_agent_that_dies_leaves_what_it_said_and_the_next_one_answers() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        said = await found.say(
            channel.id, "@ada @bob !text(half an answer) !tool !stderr(out of luck) !die(7)"
        )
        first, second = [m for m in said if m.role == "agent"]
        assert text_of(first) == "half an answer"
        assert first.done
        assert first.stop_reason is None
        assert "exit code 7" in first.error
        assert "out of luck" in first.error
        assert (second.agent, text_of(second)) == ("bob", "half an answer")
        assert found.agent("ada").state == "error"
        assert (await found.say(channel.id, "@ada again"))[-1].stop_reason == "end_turn"


async def test_an_agents_own_error_is_shown() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        answer = (await found.say(channel.id, "!text(so far) !error(-32603, the model is gone)"))[-1]
        assert (text_of(answer), answer.error, answer.stop_reason) == ("so far", "the model is gone", None)
        assert found.agent("ada").state == "ready"


@pytest.mark.parametrize("reason", ["max_tokens", "max_turn_requests", "refusal"])
async def test_stop_reasons(reason: str) -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        assert (await found.say(channel.id, f"!stop({reason})"))[-1].stop_reason == reason


async def test_junk_does_not_disturb_an_answer() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        answer = (await found.say(channel.id, "!text(before) !garbage !unknown !text(after)"))[-1]
        assert text_of(answer).startswith("before")
        assert "-32601" in text_of(answer)
        assert text_of(answer).endswith("after")
        assert any("hello" in line for line in found.agents.logs("ada"))


async def test_a_long_output_is_cut_with_both_ends_kept() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        output = tools((await found.say(channel.id, "!big(3000000)"))[-1])[0].output
        assert len(output) < 300_000
        assert output.startswith("first ")
        assert output.endswith(" last")
        assert "left out" in output


async def test_a_tools_content_is_replaced_and_a_terminals_added() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        grown, made = tools((await found.say(channel.id, "!growing(30) !terminal(a b c)"))[-1])
        assert grown.output == "grown"
        assert (made.output, made.exit_code, made.status) == ("a\nb\nc\n", 2, "failed")


async def test_what_comes_after_the_end_is_added_to_the_answer_and_stored() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.say(channel.id, "!text(answer) !late( and more)")
        added = await found.events.until(
            lambda event: (
                isinstance(event, MessageUpdated)
                and event.message.done
                and text_of(event.message) == "answer and more"
            )
        )
        assert isinstance(added, MessageUpdated)
        assert await found.history.message(added.message.id) == added.message


# -- permissions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("directive", ["!ask(execute, rm x)", "!askbare(execute, rm x)"])
async def test_a_permission_is_asked_and_answered(directive: str) -> None:
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


async def test_rejections_of_a_turn_are_counted() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!ask !ask !ask")
        counts: list[int] = []
        for option in ("no", "yes", "no"):
            request = await asked(found, after=len(found.events.all) if counts else 0)
            counts.append(request.rejections)
            await found.channels.answer_permission(request.id, option)
        assert counts == [0, 1, 1]
        await found.free(channel.id)


@pytest.mark.parametrize(
    ("policy", "kind", "free"),
    [
        ("ask", "read", False),
        ("read-only-free", "read", True),
        ("read-only-free", "search", True),
        ("read-only-free", "execute", False),
        ("read-only-free", "fetch", False),
        ("all-free", "execute", True),
    ],
)
async def test_a_definition_may_answer_by_itself(policy: str, kind: str, free: bool) -> None:
    async with parts(scripted("ada", permissions=policy)) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, f"!ask({kind}, it)")
        if not free:
            request = await asked(found)
            await found.channels.answer_permission(request.id, "yes")
        await found.free(channel.id)
        assert any(isinstance(event, PermissionRequested) for event in found.events.all) is not free


async def test_a_withdrawn_request_disappears() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        answer = (await found.say(channel.id, "!withdraw"))[-1]
        assert tools(answer)[0].output == "withdrawn: -32800"
        assert any(isinstance(event, PermissionResolved) for event in found.events.all)
        assert (await found.channels.conversation(channel.id)).permissions == ()


# -- Stop ----------------------------------------------------------------------------------------------


async def test_stop_ends_the_answer_the_agents_to_come_and_the_queue() -> None:
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


async def test_stop_answers_pending_permissions_first() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!ask")
        request = await asked(found)
        await found.channels.cancel(channel.id)
        assert PermissionResolved(id=request.id, channel=channel.id) in found.events.all
        answer = (await found.channels.conversation(channel.id)).messages[-1]
        assert answer.stop_reason == "cancelled"
        assert tools(answer)[0].status == "failed"


async def test_an_error_after_stop_still_counts_as_cancelled() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "!text(begun) !cancel-error")
        await found.spoken("begun")
        await found.channels.cancel(channel.id)
        answer = (await found.channels.conversation(channel.id)).messages[-1]
        assert (answer.stop_reason, answer.error) == ("cancelled", "")


async def test_an_agent_that_ignores_stop_loses_the_channel_then_its_process() -> None:
    async with parts(scripted("ada"), scripted("bob"), cancel_seconds=0.3) as found:
        channel = await found.channels.create("Plans")
        await found.channels.send(channel.id, "@ada !text(begun) !deaf")
        await found.spoken("begun")
        await found.channels.cancel(channel.id)
        answer = (await found.channels.conversation(channel.id)).messages[-1]
        assert (text_of(answer), answer.stop_reason) == ("begun", "cancelled")
        assert found.agent("ada").state == "busy"
        assert (await found.say(channel.id, "@bob hello"))[-1].agent == "bob"
        assert (await found.say(channel.id, "@ada hello"))[-1].stop_reason == "end_turn"
        told = [
            event.state
            for event in found.events.all
            if getattr(event, "agent", "") == "ada" and hasattr(event, "state")
        ]
        assert told[:4] == ["starting", "ready", "busy", "stopped"]


async def test_stop_while_the_agent_starts_frees_the_channel_at_once() -> None:
    async with parts(scripted("ada", "never-answers", start_timeout=600)) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, "hello")
        async with asyncio.timeout(5):
            await found.channels.cancel(channel.id)
        assert not (await found.channels.conversation(channel.id)).busy


async def test_stop_of_nothing_does_nothing() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.cancel(channel.id)
        assert (await found.say(channel.id, "hello"))[-1].stop_reason == "end_turn"


# -- sessions, commands --------------------------------------------------------------------------------


async def test_one_session_per_channel_that_goes_on() -> None:
    async with parts(scripted("ada")) as found:
        one, two = await found.channels.direct("ada"), await found.channels.create("Plans")
        first = text_of((await found.say(one.id, "!session"))[-1])
        assert text_of((await found.say(one.id, "!session"))[-1]) == first
        assert text_of((await found.say(two.id, "@ada !session"))[-1]) != first


@pytest.mark.parametrize("ability", ["load", "resume"])
async def test_after_a_restart_a_session_is_taken_up_and_nothing_shown_twice(ability: str) -> None:
    history = MemoryHistory()
    async with parts(scripted("ada", ability), history=history) as found:
        channel = await found.channels.direct("ada")
        session = text_of((await found.say(channel.id, "!session"))[-1])
    async with parts(scripted("ada", ability), history=history) as found:
        answer = (await found.say(channel.id, "!session !prompt"))[-1]
        assert text_of(answer) == f"{session}!session !prompt"
        assert len((await found.channels.conversation(channel.id)).messages) == 4


@pytest.mark.parametrize("ability", ["load-fails", "banner"])
async def test_an_agent_that_cannot_is_told_the_last_messages(ability: str) -> None:
    history = MemoryHistory()
    async with parts(scripted("ada", ability), history=history) as found:
        channel = await found.channels.direct("ada")
        await found.say(channel.id, "!text(the answer)")
    async with parts(scripted("ada", ability), history=history) as found:
        answer = text_of((await found.say(channel.id, "!prompt"))[-1])
        assert '<message from="user">\n!text(the answer)' in answer
        assert '<message from="ada (you)">\nthe answer' in answer


@pytest.mark.parametrize("when", ["early-updates", "commands"])
async def test_prepare_opens_sessions_and_the_first_answer_uses_them(when: str) -> None:
    async with parts(scripted("ada", when), scripted("bob", "exit=1")) as found:
        channel = await found.channels.create("Plans")
        await found.channels.add_member(channel.id, "ada")
        await found.channels.add_member(channel.id, "bob")
        assert found.channels.commands("ada") == ()
        await found.channels.prepare(channel.id)
        told = await found.events.until(lambda event: isinstance(event, CommandsChanged))
        assert isinstance(told, CommandsChanged)
        assert found.channels.commands("ada") == told.commands
        assert isinstance(told.commands[0], Command)
        starts = len(found.events.all)
        await found.channels.prepare(channel.id)
        assert not any(hasattr(event, "state") for event in found.events.all[starts:]), (
            "bob has failed before"
        )
        answer = (await found.say(channel.id, "@ada !turns"))[-1]
        assert text_of(answer) == "1"


async def test_commands_outlive_a_restart() -> None:
    history = MemoryHistory()
    async with parts(scripted("ada", "commands"), history=history) as found:
        channel = await found.channels.direct("ada")
        await found.channels.prepare(channel.id)
        await found.events.until(lambda event: isinstance(event, CommandsChanged))
        known = found.channels.commands("ada")
        await found.say(channel.id, "hello")
    async with parts(scripted("ada"), history=history) as found:
        assert found.channels.commands("ada") == known != ()


async def test_files_inside_the_folder_can_be_read_and_written_no_others(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "out.txt").write_text("secret")
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "out.txt")
    inside = tmp_path / "in"
    async with parts(scripted("ada", cwd=str(inside))) as found:
        channel = await found.channels.direct("ada")
        said = text_of(
            (await found.say(channel.id, f"!read({inside}/a.txt) !write({inside}/b/c.txt, new)"))[-1]
        )
        assert '"one\\ntwo\\n"' in said
        assert (inside / "b" / "c.txt").read_text() == "new"
        for path in (f"{tmp_path}/out.txt", f"{inside}/link.txt", f"{inside}/../out.txt", "a.txt"):
            said = text_of((await found.say(channel.id, f"!read({path}) !write({path}, x)"))[-1])
            assert said.count('"code"') == 2, path
        assert (tmp_path / "out.txt").read_text() == "secret"


async def test_too_many_busy_agents_is_said_in_the_channel() -> None:
    async with parts(scripted("ada"), scripted("bob"), limits=Limits(max_running_agents=1)) as found:
        one, two = await found.channels.direct("ada"), await found.channels.direct("bob")
        await found.channels.send(one.id, "!text(begun) !silent")
        await found.spoken("begun")
        assert "the limit is 1" in (await found.say(two.id, "hello"))[-1].error
        await found.channels.cancel(one.id)


async def test_ids_rise() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        for text in ("one", "two", "three"):
            await found.say(channel.id, text)
        ids = [message.id for message in (await found.channels.conversation(channel.id)).messages]
        assert all(first < second for first, second in itertools.pairwise(ids))
