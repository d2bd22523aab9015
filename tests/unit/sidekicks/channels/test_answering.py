"""Who answers when, what they are told, and what Stop, crashes and deaf agents do to a channel."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sidekicks.events import (
    MessageDelta,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
)
from sidekicks.models import ToolPart
from tests.agents import scripted
from tests.processes import gone
from tests.talk import Talk, text_of

NewTalk = Callable[[], Awaitable[Talk]]


# -- who answers -------------------------------------------------------------------------------------


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


# -- Stop --------------------------------------------------------------------------------------------


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


# -- after a restart ---------------------------------------------------------------------------------


async def test_a_child_of_an_agent_that_dies_is_gone(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    message = await talk.ask(channel, "!child !kill")
    await gone(int(text_of(message).split()[1]))
