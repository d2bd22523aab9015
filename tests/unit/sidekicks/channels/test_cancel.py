"""Stop, whatever a channel is doing: it is free again, and works on."""

from __future__ import annotations

import asyncio

import pytest

from sidekicks.channels.errors import ChannelError
from sidekicks.events import (
    AgentStateChanged,
    ElicitationRequested,
    ElicitationResolved,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
)
from sidekicks.models import (
    Message,
    ToolPart,
)
from tests.agents import scripted
from tests.sessions_parts import able
from tests.talk import CANCEL_SECONDS, Talk, text_of


def answers(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(message.agent, text_of(message)) for message in messages if message.role == "agent"]


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


async def test_stop_while_a_form_waits(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!elicit(0)")
    asked = await talk.recorder.until(ElicitationRequested)
    await talk.channels.cancel(channel)
    assert talk.recorder.of(ElicitationResolved) == [ElicitationResolved(id=asked.id, channel=channel)]
    assert (await talk.messages(channel))[-1].stop_reason == "cancelled"
    assert (await talk.channels.conversation(channel)).elicitations == ()
    assert text_of(await talk.ask(channel, "again")) == "echo: again"


async def test_stop_drops_each_waiting_message(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.begun(channel, "!text(well) !silent")
    waiting = [await talk.channels.send(channel, text) for text in ("one", "two", "three")]
    await talk.channels.cancel(channel)
    for message in waiting:
        assert (await talk.done(message)).id == message
        told = [e.message.error for e in talk.recorder.of(MessageUpdated) if e.message.id == message]
        assert told == ["", "cancelled"]
    assert answers(await talk.messages(channel)) == [("ada", "well")]


async def test_stop_twice_at_once(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    answer = await talk.begun(channel, "!text(well) !silent")
    await asyncio.gather(*(talk.channels.cancel(channel) for _ in range(3)))
    assert (await talk.done(answer)).stop_reason == "cancelled"
    assert text_of(await talk.ask(channel, "again")) == "echo: again"


async def test_stop_while_it_is_deleted(talk: Talk) -> None:
    """The agent is deaf, so that deleting takes its time."""
    talk.configure(scripted("ada"))
    channel, other = await talk.channel("ada"), await talk.channel("ada", name="other")
    await talk.begun(channel, "!deaf(well)")
    deleting = asyncio.create_task(talk.channels.delete(channel))
    await asyncio.sleep(0)
    with pytest.raises(ChannelError, match="does not exist"):
        await talk.channels.cancel(channel)
    await deleting
    assert [each.id for each in talk.channels.list()] == [other]
    assert text_of(await talk.ask(other, "hello")) == "echo: hello"
