"""Messages typed while a turn runs: where they enter the history, and how they are taken back."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from minime_agent.engine.errors import ModelError
from minime_agent.engine.session import Session
from minime_agent.ui.events import Event, Steered, TextDelta, ToolStart
from tests.recording_sink import RecordingSink
from tests.scripted_model import Call, Stall, Status, Text
from tests.unit.minime_agent.engine.conftest import Talk


class Typist(RecordingSink):
    """Types `texts` when the first event of a kind comes."""

    def __init__(self, session: Session, at: type[Event], *texts: str) -> None:
        super().__init__()
        self._session, self._at, self._texts = session, at, texts

    async def emit(self, event: Event) -> None:
        await super().emit(event)
        if isinstance(event, self._at):
            for text in self._texts:
                self._session.steer(text)
            self._texts = ()


async def test_it_is_handed_over_after_all_results(talk: Talk) -> None:
    calls = [Call("bash", {"command": "echo 1"}), Call("bash", {"command": "echo 2"})]
    server, session = await talk([calls, [Text("Done.")]])
    sink = Typist(session, ToolStart, "in French", "and short")
    await session.prompt("count", sink)
    said = [(m["role"], m["content"]) for m in server.chats[1]["messages"][3:]]
    assert said == [("tool", "1"), ("tool", "2"), ("user", "in French\n\nand short")]
    assert [event.text for event in sink.of(Steered)] == ["in French", "and short"]
    assert session.steering == []


async def test_a_written_answer_goes_on_for_it(talk: Talk) -> None:
    server, session = await talk([[Text("One.")], [Text("Un.")]])
    outcome = await session.prompt("count", Typist(session, TextDelta, "in French"))
    assert outcome.text == "Un."
    assert [m["content"] for m in server.chats[1]["messages"][1:]] == ["count", "One.", "in French"]


async def test_files_are_attached(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    server, session = await talk([[Text("One.")], [Text("Two.")]])
    await session.prompt("look", Typist(session, TextDelta, "also @a.txt"))
    assert server.chats[1]["messages"][-1]["content"] == f"also [attached file: {tmp_path / 'a.txt'}]"


async def test_it_can_be_taken_back(talk: Talk) -> None:
    server, session = await talk([[Text("One.")], [Text("Two.")]])
    session.steer("one")
    session.steer("two")
    assert session.steering == ["one", "two"]
    assert session.take_back() == "two"
    assert session.take_back() == "one"
    assert session.take_back() is None
    await session.prompt("hi", RecordingSink())
    assert len(server.chats) == 1


async def test_a_stopped_turn_leaves_it_waiting(talk: Talk) -> None:
    server, session = await talk([[Text("One "), Stall()]])
    sink = Typist(session, TextDelta, "in French")
    turn = asyncio.create_task(session.prompt("count", sink))
    await server.chat_arrived()
    async with asyncio.timeout(10):
        while not session.steering:  # noqa: ASYNC110 (the sink types it)
            await asyncio.sleep(0)
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert session.take_back() == "in French"


async def test_the_last_allowed_call_leaves_it_waiting(talk: Talk) -> None:
    server, session = await talk([[Text("One.")]], maxTurns=1)
    await session.prompt("count", Typist(session, TextDelta, "in French"))
    assert (len(server.chats), session.steering) == (1, ["in French"])


async def test_an_error_after_it_leaves_the_history_valid(talk: Talk) -> None:
    _, session = await talk([[Call("bash", {"command": "echo 1"})], Status(401)])
    with pytest.raises(ModelError):
        await session.prompt("count", Typist(session, ToolStart, "in French"))
    assert [message.role for message in session.history] == ["user", "assistant", "tool"]
