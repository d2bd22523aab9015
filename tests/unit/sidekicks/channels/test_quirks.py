"""What real agents do otherwise than one would think, by the numbers of the list that was made of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sidekicks.events import (
    AgentStateChanged,
    CommandsChanged,
    MessageUpdated,
    PermissionRequested,
    TurnChanged,
)
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.open import open_history
from sidekicks.models import ToolPart
from tests.agents import scripted
from tests.talk import Talk, text_of

NewTalk = Callable[[], Awaitable[Talk]]


@pytest.fixture
async def hasty() -> Talk:
    """For which an agent is silent soon."""
    return Talk(MemoryHistory(), silent_seconds=0.4)


def silences(talk: Talk, channel: str) -> list[bool]:
    """How `silent` was told to change."""
    told = [event.silent for event in talk.recorder.of(TurnChanged) if event.channel == channel]
    return [silent for at, silent in enumerate(told) if at == 0 or silent != told[at - 1]]


# -- 1: updates before the answer to session/new, and after the prompt's -----------------------------------


async def test_quirk_1_updates_before_the_answer_to_session_new(talk: Talk) -> None:
    talk.configure(scripted("ada", "early-updates"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "hello")
    assert [event.commands[0].name for event in talk.recorder.of(CommandsChanged)] == ["early"]
    assert talk.channels.commands("ada")[0].name == "early"


async def test_quirk_1_updates_after_the_end_of_the_prompt(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!text(well) !late( and more)")
    await talk.recorder.until(
        MessageUpdated, lambda e: e.message.done and text_of(e.message) == "well and more"
    )
    assert text_of((await talk.messages(channel))[-1]) == "well and more"


# -- 2: a permission is requested for a call that was never told ------------------------------------------


async def test_quirk_2_no_tool_call_before_its_permission(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!askbare(execute, make)")
    request = await talk.recorder.until(PermissionRequested)
    [shown] = (await talk.messages(channel))[-1].parts
    assert shown == request.tool_call
    await talk.channels.answer_permission(request.id, "yes")
    await talk.free(channel)
    [tool] = (await talk.messages(channel))[-1].parts  # one card, whichever came first
    assert isinstance(tool, ToolPart)
    assert (tool.title, tool.output, tool.status) == ("make", "done (yes)", "completed")


# -- 6: Stop while a permission waits; a cancel that is answered with an error ------------------------------


async def test_quirk_6_stop_answers_a_pending_permission_before_it_cancels(talk: Talk) -> None:
    """Like some real agents the scripted one hears no cancel before its question is answered."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask")
    await talk.recorder.until(PermissionRequested)
    await talk.channels.cancel(channel)
    assert (await talk.messages(channel))[-1].stop_reason == "cancelled"
    assert talk.agents.list()[0].state == "ready"  # it ended the turn itself, nobody had to stop it


async def test_quirk_6_an_error_after_a_cancel_is_cancelled(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    answer = await talk.begun(channel, "!text(well) !cancel-error")
    await talk.channels.cancel(channel)
    message = await talk.done(answer)
    assert (message.stop_reason, message.error) == ("cancelled", "")


# -- 7: two prompts at once ----------------------------------------------------------------------------------


async def test_quirk_7_an_agent_never_gets_two_prompts_at_once(talk: Talk) -> None:
    """Some cancel the first, some fail it, some refuse the second: this one refuses."""
    talk.configure(scripted("ada", "one-prompt"))
    channels = [await talk.channel("ada", name=name) for name in ("one", "two", "three")]
    for channel in channels:
        for _ in range(3):
            await talk.channels.send(channel, "!stream(5, 10, 0.005)")
    for channel in channels:
        await talk.recorder.until(TurnChanged, lambda event, c=channel: event.channel == c and not event.busy)
        ends = [m.stop_reason for m in await talk.messages(channel) if m.role == "agent"]
        assert ends == ["end_turn"] * 3


async def test_quirk_7_a_stopped_prompt_has_ended_before_the_next(talk: Talk) -> None:
    talk.configure(scripted("ada", "one-prompt"))
    one, two = await talk.channel("ada", name="one"), await talk.channel("ada", name="two")
    await talk.begun(one, "!text(well) !silent")
    await talk.channels.send(two, "hello")
    await talk.channels.cancel(one)
    await talk.free(two)
    assert text_of((await talk.messages(two))[-1]) == "echo: hello"


# -- 8: a session that can't be taken up --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        *((f"load-fails={code}", "Resource not found") for code in (-32002, -32602, -32603)),
        ("resume-fails=-32602", "No such session"),
    ],
)
async def test_quirk_8_a_lost_session_is_said_and_the_past_told(
    new_talk: NewTalk, option: str, reason: str
) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada", option))
    channel = await talk.channel("ada")
    session = text_of(await talk.ask(channel, "!session"))
    await talk.ask(channel, "the word is pear")
    await talk.close()
    talk = await new_talk()
    talk.configure(scripted("ada", option))
    told = text_of(await talk.ask(channel, "!session !prompt"))
    question, note, answer = (await talk.messages(channel))[-3:]
    assert (question.role, note.code, note.agent, answer.role) == ("user", "session-lost", "ada", "agent")
    assert reason in note.error
    assert not told.startswith(session)
    assert "the word is pear" in told
    await talk.ask(channel, "again")
    codes = [message.code for message in await talk.messages(channel)]
    assert codes.count("session-lost") == 1  # the new session goes on


async def test_quirk_8_what_a_load_replays_is_shown_once(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada", "load"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "hello")
    await talk.close()
    talk = await new_talk()
    talk.configure(scripted("ada", "load"))
    await talk.ask(channel, "again")
    said = [text_of(message) for message in await talk.messages(channel) if message.role != "system"]
    assert said == ["hello", "echo: hello", "again", "echo: again"]


async def test_quirk_8_a_session_that_needs_a_login_is_not_lost(tmp_path: Path) -> None:
    """It is there again once the user has logged in."""
    talk = Talk((await open_history(tmp_path / "store"))[0])
    talk.configure(scripted("ada", "resume"))
    channel = await talk.channel("ada")
    session = text_of(await talk.ask(channel, "!session"))
    talk.configure(scripted("ada", "resume-fails=-32000", "auth"))
    await talk.agents.restart("ada")
    note = await talk.ask(channel, "hello")
    assert note.code == "agent-unavailable"
    assert "session-lost" not in [message.code for message in await talk.messages(channel)]
    talk.configure(scripted("ada", "resume"))
    await talk.agents.restart("ada")
    assert text_of(await talk.ask(channel, "!session")) == session
    await talk.close()


# -- 9: an agent from which nothing comes -------------------------------------------------------------------


@pytest.mark.parametrize("option", ["", "session-hangs"])
async def test_quirk_9_an_agent_that_says_nothing_is_silent_and_stop_works(hasty: Talk, option: str) -> None:
    hasty.configure(scripted("ada", option))
    channel = await hasty.channel("ada")
    await hasty.channels.send(channel, "!silent")
    told = await hasty.recorder.until(TurnChanged, lambda event: event.silent)
    assert (told.channel, told.answering, told.busy) == (channel, "ada", True)
    assert (await hasty.channels.conversation(channel)).silent
    await hasty.channels.cancel(channel)
    assert not (await hasty.channels.conversation(channel)).silent
    assert silences(hasty, channel) == [False, True, False]
    await hasty.close()


async def test_quirk_9_the_first_sign_of_life_ends_it(hasty: Talk) -> None:
    hasty.configure(scripted("ada"))
    channel = await hasty.channel("ada")
    await hasty.channels.send(channel, "!wait(0.7) !text(well) !text(there) !silent")
    await hasty.recorder.until(TurnChanged, lambda event: event.silent)
    for silent in (False, True):  # and then nothing comes again
        since = len(hasty.recorder.events)
        told = await hasty.recorder.until(TurnChanged, lambda e, s=silent: e.silent == s, since=since)
        assert told.busy
    await hasty.channels.cancel(channel)
    await hasty.close()


async def test_quirk_9_an_agent_that_waits_for_the_user_is_not_silent(hasty: Talk) -> None:
    hasty.configure(scripted("ada"), scripted("bob"))
    channel, other = await hasty.channel("ada"), await hasty.channel("ada", name="other")
    await hasty.channels.send(channel, "!ask")
    await hasty.recorder.until(PermissionRequested)
    await hasty.channels.send(other, "hello")  # it waits for ada
    clock = await hasty.channel("bob", name="clock")
    await hasty.channels.send(clock, "!silent")
    for silent in (True, False):
        since = len(hasty.recorder.events)
        if not silent:
            await hasty.channels.cancel(clock)
        await hasty.recorder.until(
            TurnChanged, lambda e, s=silent: e.channel == clock and e.silent == s, since=since
        )
    assert silences(hasty, channel) == [False]
    assert silences(hasty, other) == [False]
    await hasty.close()


async def test_quirk_9_a_start_that_takes_long_is_seen_as_such(hasty: Talk) -> None:
    hasty.configure(scripted("ada", "slow-start=0.9"))
    channel = await hasty.channel("ada")
    await hasty.channels.send(channel, "hello")
    await hasty.recorder.until(AgentStateChanged, lambda event: event.state == "ready")
    assert silences(hasty, channel) == [False]
    await hasty.free(channel)
    await hasty.close()
