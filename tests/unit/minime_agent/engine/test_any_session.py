"""Whatever a model and its server do: the history stays valid, each request begins with the one before."""

from __future__ import annotations

import asyncio
import json
import os
import random
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minime_agent.config.check import convert
from minime_agent.engine.backoff import Backoff
from minime_agent.engine.errors import ModelError, Stuck
from minime_agent.engine.recorder import Recorder
from minime_agent.engine.restore import restored
from minime_agent.engine.session import Session
from minime_agent.store.sessions import SessionStore
from minime_agent.store.tree import parse
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
    Reply,
    ScriptedModel,
    Status,
    Text,
    Usage,
)

TURNS = int(os.environ.get("MM_STRESS_TURNS", "150"))
"""Turns of the stress test; the whole of it takes 10,000."""
BASH = {"name": "bash", "arguments": {"command": "true"}}
_CHANGING = {"peg", "context"}
"""What changes the newest question, or the history, on purpose."""
SCENARIOS: dict[str, Reply] = {
    "answer": [Text("All "), Text("done."), Usage(1200, 20, 1000)],
    "reasoned": [Reasoning("hm"), Reasoning("so", "reasoning"), Text("Yes.")],
    "think in the answer": [Text("<thi"), Text("nk>hm</th"), Text("ink>Yes.")],
    "lone closing tag": [Text("hm</think>Yes.")],
    "only reasoning": [Reasoning("hm"), Finish("length")],
    "tool": [Text("I run it."), Call("bash", {"command": "true"})],
    "two tools": [Call("bash", {"command": "true"}), Call("bash", {"command": "false"})],
    "same id twice": [Call("bash", {"command": "true"}, id="x"), Call("bash", {"command": "true"}, id="x")],
    "bad JSON": [Call("bash", '{"command": true')],
    "cut": [Call("bash", '{"command": "rm -'), Finish("length")],
    "unknown tool": [Call("teleport", {"to": "Mars"})],
    "no name": [Call("", {})],
    "schema": [Call("bash", {"what": 1})],
    "coerced": [Call("shell", {"cmd": ["true"]})],
    "tag": [Text(f"<tool_call>{json.dumps(BASH)}</tool_call>")],
    "fence": [Text(f"```json\n{json.dumps(BASH)}\n```")],
    "bare": [Text(json.dumps(BASH))],
    "function": [Text("<function=bash><parameter=command>true</parameter></function>")],
    "nested without end": [Call("bash", '{"command": ' + "[" * 5000 + "]" * 5000 + "}", piece=20_000)],
    "nested text": [Text('{"name": "bash", "arguments": ' + '{"a": ' * 5000 + "1" + "}" * 5001)],
    "a list cut deep": [Call("plan", {"steps": "[" * 5000}, piece=20_000)],
    "half a pair": [Text(r'{"name": "bash", "arguments": {"command": "echo \ud800"}}')],
    "huge number": [Call("read_file", '{"path": "a", "start": ' + "9" * 60 + ', "end": "9e99"}')],
    "not a number": [Text('{"name": "read_file", "arguments": {"path": "a", "start": NaN}}')],
    "text cut": [Text("<function=bash><parameter=command>true"), Finish("length")],
    "text without end": [Text(piece) for piece in ["<tool_call>", *["ab cd "] * 60]],
    "unreadable call": [Text('{"name": "bash", "arguments": {"command": true now}}')],
    "plan": [Call("plan", {"steps": ["a", {"content": "b", "status": "completed"}]})],
    "refused edit": [Call("edit_file", {"path": "no", "edits": [{"old": "a", "new": "b"}]})],
    "runaway": [Call("bash", '{"command": "' + "ab cd " * 100)],
    "SSE error": [Text("He"), ErrorEvent("out of memory")],
    "bare error": [ErrorEvent("out of memory", bare=True)],
    "end of file": [Text("He"), End()],
    "broken": [Text("He"), Cut()],
    "broken before a word": [Cut()],
    "cut text": [Text("and then"), Finish("length")],
    "empty": [],
    "progress": [Progress(10, 100), Progress(100, 100), Text("ok")],
    "wrong usage": [Text("ok"), Raw(b'data: {"choices": [], "usage": {"prompt_tokens": null}}\n\n')],
    "not JSON": [Raw(b"data: {oops\n\n")],
    "400": Status(400, "no"),
    "context": Status(400, "the request exceeds the available context size (n_ctx)"),
    "401": Status(401),
    "404": Status(404, "model not found"),
    "500": Status(500, "oops"),
    "peg": Status(500, "does not match the expected peg-native format"),
    "503": Status(503, "loading model"),
}


def check(body: dict[str, Any]) -> None:
    """What every chat template can take: calls with their results, ids once, arguments that are objects."""
    waiting: list[str] = []
    seen: set[str] = set()
    for message in body["messages"]:
        if message["role"] == "tool":
            waiting.remove(message["tool_call_id"])
            continue
        assert not waiting, "a call has no result"
        for call in message.get("tool_calls", ()):
            assert call["id"] not in seen, "an id is there twice"
            seen.add(call["id"])
            waiting.append(call["id"])
            assert isinstance(json.loads(call["function"]["arguments"]), dict)
    assert not waiting, "a call has no result"


async def talk(
    cwd: Path, turns: list[tuple[list[str], str]], stop: random.Random | None = None
) -> list[bytes]:
    """Plays each turn's scenarios, as far as the turn gets; the chat requests that were sent.

    After each turn the session's file gives the same history.
    """
    recorder = Recorder(SessionStore(cwd / "sessions").new(cwd))
    async with ScriptedModel([], window=100_000) as server:
        session = Session(
            convert({"baseURL": server.url, "model": "scripted", "maxTurns": 6, "guards": {}}),
            cwd,
            recorder=recorder,
            backoff=Backoff((0, 0), (0, 0)),
        )
        for names, text in turns:
            server.play([SCENARIOS[name] for name in names])
            turn = asyncio.ensure_future(session.prompt(text, RecordingSink()))
            if stop is not None and stop.random() < 0.1:
                await asyncio.sleep(stop.random() / 100)
                turn.cancel()
            with suppress(ModelError, Stuck, asyncio.CancelledError):
                await asyncio.wait_for(turn, 60)
            for message in session.history:
                assert message.role != "system"
            tree = parse(recorder.file.path.read_bytes(), "x")
            assert [row.message for row in restored(tree.path(tree.leaf))] == session.history
        await session.close()
        recorder.close()
        sent = [request.raw for request in server.requests if request.path.endswith("/chat/completions")]
    for raw in sent:
        check(json.loads(raw))
    return sent


def conversation(raw: bytes) -> bytes:
    """The bytes that the server's cache sees, up to where something is appended."""
    body = json.loads(raw)
    if body.get("tool_choice") == "required":
        body["messages"].pop()
    return json.dumps(body["messages"], ensure_ascii=False).encode()[:-1]


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(
    turns=st.lists(
        st.tuples(
            st.lists(st.sampled_from(sorted(set(SCENARIOS) - _CHANGING)), min_size=1, max_size=6),
            st.text(min_size=1, max_size=20).filter(lambda text: text.strip()),
        ),
        min_size=1,
        max_size=5,
    )
)
def test_a_request_differs_from_the_one_before_only_by_what_was_appended(
    tmp_path: Path, turns: list[tuple[list[str], str]]
) -> None:
    sent = asyncio.run(talk(tmp_path, turns))
    for before, after in pairwise(sent):
        one, other = conversation(before), conversation(after)
        # a question that got no answer at all is taken back
        question = one.rfind(b', {"role": "user"')
        assert other.startswith((one, one[:question]))


def test_a_random_mix_of_everything_leaves_a_valid_history(tmp_path: Path) -> None:
    chance = random.Random(7)
    names = sorted(SCENARIOS)
    turns = [
        ([chance.choice(names) for _ in range(chance.randint(1, 7))], f"question {number}")
        for number in range(TURNS)
    ]
    for first in range(0, TURNS, 50):
        asyncio.run(talk(tmp_path, turns[first : first + 50], chance))


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_ends_in_words(tmp_path: Path, name: str) -> None:
    assert asyncio.run(talk(tmp_path, [([name], "go"), (["answer"], "and now?")]))
