"""Streamed updates that a client takes per second of one core: through to the folded message and its event.

The client and the Python SDK, which only decodes and dispatches them, read the same bytes from a pipe that
another process fills; the ratio is what counts. Prints a table row and, with `--json FILE`, writes
the result.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

UPDATES = 300_000
FOLDED = 100_000
SDK_UPDATES = 20_000
GOAL = 150_000

FILL = """
import sys
line = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"0f1e2d3c-4b5a-6978","update":{'
    b'"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" some words of an answer"}'
    b"}}}\\n"
)
for _ in range(int(sys.argv[1]) // 1000):
    sys.stdout.buffer.write(line * 1000)
sys.stdout.buffer.flush()
sys.stdin.read()
"""

WORDS = " some words of an answer"

AGENT = """
import json, sys
line = (
    b'{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{'
    b'"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":" some words of an answer"}'
    b"}}}\\n"
)
results = {"initialize": {"protocolVersion": 1}, "session/new": {"sessionId": "s"}}
for request in map(json.loads, sys.stdin):
    if request["method"] == "session/prompt":
        for _ in range(int(sys.argv[1]) // 1000):
            sys.stdout.buffer.write(line * 1000)
    result = results.get(request["method"], {"stopReason": "end_turn"})
    if "id" in request:
        answer = {"jsonrpc": "2.0", "id": request["id"], "result": result}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\\n")
    sys.stdout.buffer.flush()
"""


async def _spawn(updates: int) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(sys.executable, "-c", FILL, str(updates), stdin=-1, stdout=-1)


async def ours(updates: int) -> float:
    """Updates per second through our client."""
    from minime_agent.acp.wire.client_side import ClientHandlers, RemoteAgent
    from minime_agent.acp.wire.content import TextContent
    from minime_agent.acp.wire.updates import AgentMessageChunk, SessionNotification

    class Client(ClientHandlers):
        texts: list[str]
        count = 0
        done = asyncio.Event()

        async def session_update(self, notification: SessionNotification) -> None:
            match notification.update:
                case AgentMessageChunk(content=TextContent(text=text)):
                    self.texts.append(text)
            self.count += 1
            if self.count == 1:
                self.began = time.process_time()
            if self.count == updates:
                self.done.set()

    client = Client()
    client.texts = []
    process = await _spawn(updates)
    assert process.stdout is not None
    assert process.stdin is not None
    agent = RemoteAgent(process.stdout, process.stdin)
    agent.start(client)
    await client.done.wait()
    seconds = time.process_time() - client.began
    await agent.close()
    await process.wait()
    assert len(client.texts) == updates
    return updates / seconds


async def folded(updates: int) -> float:
    """Updates per second through the client: read, translated, folded into the message, told on the bus."""
    from sidekicks.acp.changes import Change
    from sidekicks.acp.client import AgentClient
    from sidekicks.bus import Bus
    from sidekicks.channels.turns import Turn
    from sidekicks.models import Message, TextPart

    class Listener:
        told = 0

        def changed(self, change: Change) -> None:
            delta = turn.apply(change)
            if delta is not None:
                bus.publish(delta)

        def replayed(self, change: Change) -> None: ...

        async def asked(self, question: object) -> None: ...

        async def elicited(self, form: object) -> Any: ...

    def count(event: object) -> None:
        del event
        Listener.told += 1

    bus = Bus()
    bus.listen(count)
    message = Message(id="m", channel="c", created_at=datetime.now(UTC), role="agent", done=False)
    turn = Turn(message, clock=time.monotonic, now=lambda: datetime.now(UTC))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", AGENT, str(updates), stdin=-1, stdout=-1
    )
    assert process.stdout is not None
    assert process.stdin is not None
    client = AgentClient(process.stdout, process.stdin)
    await client.handshake("0")
    session = await client.new_session("/", (), Listener())
    began = time.process_time()
    await session.prompt("go")
    finished = turn.finish("end_turn")
    seconds = time.process_time() - began
    await client.close()
    await process.wait()
    assert Listener.told == updates
    assert sum(len(part.text) for part in finished.parts if isinstance(part, TextPart)) == updates * len(
        WORDS
    )
    return updates / seconds


async def official(updates: int) -> float:
    """Updates per second through the SDK's client."""
    import acp

    class Client:
        count = 0
        done = asyncio.Event()

        async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
            del session_id, update
            self.count += 1
            if self.count == 1:
                self.began = time.process_time()
            if self.count == updates:
                self.done.set()

        def on_connect(self, conn: Any) -> None: ...

    client: Any = Client()
    process = await _spawn(updates)
    assert process.stdout is not None
    assert process.stdin is not None
    connection = acp.connect_to_agent(client, process.stdin, process.stdout)
    await client.done.wait()
    seconds = time.process_time() - client.began
    await connection.close()
    process.stdin.close()
    await process.wait()
    return updates / seconds


def import_seconds(module: str) -> float:
    """Seconds that importing a module takes in a new interpreter, best of five, without the bare start."""

    def run(code: str) -> float:
        began = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - began

    best = min(run(f"import {module}") for _ in range(5))
    return best - min(run("pass") for _ in range(5))


def measure() -> dict[str, object]:
    """Everything, as it goes into the results."""
    wire = max(asyncio.run(ours(UPDATES)) for _ in range(3))
    rates = [asyncio.run(folded(FOLDED)) for _ in range(3)]
    baseline = asyncio.run(official(SDK_UPDATES))
    return {
        "name": "ACP updates a second of one core, through to the folded message",
        "ours": round(max(rates)),
        "baseline": round(baseline),
        "baseline_name": "Python SDK",
        "ratio": round(max(rates) / baseline, 1),
        "wire_alone": round(wire),
        "goal": GOAL,
        "met": max(rates) >= GOAL,
        "import_ms": round(1000 * import_seconds("minime_agent.acp.wire.client_side")),
        "baseline_import_ms": round(1000 * import_seconds("acp")),
    }


def main() -> int:
    """Measures, prints, and tells by the exit code whether the goal was met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the result here")
    arguments = parser.parse_args()
    result = measure()
    if arguments.json is not None:
        arguments.json.parent.mkdir(parents=True, exist_ok=True)
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(
        f"| {result['name']} | {result['ours']:,} | {result['baseline_name']} {result['baseline']:,} "
        f"| {result['ratio']} x | >= {GOAL:,} | wire alone {result['wire_alone']:,}, "
        f"import {result['import_ms']} ms, SDK {result['baseline_import_ms']} ms |"
    )
    return 0 if result["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
