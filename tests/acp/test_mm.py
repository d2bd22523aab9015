"""`mm --acp`, whole: the real process, a scripted model server on loopback, the official SDK as client."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import acp
import pytest

from tests.acp.sdk_client import Agent, running
from tests.scripted_model import Call, Reasoning, Reply, ScriptedModel, Stall, Status, Text, Usage


@contextlib.asynccontextmanager
async def mm(replies: Sequence[Reply], tmp_path: Path) -> AsyncIterator[tuple[Agent, ScriptedModel]]:
    async with ScriptedModel(replies) as server, process(server.url, tmp_path) as agent:
        yield agent, server


@contextlib.asynccontextmanager
async def process(url: str, tmp_path: Path) -> AsyncIterator[Agent]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("MM_")}
    env = clean | {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}
    command = (sys.executable, "-m", "minime_agent", "--acp", "--provider", "openai", "--base-url", url)
    async with running(*command, env=env) as agent:
        yield agent


async def test_answer_with_reasoning_and_usage(tmp_path: Path) -> None:
    reply = [Reasoning("let me see"), Text("Hello "), Text("there"), Usage(100, 10)]
    async with mm([reply], tmp_path) as (agent, server):
        session = await agent.new_session(str(tmp_path))
        assert await agent.prompt(session, "hi") == "end_turn"
        assert agent.client.text(session) == "Hello there"
        kinds = agent.client.kinds(session)
        assert kinds.index("agent_thought_chunk") < kinds.index("agent_message_chunk")
        assert "usage_update" in kinds
        assert server.chats[0]["messages"][-1]["content"] == "hi"


async def test_command_runs_only_when_allowed(tmp_path: Path) -> None:
    replies = [
        [Call("bash", {"command": "echo ran > once.txt"})],
        [Text("done")],
        [Call("bash", {"command": "echo ran > never.txt"})],
        [Text("pity")],
    ]
    async with mm(replies, tmp_path) as (agent, _):
        session = await agent.new_session(str(tmp_path))
        agent.client.answers = ["allow_once", "reject_once"]
        assert await agent.prompt(session, "run it") == "end_turn"
        assert (tmp_path / "once.txt").read_text() == "ran\n"
        await agent.prompt(session, "and again")
        assert not (tmp_path / "never.txt").exists()
        statuses = [u.status for u in agent.client.updates[session] if "tool_call" in u.session_update]
        assert statuses[-1] == "failed"
        assert "completed" in statuses
        assert "once.txt" in str(agent.client.asked[0].raw_input)


async def test_always_allowed_tool_is_not_asked_again(tmp_path: Path) -> None:
    replies = [
        [Call("bash", {"command": "echo a >> out.txt"})],
        [Call("bash", {"command": "echo b >> out.txt"})],
        [Text("done")],
    ]
    async with mm(replies, tmp_path) as (agent, _):
        session = await agent.new_session(str(tmp_path))
        agent.client.answers = ["allow_always"]
        assert await agent.prompt(session, "twice") == "end_turn"
        assert (tmp_path / "out.txt").read_text() == "a\nb\n"
        assert len(agent.client.asked) == 1


async def test_edit_shows_its_diff_before_the_question(tmp_path: Path) -> None:
    replies = [[Call("write_file", {"path": "new.txt", "content": "hello\n"})], [Text("done")]]
    async with mm(replies, tmp_path) as (agent, _):
        session = await agent.new_session(str(tmp_path))
        agent.client.answers = ["allow_once"]
        await agent.prompt(session, "write")
        (diff,) = agent.client.asked[0].content
        assert (diff.type, diff.new_text) == ("diff", "hello\n")
        assert (tmp_path / "new.txt").read_text() == "hello\n"


async def test_stop_while_streaming_then_go_on(tmp_path: Path) -> None:
    async with mm([[Text("begun"), Stall()], [Text("and on")]], tmp_path) as (agent, _):
        session = await agent.new_session(str(tmp_path))
        turn = asyncio.create_task(agent.prompt(session, "hi"))
        await agent.client.until(lambda: agent.client.text(session) == "begun")
        await agent.connection.cancel(session_id=session)
        assert await turn == "cancelled"
        assert await agent.prompt(session, "go on") == "end_turn"
        assert agent.client.text(session) == "begunand on"


async def test_stop_while_the_person_is_asked(tmp_path: Path) -> None:
    async with mm([[Call("bash", {"command": "touch x"})], [Text("fine")]], tmp_path) as (agent, _):
        session = await agent.new_session(str(tmp_path))
        agent.client.hold = True
        turn = asyncio.create_task(agent.prompt(session, "hi"))
        await agent.client.until(lambda: bool(agent.client.asked))
        await agent.connection.cancel(session_id=session)
        assert await turn == "cancelled"
        assert not (tmp_path / "x").exists()
        assert await agent.prompt(session, "go on") == "end_turn"


async def test_server_that_is_down_is_a_sentence(tmp_path: Path) -> None:
    async with ScriptedModel([]) as gone:
        url = gone.url
    async with process(url, tmp_path) as agent:
        session = await agent.new_session(str(tmp_path))
        with pytest.raises(acp.RequestError) as caught:
            await agent.prompt(session, "hi")
        assert caught.value.code == -32603
        assert url.removesuffix("/v1") in str(caught.value)


async def test_refused_key_is_a_sentence(tmp_path: Path) -> None:
    async with mm([Status(401, "bad key")], tmp_path) as (agent, _):
        session = await agent.new_session(str(tmp_path))
        with pytest.raises(acp.RequestError, match=r"401|key"):
            await agent.prompt(session, "hi")


async def test_two_sessions_at_once(tmp_path: Path) -> None:
    async with mm([[Text("one"), Stall()], [Text("two")]], tmp_path) as (agent, server):
        first, second = await agent.new_session(str(tmp_path)), await agent.new_session(str(tmp_path))
        turn = asyncio.create_task(agent.prompt(first, "hi"))
        await asyncio.wait_for(server.chat_arrived(), 20)
        assert await agent.prompt(second, "hi") == "end_turn"
        assert (agent.client.text(first), agent.client.text(second)) == ("one", "two")
        await agent.connection.cancel(session_id=first)
        assert await turn == "cancelled"


async def test_wrong_settings_are_told_by_session_new(tmp_path: Path) -> None:
    (tmp_path / "config" / "mm").mkdir(parents=True)
    (tmp_path / "config" / "mm" / "agent.yaml").write_text("maxTurns: many\n")
    async with process("http://127.0.0.1:9/v1", tmp_path) as agent:
        with pytest.raises(acp.RequestError, match="maxTurns"):
            await agent.new_session(str(tmp_path))


async def test_end_of_stdin_ends_a_running_turn(tmp_path: Path) -> None:
    async with mm([[Text("begun"), Stall()]], tmp_path) as (agent, _):
        session = await agent.new_session(str(tmp_path))
        turn = asyncio.create_task(agent.prompt(session, "hi"))
        await agent.client.until(lambda: agent.client.text(session) == "begun")
        errors = await agent.end()
        assert agent.process.returncode == 0
        assert "Traceback" not in errors
        with pytest.raises(ConnectionError):
            await turn


async def test_a_request_that_is_too_large_is_made_smaller_and_the_editor_is_told(tmp_path: Path) -> None:
    work = [Call("bash", {"command": "seq 1000"})]
    too_large = Status(400, "the request exceeds the available context size")
    async with mm([work, work, too_large, [Text("done")]], tmp_path) as (agent, server):
        session = await agent.new_session(str(tmp_path))
        agent.client.answers = ["allow_always"]
        assert await agent.prompt(session, "go") == "end_turn"
        assert agent.client.text(session) == "done"
        thoughts = [u for u in agent.client.updates[session] if u.session_update == "agent_thought_chunk"]
        assert any("1 old tool output left out; " in thought.content.text for thought in thoughts)
        assert 'output of "seq 1000" left out: ' in server.chats[-1]["messages"][3]["content"]


async def test_the_model_is_chosen_from_what_the_server_has(tmp_path: Path) -> None:
    async with mm([[Text("hi")], [Text("ho")]], tmp_path) as (agent, server):
        server.models = ("scripted", "other")
        session = await agent.new_session(str(tmp_path))
        await agent.client.until(lambda: "config_option_update" in agent.client.kinds(session))
        await agent.prompt(session, "hello")
        [_, told] = [u for u in agent.client.updates[session] if u.session_update == "config_option_update"]
        assert told.config_options[0].current_value == "auto"
        assert told.config_options[0].options[0].name == "The server's first (scripted)"
        for option, value in (("model", "other"), ("thinking", "off")):
            await agent.connection.set_config_option(config_id=option, session_id=session, value=value)
        await agent.prompt(session, "and now?")
        assert [chat["model"] for chat in server.chats] == ["scripted", "other"]
        assert [message["content"] for message in server.chats[1]["messages"][1:]] == [
            "hello",
            "hi",
            "and now?",
        ]
