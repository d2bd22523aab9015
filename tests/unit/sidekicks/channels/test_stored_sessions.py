"""Sessions that agents keep: listed, gone on with, closed and deleted."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sidekicks.acp.errors import AgentFailureError
from sidekicks.channels.errors import ChannelError
from sidekicks.events import PermissionRequested
from sidekicks.history.memory import MemoryHistory
from sidekicks.models import Message, PlanPart, StoredSession, ThoughtPart, ToolPart
from tests.agents import scripted
from tests.core_parts import parts
from tests.core_parts import scripted as scripted_part
from tests.sessions_parts import able, told
from tests.talk import Talk, text_of

NewTalk = Callable[[], Awaitable[Talk]]

CATCH_UP = 'Said in this channel before, for your information:\n<message from="user">\nold\n</message>\n\n'


def chunk(kind: str, text: str, message: str | None = None) -> dict[str, object]:
    found: dict[str, object] = {"sessionUpdate": kind, "content": {"type": "text", "text": text}}
    return found if message is None else {**found, "messageId": message}


PAST = [
    chunk("user_message_chunk", CATCH_UP + "What is ", "1"),
    chunk("user_message_chunk", "this?", "1"),
    chunk("agent_thought_chunk", "Let me see"),
    {"sessionUpdate": "tool_call", "toolCallId": "t", "title": "Read", "kind": "read", "status": "completed"},
    {"sessionUpdate": "plan", "entries": [{"content": "Look", "priority": "high", "status": "completed"}]},
    chunk("agent_message_chunk", "A program"),
    chunk("user_message_chunk", "one", "2"),
    chunk("user_message_chunk", "two", "3"),
    chunk("agent_message_chunk", "Done."),
    {"sessionUpdate": "session_info_update", "title": "What it is"},
]


def said(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(message.role, text_of(message)) for message in messages if message.role != "system"]


async def test_sessions_are_listed_page_by_page(talk: Talk, tmp_path: Path) -> None:
    stored = [
        {"sessionId": "1", "cwd": str(tmp_path), "title": " A\n title ", "updatedAt": "2026-01-01T00:00:00Z"},
        {"sessionId": "2", "cwd": "/elsewhere"},
    ]
    talk.configure(able("ada", "can=list", f"stored={json.dumps(stored)}"))
    page, following = await talk.channels.stored_sessions("ada")  # starts it
    first = StoredSession(
        session_id="1", cwd=str(tmp_path), title="A title", updated_at="2026-01-01T00:00:00Z"
    )
    assert page == (first,)
    page, end = await talk.channels.stored_sessions("ada", cursor=following)
    assert ([session.session_id for session in page], end) == (["2"], "")
    assert await talk.channels.stored_sessions("ada", str(tmp_path)) == ((first,), "")


async def test_an_agent_that_keeps_nothing(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    with pytest.raises(AgentFailureError, match="it can't list the sessions"):
        await talk.channels.stored_sessions("ada")
    with pytest.raises(ChannelError, match="ada can't go on with a session of a former run"):
        await talk.channels.take_up(channel, "ada", "1")


async def test_a_channel_goes_on_with_a_stored_session_and_its_past(
    new_talk: NewTalk, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    stored = json.dumps([{"sessionId": "s1", "cwd": str(tmp_path)}])
    agent = able("ada", "can=list+resume", f"stored={stored}", f"past={json.dumps(PAST)}", f"record={record}")
    talk = await new_talk()
    talk.configure(agent)
    channel = (await talk.channels.create("work")).id
    await talk.channels.stored_sessions("ada")
    await talk.channels.take_up(channel, "ada", "s1")
    conversation = await talk.channels.conversation(channel)
    assert conversation.channel.members == ("ada",)
    assert conversation.channel.cwd == str(tmp_path)  # the session's
    assert conversation.titles == {"ada": "What it is"}
    past = [
        ("user", "What is this?"),
        ("agent", "A program"),
        ("user", "one"),
        ("user", "two"),
        ("agent", "Done."),
    ]
    assert said(conversation.messages) == past
    answer = next(message for message in conversation.messages if message.role == "agent")
    assert [type(part) for part in answer.parts[:3]] == [ThoughtPart, ToolPart, PlanPart]
    assert all(message.done for message in conversation.messages)
    assert told(record, "session/load")[0]["cwd"] == str(tmp_path)
    # It knows all of that: nothing is told again, neither now nor after a restart.
    assert text_of(await talk.ask(channel, "!prompt")) == "!prompt"
    await talk.channels.take_up(channel, "ada", "s1")
    assert len(said(await talk.messages(channel))) == len(past) + 2
    await talk.close()
    talk = await new_talk()
    talk.configure(agent)
    assert text_of(await talk.ask(channel, "!prompt")) == "!prompt"
    assert [call["sessionId"] for call in told(record, "session/resume")] == ["s1", "s1"]


async def test_nothing_of_a_replayed_past_is_shown_twice(talk: Talk, tmp_path: Path) -> None:
    past = [chunk("user_message_chunk", "hello"), chunk("agent_message_chunk", "echo: hello")]
    past += [chunk("user_message_chunk", "more"), chunk("agent_message_chunk", "echo: more")]
    talk.configure(able("ada", f"past={json.dumps(past)}"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "hello")
    await talk.channels.take_up(channel, "ada", "another")
    everything = [("user", "hello"), ("agent", "echo: hello"), ("user", "more"), ("agent", "echo: more")]
    assert said(await talk.messages(channel)) == everything
    await talk.channels.take_up(channel, "ada", "another")
    assert said(await talk.messages(channel)) == everything


async def test_an_agent_that_only_resumes_brings_no_past(talk: Talk) -> None:
    talk.configure(able("ada", "can=resume"))
    channel = await talk.channel("ada")
    await talk.channels.take_up(channel, "ada", "s1")
    assert said(await talk.messages(channel)) == []
    assert text_of(await talk.ask(channel, "!session")) == "s1"


async def test_quirk_8_a_session_that_cannot_be_taken_up_is_no_other_one(talk: Talk) -> None:
    talk.configure(scripted("ada", "load-fails"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "!session")
    with pytest.raises(ChannelError, match="ada can't go on with that session: Resource not found"):
        await talk.channels.take_up(channel, "ada", "s1")
    assert text_of(await talk.ask(channel, "!turns")) == "2"  # the former one goes on


async def test_a_session_of_another_folder(talk: Talk, tmp_path: Path) -> None:
    stored = json.dumps([{"sessionId": "s1", "cwd": str(tmp_path)}])
    agent = able("ada", "can=list+resume", f"stored={stored}")
    talk.configure(agent)
    channel = await talk.channel("ada")
    await talk.channels.set_cwd(channel, str(tmp_path.parent))
    await talk.channels.stored_sessions("ada")
    with pytest.raises(ChannelError, match="give the channel that folder first"):
        await talk.channels.take_up(channel, "ada", "s1")
    await talk.channels.set_cwd(channel, str(tmp_path))
    await talk.channels.take_up(channel, "ada", "s1")


async def test_a_session_is_closed_when_it_is_over(talk: Talk, tmp_path: Path) -> None:
    record = tmp_path / "record"
    talk.configure(able("ada", "can=close", f"record={record}"))
    channel = await talk.channel("ada")
    first = text_of(await talk.ask(channel, "!session"))
    await talk.channels.set_cwd(channel, str(tmp_path))
    second = text_of(await talk.ask(channel, "!session"))
    await talk.channels.remove_member(channel, "ada")
    await talk.channels.add_member(channel, "ada")
    third = text_of(await talk.ask(channel, "!session"))
    await talk.agents.stop("ada")
    closed = [call["sessionId"] for call in told(record, "session/close")]
    assert closed == [first, second, third]


async def test_a_session_that_is_taken_up_again_is_not_closed(talk: Talk, tmp_path: Path) -> None:
    record = tmp_path / "record"
    talk.configure(able("ada", "can=close+resume", f"record={record}"))
    channel = await talk.channel("ada")
    await talk.channels.take_up(channel, "ada", "s1")
    await talk.channels.take_up(channel, "ada", "s1")
    assert text_of(await talk.ask(channel, "!session")) == "s1"
    assert told(record, "session/close") == []


async def test_deleting_a_channel_deletes_the_sessions_made_for_it_and_no_other(
    talk: Talk, tmp_path: Path
) -> None:
    record = tmp_path / "record"
    talk.configure(able("ada", "can=close+delete+resume", f"record={record}"))
    channel = await talk.channel("ada")
    own = text_of(await talk.ask(channel, "!session"))
    await talk.channels.delete(channel)
    assert [call["sessionId"] for call in told(record, "session/delete")] == [own]
    channel = await talk.channel("ada", name="other")
    await talk.channels.take_up(channel, "ada", "made in a terminal")
    await talk.ask(channel, "hello")
    await talk.channels.delete(channel)
    assert [call["sessionId"] for call in told(record, "session/delete")] == [own]
    assert told(record, "session/close")[-1]["sessionId"] == "made in a terminal"


async def held(talk: Talk) -> tuple[PermissionRequested, asyncio.Task[None], str]:
    """ada is asked in one channel, while another one, whose id it is, waits to take up a session of it."""
    talk.configure(able("ada", "can=resume"), scripted("bob"))
    busy, channel = await talk.channel("ada", name="busy"), await talk.channel("ada", "bob")
    await talk.channels.send(busy, "!ask")
    request = await talk.recorder.until(PermissionRequested)
    taking = asyncio.create_task(talk.channels.take_up(channel, "ada", "s1"))
    await asyncio.sleep(0)
    return request, taking, channel


async def test_a_channel_that_answers_by_now_takes_nothing_up(talk: Talk) -> None:
    request, taking, channel = await held(talk)
    await talk.channels.send(channel, "@bob !ask")
    await talk.recorder.until(PermissionRequested, lambda event: event.agent == "bob")
    await talk.channels.answer_permission(request.id, "yes")
    with pytest.raises(ChannelError, match="the channel is answering"):
        await taking
    await talk.channels.cancel(channel)


async def test_a_channel_that_is_deleted_by_now_takes_nothing_up(talk: Talk) -> None:
    request, taking, channel = await held(talk)
    await talk.channels.delete(channel)
    await talk.channels.answer_permission(request.id, "yes")
    with pytest.raises(ChannelError, match="does not exist"):
        await taking
    assert await talk.history.members(channel) == {}


class Slow(MemoryHistory):
    """`put` is done while a channel is being deleted: after that, if it comes to the history."""

    put: Callable[[], Awaitable[None]]

    async def delete_channel(self, channel: str) -> None:
        await super().delete_channel(channel)
        await self.put()


async def test_nothing_is_put_into_a_channel_that_is_being_deleted() -> None:
    history = Slow()
    async with parts(scripted_part("ada"), history=history) as found:
        channel = (await found.channels.create("main")).id
        keeping = found.channels._keeping
        history.put = lambda: keeping.note(channel, "notice", "ada", "too late")
        await found.channels.delete(channel)
        assert (await history.page(channel)).messages == ()
