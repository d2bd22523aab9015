"""mm's façade as a client sees it: a real process with a scripted engine, driven by the official SDK."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import acp
import pytest
from acp import schema

from minime_agent.acp.wire.client_side import ClientHandlers, RemoteAgent
from minime_agent.acp.wire.content import TextContent
from minime_agent.acp.wire.sessions import NewSessionRequest, PromptRequest
from tests.acp.sdk_client import Agent, running

COMMAND = (sys.executable, "-m", "tests.acp.scripted_engine")


@pytest.fixture
async def mm() -> AsyncIterator[Agent]:
    async with running(*COMMAND) as agent:
        yield agent


async def test_streamed_answer_and_the_stop_reason(mm: Agent) -> None:
    session = await mm.new_session()
    assert await mm.prompt(session, "say Hel\nsay lo\nstop max_tokens") == "max_tokens"
    assert mm.client.text(session) == "Hello"


async def test_every_event_in_its_order(mm: Agent) -> None:
    session = await mm.new_session()
    await mm.prompt(session, "everything")
    assert mm.client.kinds(session) == [
        "available_commands_update",
        "config_option_update",
        "agent_thought_chunk",
        "tool_call",
        "tool_call_update",
        "tool_call",
        "tool_call_update",
        "tool_call_update",
        "plan",
        "usage_update",
        "agent_thought_chunk",
        "agent_message_chunk",
    ]
    updates = mm.client.updates[session]
    edit, edited, bash, live, ended = updates[3:8]
    assert (edit.kind, edit.status, edit.raw_input) == ("edit", "pending", {"path": "/a.py"})
    assert (edit.locations[0].path, edit.locations[0].line) == ("/a.py", 3)
    assert (edit.content[0].old_text, edit.content[0].new_text) == ("old", "new")
    assert (edited.status, edited.content[0].type) == ("completed", "diff")
    assert (bash.title, live.status, live.content[0].content.text) == ("ls", "in_progress", "```\none\n```")
    assert ended.status == "failed"
    assert ended.raw_output == {"output": "one\n```\ntwo\n", "exitCode": 2}
    assert ended.content[0].content.text == "````\none\n```\ntwo\n````"
    assert [(e.content, e.status) for e in updates[8].entries] == [("look", "completed"), ("act", "pending")]
    assert (updates[9].used, updates[9].size) == (120, 4096)


async def test_allow_once_asks_again(mm: Agent) -> None:
    session = await mm.new_session()
    mm.client.answers = ["allow_once", "reject_once"]
    assert await mm.prompt(session, "tool bash execute\ntool bash execute") == "end_turn"
    assert mm.client.text(session) == "allowreject"
    assert mm.client.asked[0].title == "Run bash"
    assert mm.client.asked[0].raw_input == {"command": "ls"}
    calls = [u for u in mm.client.updates[session] if u.session_update == "tool_call"]
    assert [c.tool_call_id for c in calls] == [c.tool_call_id for c in mm.client.asked]
    statuses = [u.status for u in mm.client.updates[session] if "tool_call" in u.session_update]
    assert statuses == ["pending", "in_progress", "in_progress", "completed", "pending", "failed"]


async def test_calls_have_ids_of_their_own_though_the_models_repeat(mm: Agent) -> None:
    session = await mm.new_session()
    await mm.prompt(session, "tool grep search\ntool grep search")
    await mm.prompt(session, "tool grep search")
    calls = [u for u in mm.client.updates[session] if u.session_update == "tool_call"]
    ends = [u for u in mm.client.updates[session] if getattr(u, "status", "") == "completed"]
    ids = [call.tool_call_id for call in calls]
    assert len(set(ids)) == 3
    assert [end.tool_call_id for end in ends] == ids


async def test_always_is_by_tool_and_session(mm: Agent) -> None:
    first, second = await mm.new_session(), await mm.new_session()
    mm.client.answers = ["allow_always", "reject_once", "reject_once"]
    await mm.prompt(first, "tool bash execute\ntool bash execute\ntool write_file edit")
    assert mm.client.text(first) == "allowallowreject"
    await mm.prompt(second, "tool bash execute")
    assert mm.client.text(second) == "reject"


async def test_reading_never_asks(mm: Agent) -> None:
    session = await mm.new_session()
    await mm.prompt(session, "tool read_file read\ntool grep search\ntool plan think")
    assert mm.client.text(session) == "allowallowallow"
    assert mm.client.asked == []


@pytest.mark.parametrize(("mode", "said"), [("read-only", "allowreject"), ("free", "allowallow")])
async def test_modes_that_do_not_ask(mm: Agent, mode: str, said: str) -> None:
    session = await mm.new_session()
    await mm.connection.set_session_mode(session_id=session, mode_id=mode)
    await mm.prompt(session, "tool read_file read\ntool bash execute")
    assert mm.client.text(session) == said
    assert mm.client.asked == []


async def test_unknown_mode_names_the_known_ones(mm: Agent) -> None:
    session = await mm.new_session()
    with pytest.raises(acp.RequestError, match="no mode 'wild'; there are ask, read-only, free"):
        await mm.connection.set_session_mode(session_id=session, mode_id="wild")


async def test_permission_answered_cancelled(mm: Agent) -> None:
    session = await mm.new_session()
    mm.client.answers = [None]
    await mm.prompt(session, "tool bash execute")
    assert mm.client.text(session) == "cancelled"


async def test_stop_while_it_works(mm: Agent) -> None:
    session = await mm.new_session()
    turn = asyncio.create_task(mm.prompt(session, "stall"))
    await mm.client.until(lambda: mm.client.text(session) == "stalling")
    await mm.connection.cancel(session_id=session)
    assert await turn == "cancelled"
    assert await mm.prompt(session, "say again") == "end_turn"


async def test_stop_while_the_person_is_asked(mm: Agent) -> None:
    session = await mm.new_session()
    mm.client.hold = True
    turn = asyncio.create_task(mm.prompt(session, "tool bash execute"))
    await mm.client.until(lambda: bool(mm.client.asked))
    await mm.connection.cancel(session_id=session)
    assert await turn == "cancelled"


async def test_stop_without_a_turn_is_nothing(mm: Agent) -> None:
    session = await mm.new_session()
    await mm.connection.cancel(session_id=session)
    assert await mm.prompt(session, "say fine") == "end_turn"


async def test_prompts_of_one_session_wait_for_each_other(mm: Agent) -> None:
    session = await mm.new_session()
    first = asyncio.create_task(mm.prompt(session, "stall"))
    await mm.client.until(lambda: mm.client.text(session) == "stalling")
    second = asyncio.create_task(mm.prompt(session, "say never"))
    for _ in range(3):  # round trips in which the second prompt would have begun to answer
        await mm.connection.set_session_mode(session_id=session, mode_id="ask")
    assert not second.done()
    await mm.connection.cancel(session_id=session)
    assert await asyncio.gather(first, second) == ["cancelled", "cancelled"]
    assert mm.client.text(session) == "stalling"
    assert set(await asyncio.gather(*(mm.prompt(session, f"say {n}") for n in range(3)))) == {"end_turn"}
    assert mm.client.text(session) == "stalling012"


async def test_sessions_work_side_by_side(mm: Agent) -> None:
    first, second = await mm.new_session(), await mm.new_session()
    turn = asyncio.create_task(mm.prompt(first, "stall"))
    await mm.client.until(lambda: mm.client.text(first) == "stalling")
    assert await mm.prompt(second, "say quick") == "end_turn"
    await mm.connection.cancel(session_id=second)
    assert not turn.done()
    await mm.connection.cancel(session_id=first)
    assert await turn == "cancelled"
    assert (mm.client.text(first), mm.client.text(second)) == ("stalling", "quick")


async def test_model_error_is_the_sentence(mm: Agent) -> None:
    session = await mm.new_session()
    with pytest.raises(acp.RequestError, match="No model server answers at http://x") as caught:
        await mm.prompt(session, "fail")
    assert caught.value.code == -32603
    assert await mm.prompt(session, "say on") == "end_turn"


async def test_attachments_become_text(mm: Agent) -> None:
    session = await mm.new_session()
    blocks: list[Any] = [
        acp.text_block("look at"),
        acp.resource_link_block("a.py", "file:///tmp/my%20file.py"),
        acp.resource_block(acp.embedded_text_resource("file:///b.py", "x = 1\n")),
    ]
    await mm.connection.prompt(session_id=session, prompt=blocks)
    said = mm.client.text(session)
    assert said == ("[look at][[attached file: /tmp/my file.py]][[attached file: /b.py]][```][x = 1][```]")


async def test_image_is_refused_in_words(mm: Agent) -> None:
    session = await mm.new_session()
    with pytest.raises(acp.RequestError, match="no image blocks") as caught:
        await mm.connection.prompt(session_id=session, prompt=[acp.image_block("eA==", "image/png")])
    assert caught.value.code == -32602


@pytest.mark.parametrize("cwd", ["relative/folder", "/no/such/folder"])
async def test_bad_folder_is_refused(mm: Agent, cwd: str) -> None:
    with pytest.raises(acp.RequestError, match="cwd must be an existing folder"):
        await mm.new_session(cwd)


async def test_bad_settings_are_told_by_session_new(mm: Agent, tmp_path: Path) -> None:
    (tmp_path / "broken").mkdir()
    with pytest.raises(acp.RequestError, match=r"agent.yaml, line 3: maxTurns must be a number"):
        await mm.new_session(str(tmp_path / "broken"))


async def test_servers_of_the_client_are_ignored_with_a_word(mm: Agent) -> None:
    server = schema.McpServerStdio(name="m", command="c", args=[], env=[])
    answer = await mm.connection.new_session(cwd="/", mcp_servers=[server])
    session = answer.session_id
    await mm.client.until(lambda: "agent_thought_chunk" in mm.client.kinds(session))
    [told] = [u for u in mm.client.updates[session] if u.session_update == "agent_thought_chunk"]
    assert "MCP servers" in told.content.text


async def test_closed_session_is_gone(mm: Agent) -> None:
    session = await mm.new_session()
    turn = asyncio.create_task(mm.prompt(session, "stall"))
    await mm.client.until(lambda: mm.client.text(session) == "stalling")
    await mm.connection.close_session(session_id=session)
    assert await turn == "cancelled"
    with pytest.raises(acp.RequestError, match="No session") as caught:
        await mm.prompt(session, "say hello")
    assert caught.value.code == -32002


async def test_end_of_stdin_ends_turns_and_the_process(mm: Agent) -> None:
    session = await mm.new_session()
    turn = asyncio.create_task(mm.prompt(session, "stall"))
    await mm.client.until(lambda: mm.client.text(session) == "stalling")
    errors = await mm.end()
    assert errors.splitlines() == ["turn stopped", "closed /"]
    assert mm.process.returncode == 0
    with pytest.raises(ConnectionError):
        await turn


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGTERM to catch")
async def test_sigterm_answers_the_prompt_and_ends(mm: Agent) -> None:
    session = await mm.new_session()
    turn = asyncio.create_task(mm.prompt(session, "stall"))
    await mm.client.until(lambda: mm.client.text(session) == "stalling")
    mm.process.send_signal(signal.SIGTERM)
    assert await turn == "cancelled"
    assert await asyncio.wait_for(mm.process.wait(), 10) == 0


class Raw:
    """Our own client on the same process: what came over the line in which order, and what was junk."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        assert process.stdin is not None
        self.junk: list[bytes] = []
        self.came: list[dict[str, Any]] = []
        self.agent = RemoteAgent(process.stdout, process.stdin, on_junk=self.junk.append, trace=self._trace)
        self.agent.start(ClientHandlers())

    def _trace(self, way: str, line: bytes) -> None:
        if way == "in":
            self.came.append(json.loads(line))


@pytest.fixture
async def raw() -> AsyncIterator[Raw]:
    process = await asyncio.create_subprocess_exec(*COMMAND, stdin=-1, stdout=-1, stderr=-1)
    raw = Raw(process)
    yield raw
    await raw.agent.close()
    await process.communicate()
    assert raw.junk == [], "stdout carries something else than the protocol"


async def test_session_new_answers_before_its_first_update(raw: Raw) -> None:
    session = await raw.agent.new_session(NewSessionRequest("/", ()))
    await raw.agent.prompt(PromptRequest(session.session_id, (TextContent("say hi"),)))
    assert ["result" in message for message in raw.came] == [True, False, False, False, True]


async def test_stop_right_behind_the_prompt(raw: Raw) -> None:
    session = (await raw.agent.new_session(NewSessionRequest("/", ()))).session_id
    turn = asyncio.create_task(raw.agent.prompt(PromptRequest(session, (TextContent("stall"),))))
    await asyncio.sleep(0)  # in which the prompt is written
    await raw.agent.cancel(session)
    assert (await turn).stop_reason == "cancelled"


async def test_withdrawn_prompt_is_stopped(raw: Raw) -> None:
    session = (await raw.agent.new_session(NewSessionRequest("/", ()))).session_id
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await raw.agent.prompt(PromptRequest(session, (TextContent("stall"),)))
    again = await raw.agent.prompt(PromptRequest(session, (TextContent("say hi"),)))
    assert again.stop_reason == "end_turn"
    assert [m["error"]["code"] for m in raw.came if "error" in m] == [-32800]


async def test_options_are_offered_told_once_the_server_has_named_its_models_and_set(mm: Agent) -> None:
    answer = await mm.connection.new_session(cwd="/tmp", mcp_servers=[])
    session = answer.session_id
    model, thinking = answer.config_options
    assert (model.id, model.current_value, thinking.current_value) == ("model", "auto", "auto")
    await mm.client.until(lambda: "config_option_update" in mm.client.kinds(session))
    told = next(u for u in mm.client.updates[session] if u.session_update == "config_option_update")
    assert [choice.value for choice in told.config_options[0].options] == ["auto", "small", "large"]
    changed = await mm.connection.set_config_option(config_id="model", session_id=session, value="large")
    assert changed.config_options[0].current_value == "large"
    changed = await mm.connection.set_config_option(config_id="thinking", session_id=session, value="off")
    assert [option.current_value for option in changed.config_options] == ["large", "off"]
    with pytest.raises(acp.RequestError, match="no model 'huge'; there are "):
        await mm.connection.set_config_option(config_id="model", session_id=session, value="huge")


async def test_room_is_made_when_it_is_asked_for(mm: Agent) -> None:
    session = await mm.new_session()
    assert await mm.prompt(session, "/compact the file names") == "end_turn"
    assert mm.client.text(session) == "compacted, keeping the file names"
