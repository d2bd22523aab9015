"""The window: its start against a bare one of Qt's, its memory, and what it does while nothing happens.

On a real X server (Xvfb) where there is one. Prints table rows and, with `--json FILE`, writes the result.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import psutil

from sidekicks.history.open import data_path, open_history
from sidekicks.ids import Ids
from sidekicks.models import Channel, Message, TextPart

ROOT = Path(__file__).parent.parent
PROGRAM = Path(__file__).with_name("window.py")
AGENT = ROOT / "tests" / "scripted_agent.py"
STARTS = 7
CONVERSATIONS, EACH = 10, 10_000
IDLE_SECONDS = 10.0
GOAL_START, GOAL_MEMORY_MB, GOAL_GROWTH_MB, GOAL_IDLE = 1.5, 250, 10, 0.003


@contextmanager
def display() -> Generator[dict[str, str]]:
    """The environment of a window: an X server of its own, else no screen at all."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
    if shutil.which("Xvfb") is None:
        yield environment
        return
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        with os.fdopen(reader) as said:
            number = said.readline().strip()
        try:
            yield {**environment, "DISPLAY": f":{number}", "QT_QPA_PLATFORM": "xcb"}
        finally:
            server.terminate()


@contextmanager
def program(folder: Path, what: str, environment: dict[str, str]) -> Generator[subprocess.Popen[str]]:
    """The window, or the bare one, until it is left."""
    command = [sys.executable, str(PROGRAM), str(folder), what]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            yield process
        finally:
            process.terminate()
            process.wait(30)


def wait_for(process: subprocess.Popen[str], word: str) -> None:
    """Waits until the program says it."""
    assert process.stdout is not None
    said = process.stdout.readline().strip()
    if said != word:
        raise RuntimeError(f"the window said {said!r}, not {word!r}")


def go_on(process: subprocess.Popen[str]) -> None:
    """Lets the program go on."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


async def fill(folder: Path, conversations: int, each: int) -> None:
    """A configuration with four agents, and conversations as if they had been held."""
    agents = [
        {"name": f"a{n}", "command": sys.executable, "args": [str(AGENT)], "title": f"Agent {n}"}
        for n in range(4)
    ]
    lines = ["theme: light", "language: en", "agents:", *(f"  - {json.dumps(one)}" for one in agents)]
    config = folder / "sidekicks.yaml"
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    history, problem = await open_history(data_path(config, folder / "data"))
    assert not problem, problem
    ids, when = Ids(), datetime(2026, 12, 1, 12, tzinfo=UTC)
    direct = Channel(id=ids.new(), direct="a0", members=("a0",))
    channels = [direct, *(Channel(id=ids.new(), name=f"talk {n}") for n in range(conversations - 1))]
    for channel in channels:
        await history.put_messages(
            [
                Message(
                    id=ids.new(),
                    channel=channel.id,
                    created_at=when,
                    role="agent" if number % 2 else "user",
                    agent="a0" if number % 2 else "",
                    parts=(TextPart(text=f"Message **{number}** of many, with `code` and some more words."),),
                    stop_reason="end_turn" if number % 2 else None,
                )
                for number in range(each)
            ]
        )
        await history.put_channel(channel)
    await history.close()


def bench_start(folder: Path, environment: dict[str, str]) -> dict[str, float]:
    """Milliseconds of a start to the first painted conversation; ours, a bare one, it with libraries."""
    times: dict[str, list[float]] = {"start": [], "bare": [], "libraries": []}
    for _ in range(STARTS):
        for what, taken in times.items():
            began = time.perf_counter()
            with program(folder, what, environment) as process:
                wait_for(process, "painted")
                taken.append((time.perf_counter() - began) * 1000)
    ours, bare, floor = (round(statistics.median(taken)) for taken in times.values())
    return {"start_ms": ours, "bare_ms": bare, "libraries_ms": floor, "ratio": round(ours / bare, 2)}


def bench_memory(folder: Path, environment: dict[str, str]) -> dict[str, float]:
    """Megabytes of the window's own memory with ten conversations opened, and how it grows by streaming."""
    with program(folder, "memory", environment) as process:
        wait_for(process, "opened")
        opened = _own(process.pid)
        go_on(process)
        grown: list[float] = []
        for _ in range(2):
            wait_for(process, "streamed")
            grown.append(_own(process.pid))
            go_on(process)
    return {
        "opened_mb": round(opened),
        "streamed_mb": round(grown[0]),
        "growth_mb": round(grown[1] - grown[0], 1),
    }


def _own(pid: int) -> float:
    return psutil.Process(pid).memory_full_info().uss / 1e6


def bench_idle(folder: Path, environment: dict[str, str]) -> dict[str, float]:
    """Share of a processor and wake-ups a second of the window with four agents ready."""
    with program(folder, "idle", environment) as process:
        wait_for(process, "idle")
        window = psutil.Process(process.pid)
        before, switches = window.cpu_times(), window.num_ctx_switches().voluntary
        time.sleep(IDLE_SECONDS)
        after = window.cpu_times()
        woken = (window.num_ctx_switches().voluntary - switches) / IDLE_SECONDS
    used = after.user + after.system - before.user - before.system
    return {"share": round(used / IDLE_SECONDS, 4), "wake_ups": round(woken, 1)}


def measure() -> dict[str, dict[str, float]]:
    """All three."""
    with (
        tempfile.TemporaryDirectory() as small,
        tempfile.TemporaryDirectory() as large,
        display() as environment,
    ):
        asyncio.run(fill(Path(small), 1, 100))
        start, idle = bench_start(Path(small), environment), bench_idle(Path(small), environment)
        asyncio.run(fill(Path(large), CONVERSATIONS, EACH))
        memory = bench_memory(Path(large), environment)
    return {"start": start, "memory": memory, "idle": idle}


def main() -> int:
    """Measures and prints; ends with 1 when a goal was missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="also write the result here")
    arguments = parser.parse_args()
    found = measure()
    start, memory, idle = found["start"], found["memory"], found["idle"]
    print(
        f"| window: start to the first conversation painted, 100 messages | {start['start_ms']} ms "
        f"| a bare window of Qt {start['bare_ms']} ms | {start['ratio']} x | <= {GOAL_START} x "
        f"| the bare one with the program's libraries {start['libraries_ms']} ms |"
    )
    print(
        f"| window: own memory, {CONVERSATIONS} conversations opened of {CONVERSATIONS * EACH:,} messages "
        f"| {memory['opened_mb']} MB | | | <= {GOAL_MEMORY_MB} MB "
        f"| after streaming {memory['streamed_mb']} MB, once more {memory['growth_mb']:+} MB |"
    )
    print(
        f"| window: processor while idle, 4 agents ready | {idle['share'] * 100:.2f} % | | "
        f"| <= {GOAL_IDLE * 100:.1f} % | {idle['wake_ups']} wake-ups a second |"
    )
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    met = (
        start["ratio"] <= GOAL_START
        and memory["streamed_mb"] <= GOAL_MEMORY_MB
        and memory["growth_mb"] <= GOAL_GROWTH_MB
        and idle["share"] <= GOAL_IDLE
    )
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
