"""mm's engine on a real llama.cpp: what the scripted server only claims to be like."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from minime_agent.config.check import convert
from minime_agent.embedded import EmbeddedServer, connect
from minime_agent.engine.answer import Answer
from minime_agent.engine.errors import ContextOverflowError, ModelError
from minime_agent.engine.messages import user
from minime_agent.engine.session import Session
from minime_agent.ui.events import PromptProgress, TextDelta, UsageReport
from tests.embedded_model import smollm2
from tests.recording_sink import RecordingSink

__all__ = ["smollm2"]

pytestmark = pytest.mark.embedded


@pytest.fixture
async def server(smollm2: Path, tmp_path: Path) -> AsyncIterator[EmbeddedServer]:
    async with await connect(str(smollm2), lambda _text: None, data=tmp_path / "data") as server:
        yield server


def session_on(server: EmbeddedServer, cwd: Path, **settings: Any) -> Session:
    values: dict[str, Any] = {
        "provider": "llamacpp",
        "baseURL": server.base_url,
        "apiKey": server.api_key,
        "model": server.model,
        "sampling": {"max_tokens": 24, "temperature": 0},
        **settings,
    }
    return Session(convert(values), cwd)


async def test_the_window_the_speed_and_the_cache_are_what_the_server_says(
    server: EmbeddedServer, tmp_path: Path
) -> None:
    session = session_on(server, tmp_path)
    first, second = RecordingSink(), RecordingSink()
    await session.prompt("Tell me about the sea. " * 30, first)
    assert f"window {server.context} tokens" in await session.describe(first)
    await session.prompt("And the wind?", second)
    [before], [after] = first.of(UsageReport), second.of(UsageReport)
    assert before.prefill_speed
    assert before.decode_speed
    assert after.window == server.context
    # All that was sent and answered before is read from the cache; its last tokens may be split otherwise.
    assert after.cached_tokens >= 0.95 * before.prompt_tokens
    assert first.of(PromptProgress)[-1].processed == first.of(PromptProgress)[-1].total
    await session.close()


async def test_a_forced_call_is_a_call_even_from_the_smallest_model(
    server: EmbeddedServer, tmp_path: Path
) -> None:
    session = session_on(server, tmp_path, tools=["bash"])
    sink = RecordingSink()
    await session.prompt("hello", sink)
    ground = session._ground
    assert ground is not None
    for force in ("<tool_call>\n", "schema"):
        answer = Answer(sink, ground.settings.guards, holds_calls=True)
        question = [user("List the files in this folder with ls.")]
        body = ground.requests.body(ground.system, question, force=force)
        await ground.client.complete(body.replace(b'"max_tokens":24', b'"max_tokens":80'), answer.take)
        await answer.end()
        calls = answer.calls([]) or answer.held
        assert calls, force
        assert "command" in str(calls)
    await session.close()


async def test_a_question_larger_than_the_window_is_an_error_in_words(
    server: EmbeddedServer, tmp_path: Path
) -> None:
    session = session_on(server, tmp_path)
    with pytest.raises(ContextOverflowError, match="first question") as caught:
        await session.prompt("word " * (server.context + 500), RecordingSink())
    assert caught.value.window == server.context
    assert session.history == []
    await session.close()


async def test_a_server_that_is_killed_in_mid_answer_is_explained_and_the_next_turn_works(
    smollm2: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    values = {"provider": "embedded", "model": str(smollm2), "sampling": {"max_tokens": 400}}
    session = Session(convert(values), tmp_path)

    def kill(event: object) -> None:
        if isinstance(event, TextDelta):
            for process in psutil.process_iter(["cmdline"]):
                is_engine = "minime_agent.embedded.engine" in (process.info["cmdline"] or ())
                if is_engine and process.environ().get("XDG_DATA_HOME") == str(tmp_path / "data"):
                    process.kill()

    with pytest.raises(ModelError, match="embedded model ended"):
        await session.prompt("Count to one hundred.", RecordingSink(watch=kill))
    assert session.history[0].content == "Count to one hundred."
    values["sampling"] = {"max_tokens": 8}
    answer = await session.prompt("Say hello.", RecordingSink())
    assert answer.text
    await session.close()
