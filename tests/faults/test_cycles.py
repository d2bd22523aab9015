"""Agents started, stopped and crashed over and over: nothing leaks, and the states follow the table.

`FAULT_CYCLES` over `FAULT_AGENTS` agents; 60 over 6 without them, 1,000 over 20 is what is meant.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import random
import signal
import threading
from pathlib import Path

import psutil
import pytest

from sidekicks.acp.errors import AgentFailureError
from sidekicks.agents.state import TABLE
from sidekicks.events import AgentStateChanged
from tests.agents import Clock, Setting, prompt, scripted

CYCLES = int(os.environ.get("FAULT_CYCLES", "60"))
AGENTS = int(os.environ.get("FAULT_AGENTS", "6"))

pytestmark = pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")


class Taken:
    """What this program has open."""

    def __init__(self) -> None:
        program = psutil.Process()
        self.processes = len(program.children(recursive=True))
        self.descriptors = program.num_fds()
        self.tasks = len(asyncio.all_tasks())
        self.threads = threading.active_count()


async def cycle(setting: Setting, name: str, pidfile: Path, chance: random.Random) -> None:
    """A start, something done with it, and an end; most kinds of which break something off."""
    how = chance.choice(["stop", "crash", "restart", "crash while used", "stop while starting", "idle"])
    if how == "stop while starting":
        starting = asyncio.create_task(setting.service.start(name))
        await asyncio.sleep(chance.random() / 20)
        await setting.service.stop(name)
        await starting
        return
    async with setting.service.use(name) as client:
        if how == "crash while used":
            await prompt(client, "!kill")
        assert await prompt(client, "hello") == "end_turn"
    if how == "crash":
        os.kill(int(pidfile.read_text()), signal.SIGKILL)
    elif how == "restart":
        await setting.service.restart(name)
    elif how == "stop":
        await setting.service.stop(name)


@pytest.mark.timeout(60 + CYCLES)
async def test_start_stop_and_crash_over_and_over(clock: Clock, tmp_path: Path) -> None:
    names = [f"a{number}" for number in range(AGENTS)]
    before = Taken()
    setting = Setting(clock)
    setting.apply(*(scripted(name, f"pidfile={tmp_path / name}") for name in names), limit=AGENTS)
    broken_off: list[str] = []

    async def live(name: str) -> None:
        chance = random.Random(name)
        for _ in range(CYCLES // AGENTS):
            try:
                await cycle(setting, name, tmp_path / name, chance)
            except (AgentFailureError, ProcessLookupError) as error:
                broken_off.append(str(error))

    await asyncio.gather(*map(live, names))
    allowed = {(state, following) for (state, _), following in TABLE.items()}
    changes = setting.recorder.of(AgentStateChanged)
    for name in names:
        told = ["stopped", *(event.state for event in changes if event.agent == name)]
        assert set(itertools.pairwise(told)) <= allowed
    states = [event.state for event in changes]
    assert min(states.count(state) for state in ("ready", "busy", "stopped", "error")) >= CYCLES // 20
    assert not any("too many" in reason for reason in broken_off)
    await setting.service.close()
    after = Taken()
    print(f"{CYCLES} cycles, {len(broken_off)} of them broken off, {len(states)} changes of state")
    assert (after.processes, after.tasks) == (before.processes, before.tasks)
    assert after.descriptors <= before.descriptors
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(5):  # those that wait for a process end a moment after it
            while threading.active_count() > before.threads:  # noqa: ASYNC110 - a thread tells nobody
                await asyncio.sleep(0.01)
    assert threading.active_count() <= before.threads
