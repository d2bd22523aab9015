"""Where the size of the context window comes from, and what is said when nobody tells it."""

from __future__ import annotations

import pytest

from minime_agent.engine.errors import ContextOverflowError, ModelError
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


async def test_lm_studio_tells_the_window_of_a_model_that_is_loaded_not_the_model_s_own(talk: Talk) -> None:
    server = ScriptedModel([[Text("x")], [Text("y")]], models=("qwen",), window=0)
    row: dict[str, object] = {"id": "qwen", "state": "not-loaded", "max_context_length": 131072}
    server.told["/api/v0/models"] = {"data": [row]}
    _, session = await talk([], server, provider="lmstudio")
    sink = RecordingSink()
    assert (await session.status(sink)).window == 0
    row |= {"state": "loaded", "loaded_context_length": 8192}
    await session.prompt("hi", sink)
    assert (await session.status(sink)).window == 8192


async def test_docker_tells_the_window_that_was_configured(talk: Talk) -> None:
    server = ScriptedModel([], models=("ai/qwen2.5",), window=0)
    entry = {"Backend": "llama.cpp", "ModelID": "sha256:1", "Config": {"context-size": 16384}}
    server.told["/_configure?model=ai%2Fqwen2.5"] = [entry]
    _, session = await talk([], server, provider="dmr")
    assert (await session.status(RecordingSink())).window == 16384


async def test_behind_a_plain_address_may_be_an_ollama(talk: Talk) -> None:
    server = ScriptedModel([], models=("qwen",), window=0)
    server.told["/api/ps"] = {"models": [{"name": "qwen:latest", "context_length": 4096}]}
    _, session = await talk([], server)
    assert (await session.status(RecordingSink())).window == 4096


async def test_a_window_that_a_refusal_names_is_known_from_then_on(talk: Talk) -> None:
    refusal = Status(400, "n_keep: 13055>= n_ctx: 4096")
    _, session = await talk([refusal], ScriptedModel([refusal], window=0))
    sink = RecordingSink()
    with pytest.raises(ContextOverflowError):
        await session.prompt("hi", sink)
    assert (await session.status(sink)).window == 4096


async def test_a_server_that_comes_back_with_another_window_is_asked_for_it(talk: Talk) -> None:
    server, session = await talk([[Text("x")], [Text("y")]])
    sink = RecordingSink()
    await session.prompt("hi", sink)
    await server.__aexit__()
    with pytest.raises(ModelError, match="no model server answers"):
        await session.prompt("hi", sink)
    server.window = 4096
    async with server:
        await session.prompt("hi", sink)
        assert (await session.status(sink)).window == 4096


async def test_another_model_is_said_and_used_by_the_next_prompt(talk: Talk) -> None:
    server, session = await talk([[Text("x")], [Text("y")]])
    sink = RecordingSink()
    await session.prompt("hi", sink)
    server.models = ("another",)
    with pytest.raises(ModelError, match="has no model 'scripted'; it has: another"):
        await session.prompt("hi", sink)
    assert (await session.prompt("hi", sink)).text == "y"
    assert session.answering == "another"
    assert [message.content for message in session.history] == ["hi", "x", "hi", "y"]


async def test_status_says_how_the_newest_request_went(talk: Talk) -> None:
    usage = Usage(prompt=2000, completion=50, cached=1500, prefill_speed=300.0, decode_speed=20.0)
    _, session = await talk([[Text("x"), usage]])
    sink = RecordingSink()
    before = await session.status(sink)
    assert (before.used_tokens, before.cache_rate) == (before.prompt_tokens, None)
    await session.prompt("hi", sink)
    now = await session.status(sink)
    assert (now.model, now.window, now.used_tokens) == ("scripted", 8192, 2050)
    assert (now.cache_rate, now.prefill_speed, now.decode_speed) == (0.75, 300.0, 20.0)


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
        (
            "The number of tokens to keep is greater than the context length (n_keep: 9000>= n_ctx: 4096)",
            4096,
        ),
        ("the context window is too small", 0),
    ],
)
async def test_a_refusal_names_the_window(talk: Talk, message: str, window: int) -> None:
    _, session = await talk([Status(400, message)])
    with pytest.raises(ContextOverflowError) as caught:
        await session.prompt("hi", RecordingSink())
    assert caught.value.window == window
