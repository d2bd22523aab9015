"""kill -9 of the program and of its agents: nothing lost, nothing left.

`FAULT_ROUNDS` is how often each is done; 5 without it.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
from pathlib import Path

import psutil
import pytest

from sidekicks.core import open_core
from sidekicks.events import AgentStateChanged, MessageDelta, MessageUpdated, TurnChanged
from sidekicks.models import TextPart
from tests.agents import SCRIPT
from tests.events import Recorder
from tests.processes import gone

ROUNDS = int(os.environ.get("FAULT_ROUNDS", "5"))
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")


def agent(name: str, *options: str) -> dict[str, object]:
    return {"name": name, "command": sys.executable, "args": [str(SCRIPT), *options]}


def holding_a_child(name: str, *options: str) -> dict[str, object]:
    """An agent with a child that knows neither the end of stdin nor SIGTERM."""
    code = (
        "import runpy, subprocess, sys;"
        "subprocess.Popen([sys.executable, '-c', 'import signal, time;"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(600)']);"
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    return {"name": name, "command": sys.executable, "args": ["-c", code, str(SCRIPT), *options]}


def write(file: Path, *agents: dict[str, object]) -> Path:
    file.write_text(json.dumps({"agents": agents}))
    return file


@pytest.mark.timeout(60 + 10 * ROUNDS)
async def test_the_program_is_killed(tmp_path: Path) -> None:
    """At a random moment, while two agents answer; one has a stubborn child, one does not mind EOF."""
    config = write(tmp_path / "a.yaml", holding_a_child("ada"), agent("bob", "ignore-eof", "ignore-term"))
    data, chance = tmp_path / "data", random.Random(7)
    promised: set[str] = set()
    ended: list[asyncio.Task[None]] = []
    for _ in range(ROUNDS):
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.faults.talking_core",
            config,
            data,
            cwd=ROOT,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        for _ in range(chance.randrange(5, 40)):
            promised.add((await process.stdout.readline()).split()[1].decode())
        descendants = psutil.Process(process.pid).children(recursive=True)
        assert len(descendants) >= 4  # two agents, a child, the guardian
        process.kill()
        out, err = await process.communicate()
        assert err == b""
        promised.update(line.split()[1].decode() for line in out.splitlines(keepends=True) if b"\n" in line)
        ended += [asyncio.create_task(gone(one.pid)) for one in descendants]
    await asyncio.gather(*ended)
    async with open_core(config, data) as core:
        assert core.config.current().history_problem == ""
        kept: set[str] = set()
        for channel in core.channels.list():
            page = await core.channels.conversation(channel.id)
            kept |= {message.id for message in page.messages}
            while page.more:
                page = await core.channels.older(channel.id, page.messages[0].id)
                kept |= {message.id for message in page.messages}
        assert promised - kept == set()
        assert len(promised) > 5 * ROUNDS


@pytest.mark.timeout(60 + 5 * ROUNDS)
async def test_an_agent_is_killed_in_the_middle_of_an_answer(tmp_path: Path) -> None:
    pidfile = tmp_path / "pid"
    config = write(tmp_path / "a.yaml", agent("ada", f"pidfile={pidfile}", "stderr=working"))
    chance = random.Random(7)
    async with open_core(config, tmp_path / "data") as core:
        channel = (await core.channels.direct("ada")).id
        recorder = Recorder(core.events)
        for _ in range(ROUNDS):
            since, words = len(recorder.events), chance.randrange(1, 30)
            await core.channels.send(channel, "!stream(1000, 10, 0.002)")
            position = since
            for _ in range(words):
                delta = await recorder.until(MessageDelta, since=position)
                position = recorder.events.index(delta, position) + 1
            os.kill(int(pidfile.read_text()), signal.SIGKILL)
            await recorder.until(TurnChanged, lambda event: not event.busy, since=since)
            message = (await core.channels.conversation(channel)).messages[-1]
            assert (message.done, message.stop_reason) == (True, None)
            reason, *tail = message.error.splitlines()
            assert reason.startswith("it was ended by SIGKILL")
            assert tail == ["working"]
            [part] = message.parts
            assert isinstance(part, TextPart)
            said = "".join(event.text for event in recorder.events[since:] if isinstance(event, MessageDelta))
            assert part.text == said
            assert len(said) >= 10 * words
            state = await recorder.until(AgentStateChanged, lambda event: event.state == "error", since=since)
            assert state.error == message.error
            await core.agents.start("ada")  # ▶
            since = len(recorder.events)
            await core.channels.send(channel, "again")
            answer = await recorder.until(MessageUpdated, lambda e: e.message.stop_reason, since=since)
            assert answer.message.stop_reason == "end_turn"
            await recorder.until(TurnChanged, lambda event: not event.busy, since=since)
