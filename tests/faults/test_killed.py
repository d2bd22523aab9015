"""Sidekicks and agents killed in the middle of something: nothing is lost, nothing is left running."""

from __future__ import annotations

import asyncio
import json
import signal
import sys
from pathlib import Path

import pytest

from sidekicks.core import open_core
from sidekicks.models import Message
from tests.core_parts import SCRIPTED, number_in, parts, scripted, text_of
from tests.processes import gone, is_running

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")

APP = """
import asyncio, sys
from sidekicks import open_core
from sidekicks.events import MessageUpdated

async def main():
    async with open_core(sys.argv[1], data_dir=sys.argv[2]) as core:
        def told(event):
            if isinstance(event, MessageUpdated) and event.message.role == "agent" and event.message.done:
                print("done", event.message.id, flush=True)
        core.events.listen(told)
        channel = await core.channels.create("Plans")
        print("channel", channel.id, flush=True)
        print("sent", await core.channels.send(channel.id, "@ada @bob !child"), flush=True)
        for number in range(10_000):
            await core.channels.send(channel.id, f"@ada !text(answer {number})")
            await asyncio.sleep(0.01)

asyncio.run(main())
"""


def configuration(folder: Path, *options: str) -> Path:
    agents = [
        {
            "name": name,
            "command": sys.executable,
            "args": [str(SCRIPTED), f"pidfile={folder / name}", *options],
        }
        for name in ("ada", "bob")
    ]
    path = folder / "sidekicks.yaml"
    path.write_text(json.dumps({"agents": agents}))
    return path


@pytest.mark.parametrize("lines", [4, 12, 25])
async def test_kill_of_sidekicks(tmp_path: Path, lines: int) -> None:
    """The agents ignore the end of their input and SIGTERM, and so do their children."""
    config = configuration(tmp_path, "ignore-eof", "ignore-term")
    app = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", APP, str(config), str(tmp_path / "data")),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
    )
    assert app.stdout is not None
    told: dict[str, list[str]] = {"channel": [], "sent": [], "done": []}
    async with asyncio.timeout(60):
        for _ in range(lines):
            what, value = (await app.stdout.readline()).decode().split()
            told[what].append(value)
    app.send_signal(signal.SIGKILL)
    await app.wait()
    rest = (await app.stdout.read()).decode().split()
    told["done"] += rest[1::2] if rest[:1] == ["done"] else []
    pids = [int((tmp_path / name).read_text()) for name in ("ada", "bob")]
    async with open_core(config, data_dir=tmp_path / "data") as core:
        messages = {message.id: message for message in await stored(core, told["channel"][0])}
    assert set(told["sent"] + told["done"]) <= set(messages)
    children = [number_in(text_of(messages[done])) for done in told["done"][:2]]
    for pid in (*pids, *children):
        await gone(pid)


async def stored(core: object, channel: str) -> list[Message]:
    from sidekicks.core import Core

    assert isinstance(core, Core)
    page = await core.channels.older(channel, "~")
    return [*page.messages]


async def test_kill_of_an_agent_again_and_again(tmp_path: Path) -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        for _ in range(8):
            answer = (await found.say(channel.id, "!text(so far) !stderr(why) !kill"))[-1]
            assert text_of(answer) == "so far"
            assert "SIGKILL" in answer.error
            assert "why" in answer.error
            assert found.agent("ada").state == "error"
            await found.agents.start("ada")
            assert (await found.say(channel.id, "hello"))[-1].stop_reason == "end_turn"
    assert asyncio.all_tasks() == {asyncio.current_task()}


@pytest.mark.parametrize(
    "flood", ["flood-stdout(100000000)", "flood-stderr(50000000)", "flood-updates(100000)"]
)
async def test_a_flood_does_not_freeze_the_program_and_stop_works(flood: str) -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, f"!text(begun) !{flood} !text(over) !silent")
        await found.spoken("begun")
        waits: list[float] = []
        loop = asyncio.get_running_loop()
        over = asyncio.create_task(found.spoken("over"))
        while not over.done():
            before = loop.time()
            await asyncio.sleep(0.005)
            waits.append(loop.time() - before)
        async with asyncio.timeout(5):
            await found.channels.cancel(channel.id)
        assert max(waits) < 1.0
        assert (await found.channels.conversation(channel.id)).messages[-1].stop_reason == "cancelled"


async def test_a_stubborn_child_does_not_outlive_a_stop() -> None:
    async with parts(scripted("ada", "ignore-eof", "ignore-term")) as found:
        channel = await found.channels.direct("ada")
        child = number_in(text_of((await found.say(channel.id, "!child"))[-1]))
        assert is_running(child)
    assert not is_running(child)
