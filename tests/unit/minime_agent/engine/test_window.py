"""Where the size of the context window comes from, and what is said when nobody tells it."""

from __future__ import annotations

import pytest

from minime_agent.engine.errors import ContextOverflowError
from minime_agent.ui.events import Notice
from tests.recording_sink import RecordingSink
from tests.scripted_model import ScriptedModel, Status, Text, Usage
from tests.unit.minime_agent.engine.conftest import Talk


async def test_ollama_tells_the_window_of_a_model_that_is_loaded(talk: Talk) -> None:
    server = ScriptedModel([[Text("x")], [Text("y")]], models=("qwen2.5",), window=0)
    server.told["/api/ps"] = {"models": [{"name": "qwen2.5:latest", "context_length": 4096}]}
    _, session = await talk([], server, provider="ollama")
    sink = RecordingSink()
    await session.prompt("hi", sink)
    assert "window 4096 tokens" in await session.describe(sink)
    assert not sink.of(Notice)


async def test_a_window_that_nobody_tells_is_said_once_with_what_to_do(talk: Talk) -> None:
    server = ScriptedModel([[Text("x")], [Text("y")]], models=("ai/qwen2.5",), window=0)
    _, session = await talk([], server, provider="dmr")
    sink = RecordingSink()
    await session.prompt("hi", sink)
    await session.prompt("hi", sink)
    [notice] = sink.of(Notice)
    assert "docker model configure --context-size" in notice.text


async def test_nothing_is_said_of_it_where_no_room_is_to_be_made(talk: Talk) -> None:
    server = ScriptedModel([[Text("x")]], window=0)
    _, session = await talk([], server, provider="dmr", context={"enabled": False})
    sink = RecordingSink()
    await session.prompt("hi", sink)
    assert not sink.of(Notice)


async def test_a_prompt_of_more_than_half_of_the_window_is_said(talk: Talk) -> None:
    _, session = await talk([], ScriptedModel([[Text("x")]], window=1200))
    sink = RecordingSink()
    await session.prompt("hi", sink)
    assert "of the window's 1200 tokens" in sink.of(Notice)[0].text


async def test_a_server_that_cuts_the_prompt_without_a_word_is_found_out(talk: Talk) -> None:
    question = "word " * 3000
    replies = [[Text("x"), Usage(prompt=1000)], [Text("y"), Usage(prompt=5000, cached=1000)]]
    _, session = await talk(replies, provider="ollama", contextWindow=100_000)
    sink = RecordingSink()
    await session.prompt(question, sink)
    await session.prompt("hi", sink)
    [notice] = sink.of(Notice)
    assert notice.text.startswith("the server read 1000 of some ")
    assert "OLLAMA_CONTEXT_LENGTH" in notice.text


@pytest.mark.parametrize(
    ("message", "window"),
    [
        ("request (9000 tokens) exceeds the available context size (8192 tokens)", 8192),
        ("This model's maximum context length is 4096 tokens. However, you requested 5000", 4096),
        ("the model is loaded with context length of only 2048 tokens", 2048),
        ("the context window is too small", 0),
    ],
)
async def test_a_refusal_names_the_window(talk: Talk, message: str, window: int) -> None:
    _, session = await talk([Status(400, message)])
    with pytest.raises(ContextOverflowError) as caught:
        await session.prompt("hi", RecordingSink())
    assert caught.value.window == window
