"""Who answers when, what they are told, and what Stop, crashes and deaf agents do to a channel."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sidekicks.events import (
    AgentStateChanged,
    MessageDelta,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
    UsageChanged,
)
from sidekicks.models import Message, ToolPart, Usage
from tests.agents import scripted
from tests.processes import gone
from tests.talk import CANCEL_SECONDS, Talk, text_of

NewTalk = Callable[[], Awaitable[Talk]]


def answers(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(message.agent, text_of(message)) for message in messages if message.role == "agent"]


# -- who answers -------------------------------------------------------------------------------------


async def test_the_mentioned_answer_one_after_the_other(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "@bob @ada what is it? !prompt")
    messages = await talk.messages(channel)
    joined, sent, _, first, second = messages
    assert (joined.code, joined.agent, sent.role) == ("agent-joined", "ada", "user")
    assert (messages[2].code, messages[2].agent) == ("agent-joined", "bob")
    assert [first.agent, second.agent] == ["bob", "ada"]
    assert "Said in this channel" not in text_of(first)
    assert '<message from="bob">' in text_of(second)  # it knows what the first has said
    assert text_of(second).endswith("@bob @ada what is it? !prompt")
    turns = [event.answering for event in talk.recorder.of(TurnChanged)]
    assert list(dict.fromkeys(turns)) == ["bob", "ada", ""]


async def test_without_a_mention_the_last_who_answered(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    assert (await talk.ask(channel, "hello")).code == "no-recipient"
    await talk.ask(channel, "@bob hello")
    assert (await talk.ask(channel, "and now?")).agent == "bob"


async def test_a_direct_conversation_and_a_command(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    direct = (await talk.channels.direct("ada")).id
    assert text_of(await talk.ask(direct, "hi @bob")) == "echo: hi @bob"
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "@ada the word is pear")
    assert answers(await talk.messages(channel))[-1] == ("ada", "echo: @ada the word is pear")
    assert text_of(await talk.ask(channel, "/bob:say !prompt")) == "/say !prompt"


async def test_a_command_does_not_count_as_having_been_told(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "@ada the word is pear")
    await talk.ask(channel, "/bob:say")
    assert "the word is pear" in text_of(await talk.ask(channel, "@bob !prompt"))
    await talk.ask(channel, "@ada the word is plum")
    await talk.ask(channel, "/bob:say")
    told = text_of(await talk.ask(channel, "@bob !prompt"))
    assert "plum" in told
    assert "pear" not in told


async def test_what_was_told_is_not_told_again(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "@ada the word is pear")
    await talk.ask(channel, "@bob hello")
    told = text_of(await talk.ask(channel, "@bob !prompt"))
    assert told == "@bob !prompt"


async def test_what_was_queued_is_told_to_who_answered_meanwhile(talk: Talk) -> None:
    """The queued message is older than bob's answer, and bob has not seen it all the same."""
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.channels.send(channel, "@ada @bob !ask")
    first = await talk.recorder.until(PermissionRequested)
    await talk.channels.send(channel, "@ada the word is pear")
    await talk.channels.answer_permission(first.id, "yes")
    second = await talk.recorder.until(PermissionRequested, lambda event: event.agent == "bob")
    since = len(talk.recorder.events)
    await talk.channels.answer_permission(second.id, "yes")
    await talk.free(channel, since)
    told = text_of(await talk.ask(channel, "@bob !prompt"))
    assert '<message from="user">\n@ada the word is pear\n</message>' in told
    assert told.count("!ask") == 0  # that it has seen


async def test_the_working_folder(talk: Talk, tmp_path: Path) -> None:
    own, chosen = tmp_path / "own", tmp_path / "chosen"
    own.mkdir()
    chosen.mkdir()
    talk.configure(scripted("ada", cwd=str(own)), scripted("bob"))
    channel = (await talk.channels.create("main", cwd=str(chosen))).id
    assert text_of(await talk.ask(channel, "@ada !cwd")) == str(own)
    assert text_of(await talk.ask(channel, "@bob !cwd")) == str(chosen)
    await talk.channels.set_cwd(channel, str(own))
    assert text_of(await talk.ask(channel, "@bob !cwd")) == str(own)
    gone = tmp_path / "gone"
    gone.mkdir()
    await talk.channels.set_cwd(channel, str(gone))
    gone.rmdir()
    message = await talk.ask(channel, "@bob !cwd")
    assert (message.code, message.error) == (
        "agent-unavailable",
        f"the working folder {gone} does not exist",
    )


# -- one after the other -----------------------------------------------------------------------------


async def test_messages_wait_in_order(talk: Talk) -> None:
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


async def test_a_channel_says_for_which_other_it_waits(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    one, two, three = [await talk.channel("ada", name=name) for name in ("one", "two", "three")]
    await talk.channels.send(one, "!ask")
    first = await talk.recorder.until(PermissionRequested)
    await talk.channels.send(two, "!ask")
    await talk.channels.send(three, "hello")
    for waiting in (two, three):
        await talk.recorder.until(TurnChanged, lambda e, w=waiting: (e.channel, e.waiting_for) == (w, one))
        assert (await talk.channels.conversation(waiting)).waiting_for == one
    await talk.channels.answer_permission(first.id, "yes")
    second = await talk.recorder.until(PermissionRequested, lambda event: event.channel == two)
    assert (await talk.channels.conversation(two)).waiting_for == ""
    assert (await talk.channels.conversation(three)).waiting_for == two
    await talk.channels.answer_permission(second.id, "yes")
    await talk.free(three)
    assert (await talk.channels.conversation(three)).waiting_for == ""


# -- Stop --------------------------------------------------------------------------------------------


async def test_stop_while_it_streams(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    answer = await talk.begun(channel, "@ada @bob !text(well) !tool !silent")
    waiting = await talk.channels.send(channel, "and then")
    await talk.channels.cancel(channel)
    message = await talk.done(answer)
    assert (message.stop_reason, message.error, text_of(message)) == ("cancelled", "", "well")
    dropped = await talk.recorder.until(MessageUpdated, lambda e: e.message.id == waiting and e.message.error)
    assert (dropped.message.error, dropped.message.queued) == ("cancelled", False)
    conversation = await talk.channels.conversation(channel)
    assert (conversation.busy, conversation.queued, conversation.answering) == (False, 0, "")
    assert [m.agent for m in conversation.messages if m.role == "agent"] == ["ada"]
    assert waiting not in {m.id for m in conversation.messages}
    assert text_of(await talk.ask(channel, "@ada go on")) == "echo: @ada go on"


async def test_stop_while_it_starts(talk: Talk) -> None:
    talk.configure(scripted("ada", "never-answers", start_timeout=60))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "hello")
    await talk.recorder.until(AgentStateChanged, lambda event: event.state == "starting")
    await talk.channels.cancel(channel)
    assert [m.role for m in await talk.messages(channel)] == ["system", "user"]
    assert not (await talk.channels.conversation(channel)).busy


async def test_stop_while_its_session_is_made(talk: Talk) -> None:
    talk.configure(scripted("ada", "session-hangs"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "hello")
    await talk.recorder.until(AgentStateChanged, lambda event: event.state == "busy")
    await talk.channels.cancel(channel)
    await talk.recorder.until(AgentStateChanged, lambda event: event.state == "ready")
    talk.configure(scripted("ada"))
    await talk.agents.restart("ada")
    assert text_of(await talk.ask(channel, "again")) == "echo: again"


async def test_stop_while_it_waits_for_its_turn(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    one, two = await talk.channel("ada", name="one"), await talk.channel("ada", name="two")
    await talk.begun(one, "!text(well) !silent")
    await talk.channels.send(two, "hello")
    await talk.recorder.until(TurnChanged, lambda event: event.channel == two and event.waiting_for)
    await talk.channels.cancel(two)
    conversation = await talk.channels.conversation(two)
    assert (conversation.busy, conversation.waiting_for) == (False, "")
    assert talk.recorder.of(TurnChanged)[-1].waiting_for == ""
    assert (await talk.channels.conversation(one)).busy
    await talk.channels.cancel(one)
    assert text_of(await talk.ask(two, "again")) == "echo: again"


async def test_stop_before_the_work_has_begun(talk: Talk) -> None:
    """The message has just been put on the disk."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    sending = asyncio.create_task(talk.channels.send(channel, "!silent"))
    await asyncio.sleep(0)
    async with asyncio.timeout(5):
        await talk.channels.cancel(channel)
        await sending
        await talk.channels.cancel(channel)
    assert answers(await talk.messages(channel)) == []
    assert not (await talk.channels.conversation(channel)).busy


async def test_stop_while_a_question_waits(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask")
    request = await talk.recorder.until(PermissionRequested)
    await talk.channels.cancel(channel)
    assert talk.recorder.of(PermissionResolved) == [PermissionResolved(id=request.id, channel=channel)]
    message = await talk.done(request.message_id)
    assert message.stop_reason == "cancelled"
    [tool] = message.parts
    assert isinstance(tool, ToolPart)
    assert tool.status == "failed"
    assert (await talk.channels.conversation(channel)).permissions == ()


async def test_a_question_after_stop_is_answered_cancelled(talk: Talk) -> None:
    """It is deaf, and asks when it wakes up: the user has long been elsewhere."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.begun(channel, "!text(well) !ask-when-cancelled")
    await talk.channels.cancel(channel)
    assert talk.recorder.of(PermissionRequested) == []
    assert (await talk.messages(channel))[-1].stop_reason == "cancelled"
    assert talk.agents.list()[0].state == "ready"


async def test_an_error_after_a_cancel_is_a_cancel(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    answer = await talk.begun(channel, "!text(well) !cancel-error")
    await talk.channels.cancel(channel)
    message = await talk.done(answer)
    assert (message.stop_reason, message.error) == ("cancelled", "")


async def test_stop_when_nothing_runs(talk: Talk) -> None:
    channel = await talk.channel()
    await talk.channels.cancel(channel)


async def test_a_message_sent_while_stopping_is_answered_after_it(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.begun(channel, "!text(well) !silent")
    stopping = asyncio.create_task(talk.channels.cancel(channel))
    await asyncio.sleep(0)
    await talk.channels.send(channel, "and now")
    await stopping
    assert answers(await talk.messages(channel))[-1] == ("ada", "echo: and now")


async def test_the_deaf_give_the_channel_back_and_are_stopped(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel, other = await talk.channel("ada", "bob"), await talk.channel("ada", name="other")
    answer = await talk.begun(channel, "@ada !deaf(well)")
    clock = asyncio.get_running_loop().time
    began = clock()
    await talk.channels.cancel(channel)
    assert clock() - began >= CANCEL_SECONDS
    message = await talk.done(answer)
    assert (message.stop_reason, text_of(message)) == ("cancelled", "well")
    assert text_of(await talk.ask(channel, "@bob hello")) == "echo: @bob hello"  # the channel is free
    assert text_of(await talk.ask(other, "hi")) == "echo: hi"  # after it was stopped, it is started anew
    told = [
        "free" if isinstance(event, TurnChanged) else event.state
        for event in talk.recorder.events
        if (isinstance(event, TurnChanged) and event.channel == channel and not event.busy)
        or (isinstance(event, AgentStateChanged) and event.agent == "ada")
    ]
    assert told[3:5] == ["free", "free"] or told[3:5] == ["free", "stopped"]
    assert "error" not in told


# -- what goes wrong ---------------------------------------------------------------------------------


async def test_an_agent_dies_in_the_middle(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    text = "@ada @bob !prompt !stderr(out of tokens) !tool !kill"
    await talk.ask(channel, text)
    first, second = [m for m in await talk.messages(channel) if m.role == "agent"]
    for message, agent in ((first, "ada"), (second, "bob")):
        assert (message.agent, message.stop_reason, message.done) == (agent, None, True)
        reason, *tail = message.error.splitlines()
        assert reason.startswith("it was ended by SIGKILL")
        assert tail == ["out of tokens"]
        assert text_of(message).endswith(text)
        assert any(isinstance(part, ToolPart) for part in message.parts)
    assert [status.state for status in talk.agents.list()] == ["error", "error"]
    assert text_of(await talk.ask(channel, "@ada again")) == "echo: @ada again"


async def test_an_agent_that_can_t_start(talk: Talk) -> None:
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
async def test_a_session_that_is_refused(talk: Talk, option: str, says: str) -> None:
    talk.configure(scripted("ada", option))
    channel = await talk.channel("ada")
    message = await talk.ask(channel, "hello")
    assert (message.role, message.code, message.agent) == ("system", "agent-unavailable", "ada")
    assert says in message.error
    assert talk.agents.list()[0].state == "ready"


async def test_too_many_are_running(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"), limit=1)
    one, two = await talk.channel("ada", name="one"), await talk.channel("bob", name="two")
    await talk.begun(one, "!text(well) !silent")
    message = await talk.ask(two, "hello")
    assert message.error == "too many agents running: 1 agent(s) busy (ada), the limit is 1"


async def test_an_agent_that_is_not_configured_any_more(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = (await talk.channels.direct("ada")).id
    await talk.begun(channel, "!text(well) !silent")
    since = len(talk.recorder.events)
    talk.configure()
    await talk.free(channel, since)
    message = (await talk.messages(channel))[-1]
    assert (text_of(message), message.error) == ("well", "it was removed from the configuration")
    message = await talk.ask(channel, "hello")
    assert (message.code, message.error) == ("agent-unavailable", "the configuration has no agent named ada")


@pytest.mark.parametrize(
    ("directives", "reason", "error"),
    [
        ("!stop(max_tokens)", "max_tokens", ""),
        ("!stop(refusal)", "refusal", ""),
        ("!stop(bored)", None, "the agent ended for a reason that is not known: bored"),
        ("!error(-32603, The model is away)", None, "The model is away"),
        ("!garbage", "end_turn", ""),
    ],
)
async def test_how_an_answer_ends(talk: Talk, directives: str, reason: str | None, error: str) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    message = await talk.ask(channel, f"!text(well) {directives}")
    assert (text_of(message), message.stop_reason, message.error) == ("well", reason, error)


async def test_a_flood_of_updates_is_one_answer(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    message = await talk.ask(channel, "!flood-updates(20000)")
    assert text_of(message) == "".join(f"{number} " for number in range(20000))


async def test_a_big_result_is_shown_cut(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    [tool] = (await talk.ask(channel, "!big(20000000)")).parts
    assert isinstance(tool, ToolPart)
    assert tool.status == "completed"
    assert tool.output.startswith("first xxx")
    assert tool.output.endswith("xxx last")
    assert "left out" in tool.output


# -- what agents tell and ask ------------------------------------------------------------------------


async def test_questions_count_the_refusals_of_their_turn(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask !askbare(edit, make) !ask")
    seen: list[PermissionRequested] = []
    for answer in ("no", "yes", "yes"):
        request = await talk.recorder.until(
            PermissionRequested, lambda event: event.id not in {one.id for one in seen}
        )
        seen.append(request)
        await talk.channels.answer_permission(request.id, answer)
    await talk.free(channel)
    assert [request.rejections for request in seen] == [0, 1, 1]
    assert seen[1].tool_call.title == "make"  # it was never announced by a tool_call
    tools = [p for p in (await talk.messages(channel))[-1].parts if isinstance(p, ToolPart)]
    assert [(t.status, t.output) for t in tools] == [
        ("failed", "rejected"),
        ("completed", "done (yes)"),
        ("completed", "done (yes)"),
    ]
    await talk.channels.send(channel, "!ask")
    request = await talk.recorder.until(
        PermissionRequested, lambda event: event.id not in {one.id for one in seen}
    )
    assert request.rejections == 0  # another turn


@pytest.mark.parametrize(("kind", "is_asked"), [("read", False), ("execute", True)])
async def test_what_the_definition_allows_is_not_asked(talk: Talk, kind: str, is_asked: bool) -> None:
    talk.configure(scripted("ada", permissions="read-only-free"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, f"!ask({kind}, it)")
    if is_asked:
        request = await talk.recorder.until(PermissionRequested)
        await talk.channels.answer_permission(request.id, "yes")
    await talk.free(channel)
    assert bool(talk.recorder.of(PermissionRequested)) == is_asked


async def test_a_question_that_is_withdrawn(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    [tool] = (await talk.ask(channel, "!withdraw")).parts
    assert isinstance(tool, ToolPart)
    assert tool.output == "withdrawn: -32800"
    assert len(talk.recorder.of(PermissionResolved)) == 1


async def test_late_updates_are_kept(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!text(well) !late( and more)")
    late = await talk.recorder.until(MessageUpdated, lambda e: text_of(e.message) == "well and more")
    assert late.message.done
    assert text_of((await talk.messages(channel))[-1]) == "well and more"
    await talk.channels.send(channel, "!text(well) !late( and last)")
    late_delta = await talk.recorder.until(MessageDelta, lambda event: event.text == " and last")
    await talk.done(late_delta.message_id)
    await talk.close()  # at once
    assert text_of((await (await new_talk()).messages(channel))[-1]) == "well and last"


async def test_usage_is_told_and_kept_while_the_program_runs(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "!usage(10, 100)")
    assert (await talk.channels.conversation(channel)).usage == {"ada": Usage(used=10, size=100)}
    assert talk.recorder.of(UsageChanged)[-1] == UsageChanged(
        channel=channel, agent="ada", usage=Usage(used=10, size=100)
    )


# -- after a restart ---------------------------------------------------------------------------------


@pytest.mark.parametrize("option", ["load", "resume"])
async def test_a_session_goes_on_after_a_restart(new_talk: NewTalk, option: str) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada", option), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    session = text_of(await talk.ask(channel, "@ada !session"))
    await talk.ask(channel, "@bob the word is pear")
    await talk.close()
    talk = await new_talk()
    talk.configure(scripted("ada", option), scripted("bob"))
    told = text_of(await talk.ask(channel, "@ada !session !prompt"))
    assert told.startswith(session)
    assert "the word is pear" in told
    assert "@ada !session\n" not in told  # its session has it
    assert "old answer" not in told  # what is replayed is not shown again


@pytest.mark.parametrize("option", ["banner", "load-fails"])
async def test_without_its_session_an_agent_is_given_the_past(new_talk: NewTalk, option: str) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada", option))
    channel = await talk.channel("ada")
    session = text_of(await talk.ask(channel, "!session"))
    await talk.ask(channel, "the word is pear")
    await talk.close()
    talk = await new_talk()
    talk.configure(scripted("ada", option))
    told = text_of(await talk.ask(channel, "!session !prompt"))
    assert not told.startswith(session)
    assert "the word is pear" in told
    assert '<message from="ada (you)">\necho: the word is pear' in told


async def test_an_answer_that_is_cut_off_by_closing_is_not_kept(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.begun(channel, "!text(well) !silent")
    await talk.channels.send(channel, "queued")
    await talk.close()
    messages = await (await new_talk()).messages(channel)
    assert [(m.role, text_of(m)) for m in messages[1:]] == [("user", "!text(well) !silent")]


async def test_a_child_of_an_agent_that_dies_is_gone(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    message = await talk.ask(channel, "!child !kill")
    await gone(int(text_of(message).split()[1]))
