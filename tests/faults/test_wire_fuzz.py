"""Any lines at all from an agent: nothing escapes, nothing hangs, what comes after them is still taken.

`FUZZ_LINES` is how many; 10,000 without it. The same `FUZZ_SEED` makes the same lines.
"""

from __future__ import annotations

import asyncio
import logging
import os
import random
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from minime_agent.acp.wire.methods import AGENT_METHODS, CLIENT_METHODS
from minime_agent.guardian import Guardian
from sidekicks.acp.changes import Change, PermissionAsked
from sidekicks.acp.client import AgentClient
from sidekicks.acp.elicitation import Form, FormAnswer
from sidekicks.acp.protocol_log import ProtocolLog
from sidekicks.acp.secrets import Masker
from sidekicks.acp.terminals import Terminals
from sidekicks.agents.watched_groups import WatchedGroups
from sidekicks.channels.turns import Turn
from sidekicks.models import Message
from tests.acp.wire.samples import samples

LINES = int(os.environ.get("FUZZ_LINES", "10000"))
SEED = int(os.environ.get("FUZZ_SEED", "11"))
BATCH = 500
LAST = b'{"jsonrpc":"2.0","id":"last","method":"no such method"}'
STRINGS = [
    "",
    "s",
    "call-1",
    "terminal-1",
    "true",
    "/",
    "x y",
    "é\u2028",
    "\0",
    "a" * 300,
    "\ud83d",
    "1e999",
    "-1",
]
TEXTS = [msgspec.json.encode(text.encode("utf-8", "replace").decode()) for text in STRINGS]
VALUES = [
    *(b"null", b"true", b"false", b"0", b"-1", b"1", b"2", b"1.5", b"9" * 30, b"{}", b"[]", b"[{}]"),
    *(b'{"type":"text"}', b'{"type":"terminal","terminalId":"terminal-1"}', b"[" * 300 + b"]" * 300),
    *TEXTS,
]
NO_VALUES = [b"NaN", b"1e999", b"1e9999999", b'"\\ud83d"', b'"\xff\xfe"', b"'x'", b"", b"{"]
PUNCTUATION = frozenset((b"{", b"}", b"[", b"]", b":", b","))
TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|[^\s"{}\[\]:,]+|[{}\[\]:,]')


class Peer:
    """Both ends of a connection: what the client says is answered, as far as the client must be answered."""

    def __init__(self) -> None:
        self.to_read: asyncio.Queue[bytes] = asyncio.Queue()
        self.rest = b""
        self.last = asyncio.Event()
        self.internal: list[bytes] = []

    async def read(self, n: int, /) -> bytes:
        data = self.rest or await self.to_read.get()
        data, self.rest = data[:n], data[n:]
        return data

    def write(self, data: bytes, /) -> None:
        message = msgspec.json.decode(data)
        if b"Internal error" in data:
            self.internal.append(data)
        if message.get("id") == "last":
            self.last.set()
        results: dict[str, dict[str, object]] = {
            "initialize": {"protocolVersion": 1},
            "session/new": {"sessionId": "s"},
        }
        if (result := results.get(message.get("method", ""))) is not None:
            self.to_read.put_nowait(msgspec.json.encode({"id": message["id"], "result": result}) + b"\n")

    async def drain(self) -> None: ...
    def close(self) -> None: ...
    async def wait_closed(self) -> None: ...


class Listener:
    """Folds all changes into a message."""

    def __init__(self) -> None:
        self.turn = self.new_turn()

    def new_turn(self) -> Turn:
        now = datetime.now(UTC)
        message = Message(id="m", channel="c", created_at=now, role="agent", done=False)
        return Turn(message, clock=asyncio.get_running_loop().time, now=lambda: now)

    def changed(self, change: Change) -> None:
        self.turn.apply(change)

    def replayed(self, change: Change) -> None:
        self.turn.apply(change)

    async def asked(self, question: PermissionAsked) -> str | None:
        return question.options[0].option_id if question.options else None

    async def elicited(self, form: Form) -> FormAnswer:
        return FormAnswer(action="cancel")


def seeds(folder: Path) -> Iterator[list[bytes]]:
    """Right messages as tokens: every request and notification with every variant of what is in it."""
    for method, kind in CLIENT_METHODS.items():
        for sample in samples(kind.params):
            params: dict[str, Any] = msgspec.to_builtins(sample)
            if "sessionId" in params:
                params["sessionId"] = "s"
            for name, value in {
                "terminalId": "terminal-1",
                "path": str(folder / "file"),
                "cwd": None,
            }.items():
                if name in params:
                    params[name] = value
            yield TOKEN.findall(msgspec.json.encode({"jsonrpc": "2.0", "method": method, "params": params}))
            yield TOKEN.findall(msgspec.json.encode({"id": 7, "method": method, "params": params}))
    for method, kind in AGENT_METHODS.items():
        for sample in samples(kind.params):
            yield TOKEN.findall(
                msgspec.json.encode({"id": 1, "result": msgspec.to_builtins(sample), "x": method})
            )
    yield TOKEN.findall(b'{"id":3,"error":{"code":-32000,"message":"m","data":{"details":"d"}}}')
    yield TOKEN.findall(b'{"method":"$/cancel_request","params":{"requestId":7}}')


def damaged(tokens: list[bytes], chance: random.Random) -> bytes:
    """A right message with a few of its values changed, and seldom its form or its bytes."""
    changed = list(tokens)
    values = [at for at, token in enumerate(changed) if token not in PUNCTUATION]
    for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
        at = chance.choice(values)
        is_key = changed[at + 1] == b":"
        known = chance.choice(tokens) if chance.random() < 0.2 else chance.choice(VALUES)
        changed[at] = chance.choice(TEXTS) if is_key else known if known not in PUNCTUATION else b"7"
    match chance.randrange(20):
        case 0:
            changed[chance.choice(values)] = chance.choice(NO_VALUES)
        case 1:
            at = chance.randrange(len(changed))
            del changed[at : at + chance.randrange(1, 4)]
        case 2:
            changed.insert(chance.randrange(len(changed)), chance.choice(changed))
        case 3:
            return b"".join(changed)[: chance.randrange(200)]
        case 4:
            line = b"".join(changed)
            at = chance.randrange(len(line) + 1)
            return line[:at] + chance.randbytes(chance.randrange(1, 4)) + line[at + 1 :]
        case 5:
            return chance.randbytes(chance.randrange(40))
        case _:
            pass
    return b"".join(changed)


@pytest.mark.timeout(120 + LINES // 1_000)
async def test_no_line_of_an_agent_stops_its_client(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    loop, escaped = asyncio.get_running_loop(), list[dict[str, Any]]()
    loop.set_exception_handler(lambda _, context: escaped.append(context))
    folder = tmp_path / "folder"
    folder.mkdir()
    guardian, peer, chance = Guardian(), Peer(), random.Random(SEED)
    trace = ProtocolLog(
        tmp_path / "log.jsonl", Masker([]), now=lambda: datetime.now(UTC), on_trouble=escaped.append
    )
    client = AgentClient(
        peer,
        peer,
        on_junk=lambda start: None,
        trace=trace,
        terminals=Terminals(WatchedGroups(guardian), os.environ),
    )
    await client.handshake("1")
    listener = Listener()
    session = await client.new_session(str(folder), (), listener)
    known = list(seeds(folder))
    for number in range(0, LINES, BATCH):
        lines = [damaged(chance.choice(known), chance) for _ in range(BATCH)]
        peer.last.clear()
        peer.to_read.put_nowait(b"\n".join([*lines, LAST, b""]))
        async with asyncio.timeout(60):
            await peer.last.wait()
        assert not client.closed
        assert not peer.internal, peer.internal[0]
        assert not escaped, escaped[0]
        assert not caplog.records, (number, caplog.records[0], caplog.records[0].exc_info)
        listener.turn.rest()
        if number % (20 * BATCH) == 0:
            assert len(msgspec.json.encode(listener.turn.message())) < 200_000_000
            listener.turn = listener.new_turn()
    client.forget(session)
    await client.close()
    await trace.close()
    guardian.close()
    assert not escaped, escaped[0]
    assert not caplog.records
    assert [file.name for file in tmp_path.iterdir() if file.is_dir()] == ["folder"]
    assert asyncio.all_tasks() == {asyncio.current_task()}
