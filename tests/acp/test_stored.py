"""The sessions on the disk as the protocol tells of them."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from minime_agent.acp.replay import replay
from minime_agent.acp.stored import StoredSessions
from minime_agent.acp.wire.errors import RequestError
from minime_agent.acp.wire.sessions import ListSessionsRequest
from minime_agent.acp.wire.updates import AgentMessageChunk, ToolCall, UserMessageChunk
from minime_agent.engine.messages import FunctionCall, Message, tool_result, user
from minime_agent.engine.messages import ToolCall as EngineCall
from minime_agent.engine.recorder import Recorder
from minime_agent.store.sessions import SessionStore


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "sessions")


def kept(store: SessionStore, folder: Path, *messages: Message) -> Recorder:
    recorder = Recorder(store.new(folder))
    recorder.save(messages)
    recorder.close()
    return recorder


def test_many_sessions_come_in_pages(store: SessionStore, tmp_path: Path) -> None:
    for number in range(150):
        path = kept(store, tmp_path, user(f"question {number}")).file.path
        os.utime(path, (number, number))
    stored = StoredSessions(store)
    first = stored.page(ListSessionsRequest(cwd=str(tmp_path)))
    second = stored.page(ListSessionsRequest(cwd=str(tmp_path), cursor=first.next_cursor))
    titles = [row.title for row in (*first.sessions, *second.sessions)]
    assert titles == [f"question {number}" for number in reversed(range(150))]
    assert (len(first.sessions), second.next_cursor) == (100, None)
    assert first.sessions[0].updated_at == "1970-01-01T00:02:29+00:00"
    with pytest.raises(RequestError, match="no cursor of this agent: x"):
        stored.page(ListSessionsRequest(cursor="x"))


def test_a_session_without_its_folder_is_loaded_by_its_id(store: SessionStore, tmp_path: Path) -> None:
    path = kept(store, tmp_path, user("one"), Message("assistant", "two")).file.path
    path.write_bytes(b"\0\0" + path.read_bytes())
    stored = StoredSessions(store)
    assert stored.page(ListSessionsRequest()).sessions == ()
    recorder = stored.open(path.stem)
    assert [message.content for message in recorder.history] == ["one", "two"]
    recorder.close()


def test_ids_of_calls_that_come_again_are_told_apart(store: SessionStore, tmp_path: Path) -> None:
    call = EngineCall("call_0", FunctionCall("bash", '{"command": "ls"}'))
    recorder = kept(
        store,
        tmp_path,
        user("one"),
        Message("assistant", None, (call,)),
        tool_result("call_0", "first"),
        Message("assistant", "done", (call,)),
        tool_result("call_0", "second"),
        Message("assistant", "end"),
    )
    updates = list(replay(recorder.path(), itertools.count(1)))
    assert [type(update) for update in updates] == [
        *(UserMessageChunk, ToolCall, AgentMessageChunk, ToolCall, AgentMessageChunk)
    ]
    calls = [update for update in updates if isinstance(update, ToolCall)]
    assert [(c.tool_call_id, c.title, c.status, c.raw_output) for c in calls] == [
        ("call-1", "bash", "completed", {"output": "first"}),
        ("call-2", "bash", "completed", {"output": "second"}),
    ]


def test_a_session_is_named_and_deleted(store: SessionStore, tmp_path: Path) -> None:
    session = kept(store, tmp_path, user("one"), Message("assistant", "two")).id
    stored = StoredSessions(store)
    stored.name(session, "a name")
    assert [row.title for row in stored.page(ListSessionsRequest()).sessions] == ["a name"]
    stored.delete(session, missing_ok=False)
    assert stored.page(ListSessionsRequest()).sessions == ()
    with pytest.raises(RequestError, match="is stored here"):
        stored.delete(session, missing_ok=False)
