"""Streamed updates that a client takes per second of one core, decoded and dispatched in order.

The wire and the Python SDK read the same bytes from a pipe that another process fills; the ratio is what
counts. Prints a table row and, with `--json FILE`, writes the result.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

UPDATES = 300_000
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
    rates = [asyncio.run(ours(UPDATES)) for _ in range(3)]
    baseline = asyncio.run(official(SDK_UPDATES))
    return {
        "name": "ACP updates a client takes per second of one core",
        "ours": round(max(rates)),
        "baseline": round(baseline),
        "baseline_name": "Python SDK",
        "ratio": round(max(rates) / baseline, 1),
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
        f"| {result['ratio']} x | >= {GOAL:,} | import {result['import_ms']} ms, "
        f"SDK {result['baseline_import_ms']} ms |"
    )
    return 0 if result["met"] else 1


if __name__ == "__main__":
    sys.exit(main())
