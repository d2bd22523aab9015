"""Agents that flood: memory stays bounded, the program alive, Stop works, no process is left.

`FLOOD_BYTES` on stdout without a newline, and on stderr: 64 MB without it, 1 GB is what is meant;
`FLOOD_UPDATES` updates: 20,000 without it, a million is what is meant.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from sidekicks.core import Core, open_core
from sidekicks.events import Event, MessageUpdated, TurnChanged
from sidekicks.models import Message
from tests.agents import SCRIPT
from tests.core_parts import number_in, parts, scripted, text_of
from tests.processes import gone

BYTES = int(os.environ.get("FLOOD_BYTES", str(64 * 2**20)))
UPDATES = int(os.environ.get("FLOOD_UPDATES", "20000"))
MORE_MEMORY = 100 * 2**20
ENDLESS = 10**15
FROZEN = 0.5
"""Seconds in which the program does nothing else, on a machine that has much else to do."""


class Probe:
    """How much memory this program takes more than before, and how long it was away, at worst."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._before = self._process.memory_info().rss
        self.more_memory = 0
        self.away: list[float] = []

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        looking = asyncio.create_task(self._look())
        try:
            yield
        finally:
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking

    async def _look(self) -> None:
        clock = asyncio.get_running_loop().time
        while True:
            before = clock()
            await asyncio.sleep(0.016)
            self.away.append(clock() - before - 0.016)
            self.more_memory = max(self.more_memory, self._process.memory_info().rss - self._before)


async def answer_to(core: Core, channel: str, text: str) -> Message:
    """Sends and waits for the end of the answer, without keeping what is told meanwhile."""
    over = asyncio.Event()
    answers: list[Message] = []

    def take(event: Event) -> None:
        if isinstance(event, MessageUpdated) and event.message.role == "agent" and event.message.done:
            answers.append(event.message)
        elif isinstance(event, TurnChanged) and not event.busy:
            over.set()

    stop = core.events.listen(take)
    await core.channels.send(channel, text)
    await over.wait()
    stop()
    return answers[-1]


@pytest.mark.timeout(60 + BYTES // 10**7 + UPDATES // 5_000)
@pytest.mark.parametrize(
    "flood",
    [
        f"flood-stdout({BYTES})",
        f"flood-stdout({BYTES}, {{)",
        f"flood-stderr({BYTES})",
        f"flood-updates({UPDATES})",
    ],
    ids=["garbage", "a message without an end", "stderr", "updates"],
)
async def test_a_flood_to_its_end(tmp_path: Path, flood: str) -> None:
    """The user sees the answer before and after it, and the agent answers the next message."""
    config = tmp_path / "sidekicks.yaml"
    pidfile = tmp_path / "pid"
    agent = {"name": "ada", "command": sys.executable, "args": [str(SCRIPT), f"pidfile={pidfile}"]}
    config.write_text(json.dumps({"agents": [agent]}))
    async with open_core(config, tmp_path / "data") as core:
        channel = (await core.channels.direct("ada")).id
        await answer_to(core, channel, "hello")
        probe = Probe()
        async with probe.running():
            answer = await answer_to(core, channel, f"!text(begun) !{flood} !text(over)")
        assert answer.stop_reason == "end_turn"
        assert text_of(answer).startswith("begun")
        assert text_of(await answer_to(core, channel, "!text(still here)")) == "still here"
        delays = sorted(probe.away)
        print(
            f"{flood}: {probe.more_memory / 2**20:.0f} MB more, away p99"
            f" {1000 * delays[len(delays) * 99 // 100]:.0f} ms, at most {1000 * delays[-1]:.0f} ms"
        )
        assert probe.more_memory <= MORE_MEMORY
        assert delays[-1] < FROZEN
        assert len(core.agents.logs("ada")) <= 200
    await gone(int(pidfile.read_text()))


@pytest.mark.parametrize("flood", ["flood-stdout", "flood-stderr", "flood-updates"])
async def test_stop_in_the_middle_of_an_endless_flood(tmp_path: Path, flood: str) -> None:
    """It does not hear the Stop: the channel is free all the same, and the agent is ended."""
    async with parts(scripted("ada", f"pidfile={tmp_path / 'pid'}")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, f"!ignore-cancel !text(begun) !{flood}({ENDLESS})")
        await found.spoken("begun")
        async with asyncio.timeout(10):
            await found.channels.cancel(channel.id)
        conversation = await found.channels.conversation(channel.id)
        assert conversation.messages[-1].stop_reason == "cancelled"
        assert not conversation.busy
        await gone(number_in((tmp_path / "pid").read_text()))
        [answer] = await found.say(channel.id, "!text(back again)")
        assert text_of(answer) == "back again"
