"""Reference, "Messages": each field of a message, and of a tool call."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from sidekicks.events import (
    MessageDelta,
    MessageUpdated,
    PermissionRequested,
    TurnChanged,
    UsageChanged,
)
from sidekicks.models import (
    Diff,
    Message,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
    Usage,
)
from tests.agents import scripted
from tests.core_parts import parts
from tests.talk import Talk, text_of


def tools(message: Message) -> list[ToolPart]:
    return [part for part in message.parts if isinstance(part, ToolPart)]


async def test_id_channel_and_created_at_are_its_identity(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    for text in ("one", "two"):
        await talk.ask(channel, text)
    messages = await talk.messages(channel)
    assert {message.channel for message in messages} == {channel}
    assert all(first.id < second.id for first, second in itertools.pairwise(messages))
    assert all(message.created_at.tzinfo is not None for message in messages)


async def test_agent_and_role_say_who_wrote_or_whom_a_system_message_is_about(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "hello")
    assert [(message.role, message.agent) for message in await talk.messages(channel)] == [
        ("system", "ada"),
        ("user", ""),
        ("agent", "ada"),
    ]


async def test_done_is_false_while_an_agents_message_is_shown(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    answer = await talk.begun(channel, "!text(well) !silent")
    assert [m.done for m in await talk.messages(channel)] == [True, True, False]
    await talk.channels.cancel(channel)
    assert (await talk.done(answer)).done


async def test_error_is_cancelled_for_a_waiting_message_dropped_by_stop(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.begun(channel, "!text(well) !silent")
    waiting = await talk.channels.send(channel, "and then")
    await talk.channels.cancel(channel)
    dropped = await talk.done(waiting)
    told = [e.message for e in talk.recorder.of(MessageUpdated) if e.message.id == waiting]
    assert dropped.id == waiting
    assert [(message.queued, message.error) for message in told] == [(True, ""), (False, "cancelled")]


async def test_code_of_system_messages(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob", "exit=1"))
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "hello")
    await talk.ask(channel, "@bob hello")
    await talk.channels.remove_member(channel, "bob")
    codes = [(m.code, m.agent) for m in await talk.messages(channel) if m.role == "system"]
    assert codes == [
        ("agent-joined", "ada"),
        ("agent-joined", "bob"),
        ("no-recipient", ""),
        ("agent-unavailable", "bob"),
        ("agent-left", "bob"),
    ]


@pytest.mark.parametrize(
    "kind", ["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "other"]
)
async def test_a_tool_call_has_id_title_kind_status_input_and_output(talk: Talk, kind: str) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    [tool] = tools(await talk.ask(channel, f"!tool({kind}, ls -l, README.md)"))
    assert (tool.id, tool.title, tool.kind, tool.output) == ("call-1", "ls -l", kind, "README.md")
    assert tool.input == '{"command":"ls -l"}'  # compact JSON
    told = [e.part.status for e in talk.recorder.of(MessageDelta) if isinstance(e.part, ToolPart)]
    assert list(dict.fromkeys(told)) == ["pending", "in_progress", "completed"]


async def test_a_tool_call_that_is_refused_has_failed(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask")
    await talk.channels.answer_permission((await talk.recorder.until(PermissionRequested)).id, "no")
    await talk.free(channel)
    assert tools((await talk.messages(channel))[-1])[0].status == "failed"


async def test_a_tool_call_has_locations_and_diffs_with_path_old_text_new_text_and_new_file(
    talk: Talk, tmp_path: Path
) -> None:
    talk.configure(scripted("ada", cwd=str(tmp_path)))
    channel = await talk.channel("ada")
    changed, made = tools(await talk.ask(channel, "!diff(a.txt) !newfile(b.txt)"))
    assert [place.path for place in changed.locations] == [str(tmp_path / "a.txt")]
    assert changed.diffs == (
        Diff(path=str(tmp_path / "a.txt"), old_text="one\ntwo\n", new_text="one\nthree\n"),
    )
    assert made.diffs == (
        Diff(path=str(tmp_path / "b.txt"), old_text="", new_text="one\nthree\n", new_file=True),
    )


async def test_parts_are_thought_text_tool_and_plan() -> None:
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


async def test_error_is_the_agents_explanation_when_there_is_no_stop_reason() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        answer = (await found.say(channel.id, "!text(so far) !error(-32603, the model is gone)"))[-1]
        assert (text_of(answer), answer.error, answer.stop_reason) == ("so far", "the model is gone", None)
        assert found.agent("ada").state == "ready"


@pytest.mark.parametrize("reason", ["max_tokens", "max_turn_requests", "refusal"])
async def test_stop_reason_is_how_an_agents_message_ended(reason: str) -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        assert (await found.say(channel.id, f"!stop({reason})"))[-1].stop_reason == reason


async def test_queued_is_a_message_of_the_user_that_waits_for_the_end_of_the_answers(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask")
    request = await talk.recorder.until(PermissionRequested)
    waiting = [await talk.channels.send(channel, text) for text in ("one", "two")]
    conversation = await talk.channels.conversation(channel)
    assert (conversation.busy, conversation.queued, conversation.answering) == (True, 2, "ada")
    assert [message.id for message in conversation.messages if message.queued] == waiting
    assert [request.id for request in conversation.permissions] == [request.id]
    since = len(talk.recorder.events)
    await talk.channels.answer_permission(request.id, "yes")
    await talk.free(channel, since)
    messages = await talk.messages(channel)
    assert [text_of(m) for m in messages if m.role == "agent"][1:] == ["echo: one", "echo: two"]
    assert not any(message.queued for message in messages)
    assert [e.queued for e in talk.recorder.of(TurnChanged)][-1] == 0


async def test_code_agent_unavailable_when_it_cannot_be_started_and_error_says_why(talk: Talk) -> None:
    talk.configure(scripted("ada", "exit=2", "stderr=no key"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "@ada @bob hello")
    messages = await talk.messages(channel)
    assert (messages[-2].code, messages[-2].agent) == ("agent-unavailable", "ada")
    assert messages[-2].error == "it ended with exit code 2 before it answered\nno key"
    assert (messages[-1].agent, text_of(messages[-1])) == ("bob", "echo: @ada @bob hello")


@pytest.mark.parametrize(
    ("option", "says"), [("auth", "Log in with a browser"), ("session-fails", "Authentication required")]
)
async def test_code_agent_unavailable_when_it_cannot_be_reached_and_error_says_why(
    talk: Talk, option: str, says: str
) -> None:
    talk.configure(scripted("ada", option))
    channel = await talk.channel("ada")
    message = await talk.ask(channel, "hello")
    assert (message.role, message.code, message.agent) == ("system", "agent-unavailable", "ada")
    assert says in message.error
    assert talk.agents.list()[0].state == "ready"
