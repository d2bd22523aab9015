"""A turn as a façade sees it: events, outcome, history, and what the server was sent."""

from __future__ import annotations

import asyncio
import itertools
from pathlib import Path
from typing import Any

import pytest

from minime_agent.engine.errors import ContextOverflowError, ModelError, Stuck
from minime_agent.ui.events import (
    ComposingTool,
    Event,
    Notice,
    PromptProgress,
    ReasoningDelta,
    TextDelta,
    ToolEnd,
    ToolStart,
    UsageReport,
)
from tests.recording_sink import RecordingSink
from tests.scripted_model import (
    Call,
    Cut,
    End,
    ErrorEvent,
    Finish,
    Progress,
    Raw,
    Reasoning,
    ScriptedModel,
    Stall,
    Status,
    Text,
    Usage,
)
from tests.unit.minime_agent.engine.conftest import Talk


def roles(messages: list[dict[str, Any]]) -> list[str]:
    return [message["role"] for message in messages]


async def test_answer_streams_and_is_kept(talk: Talk) -> None:
    server, session = await talk([[Text("Hel"), Text("lo"), Usage(prompt=120, completion=2, cached=100)]])
    sink = RecordingSink()
    outcome = await session.prompt("hi", sink)
    assert (outcome.stop, outcome.text) == ("end_turn", "Hello")
    assert [event.text for event in sink.of(TextDelta)] == ["Hel", "lo"]
    assert [(m.role, m.content) for m in session.history] == [("user", "hi"), ("assistant", "Hello")]
    [usage] = sink.of(UsageReport)
    assert (usage.prompt_tokens, usage.cached_tokens, usage.window) == (120, 100, 8192)
    assert server.chats[0]["stream_options"] == {"include_usage": True}
    assert roles(server.chats[0]["messages"]) == ["system", "user"]


async def test_tool_call_runs_and_its_output_goes_back(talk: Talk) -> None:
    server, session = await talk(
        [[Text("Look: "), Call("bash", {"command": "echo $((40+2))"})], [Text("It is 42.")]]
    )
    sink = RecordingSink()
    assert (await session.prompt("compute", sink)).text == "It is 42."
    assert server.chats[1]["messages"][-1]["content"] == "42"
    [start], [end] = sink.of(ToolStart), sink.of(ToolEnd)
    assert (start.title, start.kind, start.id) == ("echo $((40+2))", "execute", end.id)
    assert (end.output, end.failed, end.exit_code) == ("42", False, 0)
    assert sink.of(ComposingTool)


async def test_every_request_begins_with_the_bytes_of_the_one_before(talk: Talk) -> None:
    server, session = await talk([[Call("bash", {"command": "true"})], [Text("a")], [Text("b")]])
    await session.prompt("one", RecordingSink())
    await session.prompt("two", RecordingSink())
    bodies = [request.raw for request in server.requests if request.method == "POST"]
    for before, after in itertools.pairwise(bodies):
        conversation = before[: before.index(b'],"tools"')]
        assert after.startswith(conversation)
    names = [tool["function"]["name"] for tool in server.chats[0]["tools"]]
    assert names == sorted(names) == ["bash", "edit_file", "plan", "read_file", "read_skill", "write_file"]
    assert len({body[body.index(b'],"tools"') :] for body in bodies}) == 1


async def test_rejected_call_is_told_to_the_model_and_not_run(talk: Talk, tmp_path: Path) -> None:
    server, session = await talk([[Call("bash", {"command": "touch made"})], [Text("fine")]])
    await session.prompt("go", RecordingSink(answer=lambda _call: "reject"))
    assert not (tmp_path / "made").exists()
    assert "did not allow" in server.chats[1]["messages"][-1]["content"]


async def test_cancelled_permission_ends_the_turn_with_a_whole_history(talk: Talk) -> None:
    replies = [[Call("bash", {"command": "a"}, id="1"), Call("bash", {"command": "b"}, id="2")], [Text("ok")]]
    server, session = await talk(replies)
    sink = RecordingSink(answer=lambda _call: "cancelled")
    assert (await session.prompt("go", sink)).stop == "cancelled"
    assert [message.tool_call_id for message in session.history if message.role == "tool"] == ["1", "2"]
    assert len(sink.of(ToolEnd)) == 1
    await session.prompt("again", RecordingSink())
    assert roles(server.chats[1]["messages"]) == ["system", "user", "assistant", "tool", "tool", "user"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (Call("python", {"code": "1"}), "no tool named 'python'; your tools are: bash, edit_file"),
        (Call("bash", '{"command": ls}'), "not valid JSON"),
        (Call("bash", '{"command": "touch ma'), "cut off at max_tokens"),
        (Call("bash", "[1]"), "one JSON object"),
        (Call("bash", {"what": "ls"}), "command is missing; expected {command: string, timeout?: number}"),
        (Call("read_file", {"path": {}}), "path must be a string; expected {path: string, start?: integer"),
    ],
)
async def test_a_wrong_call_is_text_for_the_model(talk: Talk, call: Call, told: str) -> None:
    server, session = await talk([[call], [Text("done")]])
    sink = RecordingSink()
    assert (await session.prompt("go", sink)).text == "done"
    assert told in server.chats[1]["messages"][-1]["content"]
    assert sink.of(ToolEnd)[0].failed
    assert not sink.asked


async def test_what_is_unambiguous_is_understood(talk: Talk) -> None:
    server, session = await talk([[Call("bash", {"cmd": "echo hey"})], [Text("done")]])
    await session.prompt("go", RecordingSink())
    assert server.chats[1]["messages"][-1]["content"] == "hey"


async def test_a_cut_call_is_given_back_twice_then_said_in_one_line(talk: Talk) -> None:
    cut = [Call("write_file", '{"path": "a", "content": "long te'), Finish("length")]
    server, session = await talk([cut, cut, cut])
    with pytest.raises(ModelError, match=r"hit max_tokens \(4096\) while writing a call of write_file"):
        await session.prompt("go", RecordingSink())
    assert len(server.chats) == 3
    # The arguments in the history can be parsed by any chat template.
    assert server.chats[1]["messages"][-2]["tool_calls"][0]["function"]["arguments"] == "{}"


async def test_repetition_is_warned_of_then_ended(talk: Talk) -> None:
    server, session = await talk([[Call("bash", {"command": "echo same"})]] * 9)
    with pytest.raises(Stuck, match="echo same"):
        await session.prompt("go", RecordingSink())
    assert len(server.chats) == 6
    outputs = [message.content or "" for message in session.history if message.role == "tool"]
    assert ["LOOP_DETECTED" in output for output in outputs] == [False, False, True, True, True, True]


async def test_max_turns_gives_a_last_word_without_tools(talk: Talk) -> None:
    calls = [[Call("bash", {"command": f"echo {n}"})] for n in range(2)]
    server, session = await talk([*calls, [Text("half done")]], maxTurns=2)
    outcome = await session.prompt("go", RecordingSink())
    assert (outcome.stop, outcome.text) == ("max_turn_requests", "half done")
    assert "tools" not in server.chats[2]
    assert "what is done and what remains" in server.chats[2]["messages"][-1]["content"]


async def test_cut_text_says_so(talk: Talk) -> None:
    _, session = await talk([[Text("Once upon"), Finish("length")]])
    sink = RecordingSink()
    outcome = await session.prompt("tell", sink)
    assert outcome.stop == "max_tokens"
    assert sink.text == outcome.text == "Once upon\n[answer cut off at max_tokens (4096)]"
    assert session.history[-1].content == "Once upon"


async def test_reasoning_is_shown_and_never_kept(talk: Talk) -> None:
    replies = [
        [Reasoning("hm"), Text("one")],
        [Reasoning("hm", field="reasoning"), Text("two")],
        [Text("<thi"), Text("nk>hm</th"), Text("ink>\nthree")],
    ]
    _, session = await talk(replies)
    for said in ("one", "two", "three"):
        sink = RecordingSink()
        assert (await session.prompt("?", sink)).text == said
        assert "".join(event.text for event in sink.of(ReasoningDelta)) == "hm"
        assert session.history[-1].content == said


async def test_lone_closing_tag(talk: Talk) -> None:
    """A template that opens the tag itself: what came before is dropped, and expected the next time."""
    _, session = await talk(
        [[Text("hm\n</think>\n\none")], [Text("hm again"), Text("</think>two")], [Text("three")]]
    )
    assert (await session.prompt("?", RecordingSink())).text == "one"
    sink = RecordingSink()
    assert (await session.prompt("?", sink)).text == sink.text == "two"
    assert (await session.prompt("?", RecordingSink())).text == "three"
    assert [m.content for m in session.history if m.role == "assistant"] == ["one", "two", "three"]


async def test_prompt_progress_is_shown(talk: Talk) -> None:
    server, session = await talk([[Progress(512, 2048), Progress(2048, 2048), Text("x")]])
    sink = RecordingSink()
    await session.prompt("?", sink)
    assert sink.of(PromptProgress) == [PromptProgress(512, 2048), PromptProgress(2048, 2048)]
    assert server.chats[0]["return_progress"] is True


@pytest.mark.parametrize(
    ("status", "error", "sentence"),
    [
        (Status(401, "bad key"), ModelError, "API key is missing; set MM_API_KEY"),
        (Status(403, "no"), ModelError, "API key is missing"),
        (Status(500, "boom"), ModelError, "answered 500: boom; look at the server's log"),
        (Status(500, "tools param requires --jinja flag"), ModelError, "started with --jinja"),
        (Status(404, "nothing here"), ModelError, "usually ends in /v1"),
        (
            Status(
                400,
                body=b'{"error":{"type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}',
            ),
            ContextOverflowError,
            r"9000 tokens, window 4096\): start a new session",
        ),
        (Status(404, "model 'scripted' not found, try pulling it first"), ModelError, "name another with"),
        (Status(400, "No models loaded. Please load a model"), ModelError, "has no model: load one"),
        (Status(200, body=b"<html>", kind="text/html"), ModelError, "not answer like a model server"),
        (Status(200, body=b'{"hello": 1}'), ModelError, "not answer like a model server"),
        (Status(200, body=b"fine"), ModelError, "not answer like a model server"),
        (Status(200, body=b'{"error": "Unexpected endpoint or method."}'), ModelError, "ends in /v1"),
        (Status(418, body=b"<html><b>teapot</b></html>"), ModelError, "answered 418: teapot"),
    ],
)
async def test_refusals_in_one_sentence(
    talk: Talk, status: Status, error: type[ModelError], sentence: str
) -> None:
    server, session = await talk([status])
    with pytest.raises(error, match=sentence):
        await session.prompt("?", RecordingSink())
    assert len(server.chats) == 1
    assert session.history == []


async def test_unknown_model_names_the_known_ones(talk: Talk) -> None:
    _, session = await talk([], ScriptedModel([], models=("qwen", "gemma")), model="qwem")
    with pytest.raises(ModelError, match=r"no model 'qwem' \(did you mean qwen\?\); it has: qwen, gemma"):
        await session.prompt("?", RecordingSink())


async def test_the_command_that_fetches_a_model_is_said(talk: Talk) -> None:
    server = ScriptedModel([], models=("qwen",))
    _, session = await talk([], server, provider="ollama", model="gemma")
    with pytest.raises(ModelError, match="or fetch it with `ollama pull gemma`"):
        await session.prompt("?", RecordingSink())


async def test_empty_model_list(talk: Talk) -> None:
    _, session = await talk([], ScriptedModel([], models=()))
    with pytest.raises(ModelError, match="has no model: load one"):
        await session.prompt("?", RecordingSink())


@pytest.mark.parametrize(
    "status", [Status(503, "Loading model"), Status(502, "bad gateway"), Status(429, "slow")]
)
async def test_what_passes_is_asked_again(talk: Talk, status: Status) -> None:
    server, session = await talk([status, status, [Text("there")]])
    sink = RecordingSink()
    assert (await session.prompt("?", sink)).text == "there"
    assert len(sink.of(Notice)) == 2
    assert len({request.raw for request in server.requests if request.method == "POST"}) == 1


async def test_repetitions_are_bounded(talk: Talk) -> None:
    server, session = await talk([Status(502, "bad gateway")] * 50)
    with pytest.raises(ModelError, match="502"):
        await session.prompt("?", RecordingSink())
    assert len(server.chats) == 3


async def test_error_in_mid_stream_repeats_the_request_and_no_tool(talk: Talk, tmp_path: Path) -> None:
    replies = [
        [Call("bash", {"command": "echo x >> log"})],
        [Text("I wr"), ErrorEvent("slot failed", bare=True)],
        [Text("I wrote it.")],
    ]
    _server, session = await talk(replies)
    outcome = await session.prompt("?", RecordingSink())
    assert outcome.text == "I wrote it."
    assert (tmp_path / "log").read_text() == "x\n"
    assert [m.role for m in session.history] == ["user", "assistant", "tool", "assistant"]


async def test_second_error_in_mid_stream_is_said(talk: Talk) -> None:
    server, session = await talk([[ErrorEvent("slot failed")]] * 5)
    with pytest.raises(ModelError, match="broke off the answer: slot failed"):
        await session.prompt("?", RecordingSink())
    assert len(server.chats) == 2


@pytest.mark.parametrize("ending", [Cut(), End()])
async def test_answer_without_an_end_is_an_error_and_what_was_shown_is_kept(
    talk: Talk, ending: Cut | End
) -> None:
    server, session = await talk([[Text("half"), ending]])
    with pytest.raises(ModelError, match="ended the answer in the middle"):
        await session.prompt("?", RecordingSink())
    assert [m.content for m in session.history] == ["?", "half"]
    assert len(server.chats) == 1


async def test_answer_that_broke_before_a_word_is_asked_again(talk: Talk) -> None:
    _, session = await talk([[Cut()], [Text("here")]])
    assert (await session.prompt("?", RecordingSink())).text == "here"


async def test_finished_answer_survives_a_missing_end(talk: Talk) -> None:
    finish = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
    _, session = await talk([[Text("whole"), Raw(finish), Cut()]])
    assert (await session.prompt("?", RecordingSink())).text == "whole"


@pytest.mark.parametrize(
    ("steps", "sentence"),
    [
        ([Stall()], "began no answer within 0.2 s.*firstTokenTimeout"),
        ([Text("One "), Stall()], "watchdogTimeout"),
    ],
)
async def test_stall(talk: Talk, steps: list[Any], sentence: str) -> None:
    _, session = await talk([steps], firstTokenTimeout="200ms", watchdogTimeout="200ms")
    with pytest.raises(ModelError, match=sentence):
        await session.prompt("?", RecordingSink())


async def test_stopping_keeps_what_was_shown(talk: Talk) -> None:
    _, session = await talk([[Text("One "), Stall()], [Text("fine")]])
    shown = asyncio.Event()

    def watch(event: Event) -> None:
        if isinstance(event, TextDelta):
            shown.set()

    turn = asyncio.create_task(session.prompt("count", RecordingSink(watch=watch)))
    await shown.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert [m.content for m in session.history] == ["count", "One "]
    assert (await session.prompt("go on", RecordingSink())).text == "fine"


async def test_stopping_before_a_word_takes_the_question_back(talk: Talk) -> None:
    server, session = await talk([[Stall()]])
    turn = asyncio.create_task(session.prompt("?", RecordingSink()))
    await server.chat_arrived()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert session.history == []


async def test_stopping_in_a_tool_gives_every_call_a_result(talk: Talk) -> None:
    server, session = await talk(
        [
            [Call("bash", {"command": "echo up; sleep 60"}, id="1"), Call("bash", {"command": "b"}, id="2")],
            [Text("ok")],
        ]
    )
    running = asyncio.Event()

    def watch(event: Event) -> None:
        if isinstance(event, ToolStart):
            running.set()

    sink = RecordingSink(watch=watch)
    turn = asyncio.create_task(session.prompt("?", sink))
    await running.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    assert [(m.tool_call_id, "interrupted" in (m.content or "")) for m in session.history[2:]] == [
        ("1", True),
        ("2", True),
    ]
    assert [end.id for end in sink.of(ToolEnd)] == ["1"]
    await session.prompt("again", RecordingSink())
    assert roles(server.chats[1]["messages"])[-3:] == ["tool", "tool", "user"]


async def test_empty_answer_is_said(talk: Talk) -> None:
    _, session = await talk([[]])
    with pytest.raises(ModelError, match="empty answer"):
        await session.prompt("?", RecordingSink())
    assert session.history == []


async def test_reasoning_that_eats_the_budget_is_said(talk: Talk) -> None:
    _, session = await talk([[Reasoning("hm"), Finish("length")]])
    with pytest.raises(ModelError, match=r"all of max_tokens \(4096\) without an answer, for its reasoning"):
        await session.prompt("?", RecordingSink())


async def test_several_calls_in_one_answer_with_one_index(talk: Talk) -> None:
    """Ollama gives every call the index 0."""
    chunk = (
        b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"%s","function":'
        b'{"name":"bash","arguments":"{\\"command\\":\\"echo %s\\"}"}}]}}]}\n\n'
    )
    server, session = await talk([[Raw(chunk % (b"a", b"1")), Raw(chunk % (b"b", b"2"))], [Text("ok")]])
    await session.prompt("?", RecordingSink())
    assert [m["content"] for m in server.chats[1]["messages"][-2:]] == ["1", "2"]


async def test_a_server_that_does_not_stream(talk: Talk) -> None:
    body = b'{"choices":[{"message":{"role":"assistant","content":"whole"},"finish_reason":"stop"}]}'
    _, session = await talk([Status(200, body=body)])
    assert (await session.prompt("?", RecordingSink())).text == "whole"


async def test_a_parameter_the_server_refuses_by_name_is_left_out(talk: Talk) -> None:
    refusal = Status(400, body=b'{"error":{"message":"Unsupported parameter","param":"max_tokens"}}')
    server, session = await talk([refusal, [Text("ok")]])
    assert (await session.prompt("?", RecordingSink())).text == "ok"
    assert "max_tokens" not in server.chats[1]
    assert server.chats[1]["max_completion_tokens"] == 4096


async def test_first_request_stays_small(talk: Talk) -> None:
    """The whole of it before the question, with six tools and the seven skills that mm brings."""
    tokens = pytest.importorskip("tests.o200k", reason="no wheel of rs-bpe for this Python")
    server, session = await talk([[Text("x")]])
    await session.prompt("", RecordingSink())
    request = server.chats[0]
    assert len(request["tools"]) == 6
    assert tokens.count({"messages": request["messages"][:1], "tools": request["tools"]}) <= 1_100
