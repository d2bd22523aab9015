"""mm: start to the first request, memory, size and stability of requests, the engine's own time.

Peers that are on PATH (`pi`, `agent-mini`) are measured in the same run; others are named as skipped. Prints
table rows and, with `--json FILE`, writes the result.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import psutil

from minime_agent.config.check import convert
from minime_agent.config.settings import Guards
from minime_agent.engine.answer import Answer
from minime_agent.engine.chunks import decode
from minime_agent.engine.session import Session
from minime_agent.tools.edit_file import EditFile
from minime_agent.tools.tool import ToolFailure
from minime_agent.tools.workspace import Workspace
from minime_agent.ui.events import Event, Permission, ToolEnd, ToolStart
from tests.scripted_model import Call, Reply, ScriptedModel, Text

ROOT = Path(__file__).parent.parent
STARTS = 9
STREAMED = 20_000
WARM_UP = 3
IMPORTS = "import asyncio, msgspec, httpx"
GOAL_REQUEST_MS, GOAL_PSS_MB, GOAL_TOKENS = 180, 45, 1_100
GOAL_TOKEN_US, GOAL_NEXT_MS, GOAL_EDIT_S = 50, 5, 0.3


@dataclass(frozen=True)
class Row:
    """One line of the table."""

    what: str
    ours: float
    unit: str
    goal: float
    against: str = ""
    more: str = ""

    @property
    def met(self) -> bool:
        """Whether the goal was met."""
        return self.ours <= self.goal


class Quiet:
    """A sink that notes when the last tool ended."""

    tool_ended = 0.0

    async def emit(self, event: Event) -> None:
        """Takes one event."""
        if isinstance(event, ToolEnd):
            self.tool_ended = time.perf_counter()

    async def allow(self, call: ToolStart) -> Permission:
        """Yes."""
        del call
        return "allow"


@asynccontextmanager
async def home(replies: Sequence[Reply] | None) -> AsyncGenerator[tuple[ScriptedModel, dict[str, str], Path]]:
    """A model server, and the environment of a user who has nothing yet."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        variables = {"HOME": folder, "XDG_DATA_HOME": f"{folder}/data", "XDG_CONFIG_HOME": f"{folder}/config"}
        environment = {**os.environ, **variables, "PYTHONPATH": str(ROOT), "MM_PROVIDER": "openai"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        async with ScriptedModel(replies, models=("scripted", "gpt-4o")) as server:
            yield server, environment | {"MM_BASE_URL": server.url, "OPENAI_API_KEY": "none"}, place


def median(values: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(values)


async def first_request() -> list[Row]:
    """Milliseconds from a process's start to its first chat request."""
    command = [sys.executable, "-m", "minime_agent", "-p", "hello", "--model", "scripted"]
    ours: list[float] = []
    bare: list[float] = []
    async with home([[Text("hi")]] * (STARTS + 1)) as (server, environment, folder):
        for number in range(STARTS + 1):
            began = time.perf_counter()
            process = await asyncio.create_subprocess_exec(
                *command, env=environment, cwd=folder, stdin=-3, stdout=-3, stderr=-3
            )
            await server.chat_arrived(number + 1)
            ours.append((time.perf_counter() - began) * 1000)
            await process.wait()
            began = time.perf_counter()
            await (await asyncio.create_subprocess_exec(sys.executable, "-c", IMPORTS)).wait()
            bare.append((time.perf_counter() - began) * 1000)
    against = f"Python with asyncio, msgspec, httpx {median(bare[1:]):.0f}"
    name = "`mm -p hello`: start to the first request"
    return [Row(name, median(ours[1:]), "ms", GOAL_REQUEST_MS, against, await _peers())]


async def _peers() -> str:
    told: list[str] = []
    for name, arguments in (("pi", ["-p", "--model", "bench/scripted", "hello"]), ("agent-mini", ["hello"])):
        if (program := shutil.which(name)) is None:
            told.append(f"{name} skipped: not installed")
            continue
        taken: list[float] = []
        async with home([[Text("hi")]] * WARM_UP) as (server, environment, folder):
            environment["OPENAI_BASE_URL"] = server.url
            _tell_pi(folder, server.url)
            for number in range(WARM_UP):
                began = time.perf_counter()
                process = await asyncio.create_subprocess_exec(
                    program, *arguments, env=environment, cwd=folder, stdin=-3, stdout=-3, stderr=-3
                )
                try:
                    await asyncio.wait_for(server.chat_arrived(number + 1), 30)
                    taken.append((time.perf_counter() - began) * 1000)
                except TimeoutError:
                    break
                finally:
                    process.kill()
                    await process.wait()
        told.append(f"{name} {median(taken):.0f}" if taken else f"{name} skipped: asks another server")
    return ", ".join(told)


def _tell_pi(folder: Path, url: str) -> None:
    """Pi knows servers by its file alone."""
    provider = {"baseUrl": url, "api": "openai-completions", "apiKey": "none", "models": [{"id": "scripted"}]}
    place = folder / ".pi" / "agent" / "models.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps({"providers": {"bench": provider}}), encoding="utf-8")


async def memory() -> list[Row]:
    """Megabytes (PSS) of `mm --acp` after one turn."""
    async with home(None) as (_, environment, folder):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "minime_agent", "--acp"),
            env=environment,
            cwd=folder,
            stdin=-1,
            stdout=-1,
            limit=1 << 20,
        )
        assert process.stdin is not None
        assert process.stdout is not None
        number = 0

        async def ask(method: str, parameters: dict[str, object]) -> dict[str, object]:
            nonlocal number
            number += 1
            assert process.stdin is not None
            assert process.stdout is not None
            request = {"jsonrpc": "2.0", "id": number, "method": method, "params": parameters}
            process.stdin.write(json.dumps(request).encode() + b"\n")
            async for line in process.stdout:
                answer = json.loads(line)
                if answer.get("id") == number and "method" not in answer:
                    return answer["result"]
            raise RuntimeError("mm has ended")

        await ask("initialize", {"protocolVersion": 1})
        session = await ask("session/new", {"cwd": str(folder), "mcpServers": []})
        prompt = [{"type": "text", "text": "hello"}]
        await ask("session/prompt", {"sessionId": session["sessionId"], "prompt": prompt})
        used = psutil.Process(process.pid).memory_full_info()
        process.stdin.close()
        await process.wait()
    more = f"resident {used.rss / 1e6:.0f}, its own alone {used.uss / 1e6:.0f}"
    return [Row("mm after one turn, PSS", used.pss / 1e6, "MB", GOAL_PSS_MB, "", more)]


async def requests() -> list[Row]:
    """Tokens of the first request before the question, and how much of it the second one begins with."""
    command = [sys.executable, "-m", "minime_agent", "--model", "scripted"]
    async with home([[Text("hi")], [Text("ho")]]) as (server, environment, folder):
        for arguments in (["-p", "hello"], ["-c", "-p", "and?"]):
            process = await asyncio.create_subprocess_exec(
                *command, *arguments, env=environment, cwd=folder, stdin=-3, stdout=-3, stderr=-3
            )
            await process.wait()
        first, second = server.chats
        request = {"messages": first["messages"][:1], "tools": first["tools"]}
        kept = second["messages"][: len(first["messages"])] == first["messages"]
        same = kept and second["tools"] == first["tools"]
    prefix = Row("second request (`-c`) does not begin with the first", 0 if same else 1, "", 0)
    return [*_size(request), prefix]


def _size(request: object) -> list[Row]:
    try:
        from tests.o200k import count
    except ImportError:
        sys.stderr.write("tokens of the first request: skipped, no wheel of rs-bpe for this Python\n")
        return []
    return [Row("first request before the question", count(request), "tokens", GOAL_TOKENS, "", "o200k")]


async def engine() -> list[Row]:
    """Microseconds of the engine for each token that is streamed, in text and in a long call."""
    rows: list[Row] = []
    for name, delta in (
        ("streamed token", {"content": "word "}),
        ("token of a 100 KB call", {"tool_calls": [{"index": 0, "function": {"arguments": "w0rd "}}]}),
    ):
        data = msgspec.json.encode({"choices": [{"index": 0, "delta": delta}]}).decode()
        pieces = [data.replace("w0rd", f"w{number % 9973}") for number in range(STREAMED)]
        answer = Answer(Quiet(), Guards(), holds_calls=True)
        began = time.perf_counter()
        for piece in pieces:
            await answer.take(decode(piece))
        taken = (time.perf_counter() - began) / STREAMED * 1e6
        rows.append(Row(f"engine's time for a {name}", taken, "µs", GOAL_TOKEN_US))
    return rows


async def next_request() -> list[Row]:
    """Milliseconds from a tool's last byte to the next request."""
    steps: list[Reply] = [[Call("bash", {"command": f"echo {number}"})] for number in range(30)]
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        async with ScriptedModel([*steps, [Text("done")]]) as server:
            session, sink = Session(convert({"baseURL": server.url}), Path(folder)), Quiet()
            turn = asyncio.create_task(session.prompt("go", sink))
            for number in range(2, len(steps) + 2):
                await server.chat_arrived(number)
                taken.append((time.perf_counter() - sink.tool_ended) * 1000)
            await turn
            await session.close()
    return [Row("last byte of a tool to the next request", median(taken), "ms", GOAL_NEXT_MS)]


async def editing() -> list[Row]:
    """Seconds of an edit in 300,000 lines: one that stands there, one that does not; and the reply's size."""
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.txt"
        path.write_text("".join(f"row {number} ok\n" for number in range(300_000)), encoding="utf-8")
        unlike = "\n".join(f"line {number} is not there" for number in range(5_000))
        for name, old in (
            ("one match", "row 150000 ok"),
            ("none", "row 150000 is\nnot ok"),
            ("5,000 lines that are not there", unlike),
        ):
            workspace = Workspace(path.parent)
            edits = [{"old": old, "new": "row 150000 DONE"}]
            began = time.perf_counter()
            try:
                call = await EditFile().prepare({"path": path.name, "edits": edits}, workspace)
                reply = (await call.run(Quiet(), "1")).output
            except ToolFailure as failure:
                reply = str(failure)
            taken, more = time.perf_counter() - began, f"reply {len(reply)} characters"
            rows.append(Row(f"`edit_file` in 300,000 lines, {name}", taken, "s", GOAL_EDIT_S, "", more))
    return rows


async def measure() -> list[Row]:
    """All of it."""
    parts = (first_request, memory, requests, engine, next_request, editing)
    return [row for part in parts for row in await part()]


def main() -> int:
    """Measures, prints, and tells by the exit code whether the goals were met."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the result here")
    arguments = parser.parse_args()
    rows = asyncio.run(measure())
    for row in rows:
        print(f"| {row.what} | {row.ours:.3g} {row.unit} | {row.against} | | <= {row.goal} | {row.more} |")
    if arguments.json is not None:
        result = {row.what: {"ours": row.ours, "goal": row.goal, "met": row.met} for row in rows}
        arguments.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
