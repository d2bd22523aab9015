"""The embedded model as its users meet it: real processes, the real model."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import httpx
import msgspec
import psutil
import pytest

from minime_agent.embedded import EmbeddedError, EmbeddedServer, connect
from minime_agent.embedded.protocol import State
from tests.embedded_model import gguf_bytes, smollm2

__all__ = ["smollm2"]

pytestmark = pytest.mark.embedded

USER = """
import asyncio, sys
from pathlib import Path
from minime_agent.embedded import connect

async def main():
    server = await connect(sys.argv[1], lambda text: None, data=Path(sys.argv[2]))
    print(server.base_url, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""

TOOL = {
    "type": "function",
    "function": {
        "name": "read_file",
        "description": "Read a text file.",
        "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
    },
}


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder; afterwards no process of its servers may be left."""
    yield tmp_path
    wait_ended(processes(tmp_path))


@contextlib.asynccontextmanager
async def serving(model: Path, data: Path, idle: float = 600) -> AsyncIterator[EmbeddedServer]:
    async with await connect(str(model), lambda _text: None, data=data, idle=idle) as server:
        yield server


@contextlib.contextmanager
def user(model: Path, data: Path) -> Iterator[subprocess.Popen[str]]:
    """Another mm: a process that connects and stays."""
    command = [sys.executable, "-c", USER, str(model), str(data)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def keeper(data: Path) -> psutil.Process:
    (state,) = (data / "run").glob("*.json")
    return psutil.Process(msgspec.json.decode(state.read_bytes(), type=State).pid)


def processes(data: Path) -> list[psutil.Process]:
    """The keeper and the engine of the only server in `data`; empty if none runs."""
    try:
        process = keeper(data)
        return [process, *process.children()]
    except (ValueError, psutil.NoSuchProcess):
        return []


def wait_ended(running: list[psutil.Process], seconds: float = 5) -> None:
    _, left = psutil.wait_procs(running, timeout=seconds)
    assert not [one for one in left if _runs(one)]


def _runs(process: psutil.Process) -> bool:
    """A zombie has ended; it is for the system's first process to bury it."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


async def noticed_end(server: EmbeddedServer) -> None:
    async with asyncio.timeout(5):
        while server.alive:  # noqa: ASYNC110 - what a user of `alive` sees is the very thing tested
            await asyncio.sleep(0)


async def ask(server: EmbeddedServer, text: str, **options: object) -> dict[str, object]:
    async with httpx.AsyncClient(headers={"Authorization": f"Bearer {server.api_key}"}, timeout=60) as http:
        body = {"messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": 24}
        answer = await http.post(f"{server.base_url}/chat/completions", json=body | options)
        assert answer.status_code == 200, answer.text
        return answer.json()["choices"][0]["message"]


async def stream_and(act: Callable[[], None], server: EmbeddedServer) -> None:
    """Ask for a long answer and `act` as it begins to arrive."""
    headers = {"Authorization": f"Bearer {server.api_key}"}
    body = {"messages": [{"role": "user", "content": "Tell a long story."}], "stream": True}
    async with (
        httpx.AsyncClient(headers=headers, timeout=60) as http,
        http.stream("POST", f"{server.base_url}/chat/completions", json=body) as answer,
    ):
        async for _ in answer.aiter_bytes():
            act()


async def test_answers_whoever_has_the_key(smollm2: Path, data: Path) -> None:
    async with serving(smollm2, data) as server:
        message = await ask(server, "What is the capital of France?")
        assert "Paris" in str(message["content"])
        assert (server.model, server.context) == ("SmolLM2-135M-Instruct.Q4_1", 8192)
        async with httpx.AsyncClient() as stranger:
            assert (await stranger.get(f"{server.base_url}/models")).status_code == 401
        assert {path.stat().st_mode & 0o777 for path in (data / "run").iterdir()} == {0o600}


async def test_requests_with_tools_reach_the_model(smollm2: Path, data: Path) -> None:
    call = {
        "id": "1",
        "type": "function",
        "function": {"name": "read_file", "arguments": '{"path": "a.txt"}'},
    }
    messages = [
        {"role": "user", "content": "Read a.txt"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "apples"},
        {"role": "tool", "tool_call_id": "2", "content": "pears"},
    ]
    async with serving(smollm2, data) as server:
        message = await ask(server, "What is the capital of France?", tools=[TOOL])
        assert "Paris" in str(message["content"])
        headers = {"Authorization": f"Bearer {server.api_key}"}
        async with httpx.AsyncClient(headers=headers) as http:
            root = server.base_url.removesuffix("/v1")
            body = {"messages": messages, "tools": [TOOL]}
            prompt = (await http.post(f"{root}/apply-template", json=body)).json()["prompt"]
    assert '<tools>\n{"type": "function", "function": {"name": "read_file"' in prompt
    assert prompt.endswith(
        "<|im_start|>user\nRead a.txt<|im_end|>\n<|im_start|>assistant\n"
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a.txt"}}\n</tool_call>'
        "<|im_end|>\n<|im_start|>user\n<tool_response>\napples\n</tool_response>\n<tool_response>\npears\n"
        "</tool_response><|im_end|>\n<|im_start|>assistant\n"
    )


async def test_users_that_start_together_share_one_server_until_the_last_leaves(
    smollm2: Path, data: Path
) -> None:
    with user(smollm2, data) as first, user(smollm2, data) as second:
        async with serving(smollm2, data) as server:
            assert await asyncio.to_thread(said, first) == server.base_url
            assert await asyncio.to_thread(said, second) == server.base_url
            running = processes(data)
            assert len(running) == 2
            first.kill()
            second.terminate()
            first.wait()
            second.wait()
            assert await ask(server, "Say hello")
        wait_ended(running)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL; terminate is the same there")
async def test_kill_9_of_its_only_user_ends_it_within_seconds(smollm2: Path, data: Path) -> None:
    with user(smollm2, data) as only:
        assert said(only).startswith("http://127.0.0.1:")
        running = processes(data)
        only.send_signal(signal.SIGKILL)
        wait_ended(running, seconds=2)


async def test_a_user_that_leaves_while_it_loads_ends_it(smollm2: Path, data: Path) -> None:
    loading = asyncio.Event()
    start = asyncio.create_task(connect(str(smollm2), lambda _text: loading.set(), data=data))
    await asyncio.wait_for(loading.wait(), 30)
    running = processes(data)
    start.cancel()
    with pytest.raises(asyncio.CancelledError):
        await start
    assert running
    wait_ended(running, seconds=2)


async def test_ends_when_nobody_asks_and_starts_again(smollm2: Path, data: Path) -> None:
    async with serving(smollm2, data, idle=1) as server:
        await ask(server, "Say hello")
        wait_ended(processes(data), seconds=10)
        await noticed_end(server)
        async with serving(smollm2, data) as again:
            assert await ask(again, "Say hello")


async def test_sigterm_ends_it_at_once(smollm2: Path, data: Path) -> None:
    async with serving(smollm2, data) as server:
        running = processes(data)
        running[0].terminate()
        wait_ended(running, seconds=2)
        await noticed_end(server)


async def test_a_crash_in_mid_answer_is_explained_and_the_next_prompt_works(
    smollm2: Path, data: Path
) -> None:
    async with serving(smollm2, data) as server:
        _, engine = processes(data)
        with pytest.raises(httpx.HTTPError):
            await stream_and(engine.kill, server)
        await noticed_end(server)
        assert server.explain().endswith("send the message again to restart it.")
    async with serving(smollm2, data) as again:
        assert await ask(again, "Say hello")


async def test_what_a_killed_keeper_left_behind_is_no_hindrance(smollm2: Path, data: Path) -> None:
    async with serving(smollm2, data):
        old = processes(data)
        old[0].kill()
        wait_ended(old)
        async with serving(smollm2, data) as server:
            assert await ask(server, "Say hello")


async def test_a_file_that_is_no_model_says_so(data: Path, smollm2: Path) -> None:
    with pytest.raises(EmbeddedError, match="run `mm model install smollm2`"):
        await connect("", lambda _text: None, data=data)
    (data / "notes.gguf").write_text("shopping")
    with pytest.raises(EmbeddedError, match=r"notes\.gguf is not a GGUF model file"):
        await connect(str(data / "notes.gguf"), lambda _text: None, data=data)
    (data / "empty.gguf").write_bytes(gguf_bytes())
    with pytest.raises(EmbeddedError, match=r"empty\.gguf cannot be loaded: .+\.$"):
        await connect(str(data / "empty.gguf"), lambda _text: None, data=data)
    with smollm2.open("rb") as whole:
        (data / "half.gguf").write_bytes(whole.read(50_000_000))
    with pytest.raises(EmbeddedError, match=r"half\.gguf cannot be loaded: .*corrupted or incomplete"):
        await connect(str(data / "half.gguf"), lambda _text: None, data=data)


async def test_without_xllamacpp_it_names_the_extra(
    smollm2: Path, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    with pytest.raises(EmbeddedError, match=r"pip install 'sidekicks\[embedded\]'"):
        await connect(str(smollm2), lambda _text: None, data=data)
