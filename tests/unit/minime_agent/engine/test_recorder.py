"""A conversation that goes on in another process: what is kept, what comes back, what the server is sent."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from minime_agent.compact.plan import Compaction
from minime_agent.config.check import convert
from minime_agent.engine.backoff import Backoff
from minime_agent.engine.errors import ModelError
from minime_agent.engine.messages import Message, user
from minime_agent.engine.opening import Wanted, open_recorder
from minime_agent.engine.recorder import Recorder
from minime_agent.engine.session import Session
from minime_agent.store.sessions import SessionStore
from minime_agent.ui.events import Notice, TextDelta
from tests.recording_sink import RecordingSink
from tests.scripted_model import Call, Reasoning, ScriptedModel, Stall, Status, Text, Usage

Kept = Callable[..., Session]


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


@pytest.fixture
def kept(tmp_path: Path, store: SessionStore) -> Kept:
    """A session of the folder on a server, as a process begins it: a new one, or the last."""

    def make(server: ScriptedModel, *, last: bool = False) -> Session:
        recorder = open_recorder(store, Wanted(last=last), tmp_path)
        settings = convert({"baseURL": server.url})
        return Session(settings, tmp_path, recorder=recorder, backoff=Backoff((0, 0), (0, 0, 0)))

    return make


async def leave(session: Session) -> None:
    """What the end of a process does."""
    session.switch(None)
    await session.close()


def rows(store: SessionStore) -> list[dict[str, Any]]:
    return [json.loads(line) for line in store.list()[0].path.read_bytes().splitlines()]


async def test_the_next_request_begins_with_the_bytes_of_the_last(kept: Kept) -> None:
    strange = '{ "command":"echo \\u00e9; true",\n "x" : 1 }'
    replies = [
        [Reasoning("hm"), Text("I look.\n"), Call("bash", strange), Call("bash", {"command": "false"})],
        [Text("Done “so”.\n")],
        [Text("And on.")],
    ]
    async with ScriptedModel(replies) as server:
        first = kept(server)
        await first.prompt("do it\n\n now é", RecordingSink())
        await leave(first)
        again = kept(server, last=True)
        await again.prompt("go on", RecordingSink())
        await leave(again)
    before, after = [r.raw for r in server.requests if r.path.endswith("/completions")][-2:]
    messages = before[: before.index(b'],"tools"')]
    assert after.startswith(messages)
    assert [m["role"] for m in json.loads(after)["messages"]] == [
        *("system", "user", "assistant", "tool", "tool", "assistant", "user")
    ]


async def test_everything_is_in_the_file_as_it_happens(kept: Kept, store: SessionStore) -> None:
    async with ScriptedModel([[Text("begun"), Stall()]]) as server:
        session = kept(server)
        sink = RecordingSink()
        turn = asyncio.create_task(session.prompt("hello", sink))
        await server.chat_arrived()
        assert [row["type"] for row in rows(store)] == ["session", "message"]
        async with asyncio.timeout(10):
            while not sink.of(TextDelta):  # noqa: ASYNC110 (a sink has no event)
                await asyncio.sleep(0.01)
        turn.cancel()
        with pytest.raises(asyncio.CancelledError):
            await turn
        assert rows(store)[-1]["message"]["content"] == [{"type": "text", "text": "begun"}]
        await leave(session)


async def test_an_answer_names_its_model_and_a_call_how_it_was_shown(kept: Kept, store: SessionStore) -> None:
    call = [Call("bash", {"command": "exit 3"}), Usage(100, 7, cached=60)]
    async with ScriptedModel([call, [Text("It failed.")]]) as server:
        session = kept(server)
        await session.prompt("try", RecordingSink())
        await leave(session)
    _, _, change, answer, result, _ = rows(store)
    assert (change["type"], change["provider"], change["modelId"]) == ("model_change", "server", "scripted")
    assert (answer["message"]["provider"], answer["message"]["model"]) == ("server", "scripted")
    assert answer["message"]["usage"] == {"input": 40, "output": 7, "cacheRead": 60}
    assert result["message"]["toolName"] == "bash"
    assert result["message"]["details"] == {"title": "exit 3", "kind": "execute", "exitCode": 3}


async def test_an_error_is_kept_and_its_question_taken_back(kept: Kept, store: SessionStore) -> None:
    async with ScriptedModel([[Text("one")], Status(401), [Text("three")]]) as server:
        session = kept(server)
        await session.prompt("first", RecordingSink())
        with pytest.raises(ModelError):
            await session.prompt("second", RecordingSink())
        await leave(session)
        errors = [row["message"] for row in rows(store) if "errorMessage" in row.get("message", {})]
        assert [error["model"] for error in errors] == ["scripted"]
        assert "401" in errors[0]["errorMessage"]
        again = kept(server, last=True)
        await again.prompt("third", RecordingSink())
        await leave(again)
    sent = [message["content"] for message in server.chats[-1]["messages"][1:]]
    assert sent == ["first", "one", "third"]


async def test_a_call_without_its_result_is_answered(kept: Kept, store: SessionStore) -> None:
    async with ScriptedModel([[Call("bash", {"command": "true"})], [Text("done")], [Text("on")]]) as server:
        session = kept(server)
        await session.prompt("try", RecordingSink())
        await leave(session)
        path = store.list()[0].path
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(line for line in lines if b"toolResult" not in line)[:-9])
        again = kept(server, last=True)
        sink = RecordingSink()
        await again.prompt("go on", sink)
        await leave(again)
    warnings = [notice.text for notice in sink.of(Notice) if notice.severity == "warning"]
    assert len(warnings) == 1
    assert "a line of the session's file" in warnings[0]
    assert [m["role"] for m in server.chats[-1]["messages"]] == [
        *("system", "user", "assistant", "tool", "user")
    ]
    assert "lost" in server.chats[-1]["messages"][3]["content"]


async def test_a_session_that_moves_in_its_tree_goes_on_there(kept: Kept, store: SessionStore) -> None:
    async with ScriptedModel([[Text("one")], [Text("two")], [Text("three")]]) as server:
        session = kept(server)
        await session.prompt("first", RecordingSink())
        await session.prompt("second", RecordingSink())
        recorder = session.recorder
        assert recorder is not None
        second = recorder.file.tree.questions()[1]
        recorder.move(second.parent_id)
        session.switch(recorder)
        await session.prompt("instead", RecordingSink())
        await leave(session)
        again = kept(server, last=True)
        assert [m.content for m in again.history] == ["first", "one", "instead", "three"]
        await leave(again)
    assert [message["content"] for message in server.chats[-1]["messages"][1:]] == ["first", "one", "instead"]


async def test_a_folder_that_cannot_be_written_is_said_once_and_the_turn_goes_on(tmp_path: Path) -> None:
    (tmp_path / "sessions").write_text("a file in the way")
    async with ScriptedModel([[Text("one")], [Text("two")]]) as server:
        recorder = Recorder(SessionStore(tmp_path / "sessions").new(tmp_path))
        session = Session(convert({"baseURL": server.url}), tmp_path, recorder=recorder)
        sink = RecordingSink()
        await session.prompt("first", sink)
        await session.prompt("second", sink)
        await leave(session)
    warnings = [notice.text for notice in sink.of(Notice) if notice.severity == "warning"]
    assert len(warnings) == 1
    assert "cannot be saved" in warnings[0]


async def test_room_that_was_made_stays_made(kept: Kept, store: SessionStore) -> None:
    long = [Text("word " * 400)]
    replies = [long, long, [Text("short")], [Text("notes")], Status(401), [Text("on")], [Text("and on")]]
    async with ScriptedModel(replies) as server:
        session = kept(server)
        for question in ("one", "two", "three"):
            await session.prompt(question, RecordingSink())
        await session.compact(RecordingSink())
        compaction = rows(store)[-1]
        assert (compaction["type"], compaction["summary"]) == ("compaction", "notes")
        assert compaction["tokensBefore"] > 500
        first = next(row for row in rows(store) if row.get("id") == compaction["firstKeptEntryId"])
        assert first["message"]["content"][0]["text"] in ("two", "three")
        with pytest.raises(ModelError):
            await session.prompt("four", RecordingSink())
        history = list(session.history)
        assert "notes" in str(history[0].content)
        await leave(session)
        again = kept(server, last=True)
        assert again.history == history
        await again.prompt("five", RecordingSink())
        await leave(again)
        last = kept(server, last=True)
        await last.prompt("six", RecordingSink())
        await leave(last)
    before, after = [r.raw for r in server.requests if r.path.endswith("/completions")][-2:]
    assert after.startswith(before[: before.index(b'],"tools"')])


async def test_a_question_taken_back_after_room_was_made_for_it(kept: Kept) -> None:
    long = [Text("word " * 400)]
    overflow = Status(400, "the request exceeds the available context size")
    async with ScriptedModel([long, long, long, overflow, [Text("notes")], Status(401)]) as server:
        session = kept(server)
        for question in ("one", "two", "three"):
            await session.prompt(question, RecordingSink())
        with pytest.raises(ModelError):
            await session.prompt("four", RecordingSink())
        history = list(session.history)
        assert "notes" in str(history[0].content)
        await leave(session)
        again = kept(server, last=True)
        assert again.history == history
        await leave(again)


async def test_a_branch_from_before_room_was_made_has_everything(kept: Kept, store: SessionStore) -> None:
    long = [Text("word " * 400)]
    async with ScriptedModel([long, long, [Text("short")], [Text("notes")]]) as server:
        session = kept(server)
        for question in ("one", "two", "three"):
            await session.prompt(question, RecordingSink())
        await session.compact(RecordingSink())
        recorder = session.recorder
        assert recorder is not None
        third = recorder.file.tree.questions()[2]
        fork = Recorder(store.branch(recorder.file.tree, third.parent_id, session.cwd))
        assert [m.content for m in fork.history if m.role == "user"] == ["one", "two"]
        whole = Recorder(store.branch(recorder.file.tree, recorder.file.tree.leaf, session.cwd))
        assert whole.history == session.history
        await leave(session)


def test_room_that_was_made_twice_stays_made_when_the_question_is_taken_back(tmp_path: Path) -> None:
    store = SessionStore(tmp_path)
    recorder = Recorder(store.new(tmp_path))
    history: list[Message] = []
    for number in range(1, 4):
        history += [user(f"question {number}"), Message("assistant", f"answer {number}")]
    history.append(user("taken back"))
    recorder.save(history)
    for notes, kept in (("one", 2), ("one and two", 4)):
        plan = Compaction(notes=notes, first_kept=kept)
        history = plan.apply(history)
        recorder.compacted(plan, history, 1000)
    history.pop()
    recorder.save(history)
    recorder.close()
    assert Recorder(store.open(recorder.file.path)).history == history
    assert [message.content for message in history[2:]] == ["question 3", "answer 3"]
