"""The core as a library: without Qt, closed whatever the caller does, in step with the configuration."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from sidekicks import open_core
from sidekicks.bus import Bus, SlowSubscriberError
from sidekicks.core import Core
from sidekicks.events import AgentLog, AgentStateChanged, ConfigChanged, Event, TurnChanged
from tests.core_files import own_folders
from tests.core_parts import SCRIPTED, Events, text_of
from tests.processes import gone, is_running

ROOT = Path(__file__).parents[3]

WITHOUT_QT = """
import importlib, pkgutil, sys
for name in ("PySide6", "qasync"):
    sys.modules[name] = None
import sidekicks
for module in pkgutil.walk_packages(sidekicks.__path__, "sidekicks."):
    if not module.name.startswith(("sidekicks.ui", "sidekicks.app", "sidekicks.__main__")):
        importlib.import_module(module.name)
        print(module.name)
sidekicks.open_core
"""


def configuration(folder: Path, *names: str, title: str = "x") -> Path:
    agents = [
        {
            "name": name,
            "title": title,
            "command": sys.executable,
            "args": [str(SCRIPTED), f"pidfile={folder / name}"],
        }
        for name in names
    ]
    path = folder / "sidekicks.yaml"
    path.write_text(json.dumps({"agents": agents}))
    return path


def test_every_module_of_the_core_imports_without_qt() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", WITHOUT_QT], capture_output=True, text=True, cwd=ROOT, timeout=60, check=False
    )
    assert ran.returncode == 0, ran.stderr
    imported = set(ran.stdout.split())
    assert {"sidekicks.core", "sidekicks.channels.service", "sidekicks.commands.ask"} <= imported


async def test_a_conversation(tmp_path: Path) -> None:
    async with open_core(configuration(tmp_path, "ada"), data_dir=tmp_path / "data") as core:
        channel = await core.channels.direct("ada")
        async with core.events.subscribe() as events:
            await core.channels.send(channel.id, "hello")
            async for event in events:
                if isinstance(event, TurnChanged) and not event.busy:
                    break
    assert not is_running(int((tmp_path / "ada").read_text()))
    async with open_core(tmp_path / "sidekicks.yaml", data_dir=tmp_path / "data") as core:
        assert core.channels.list() == (channel,)
        messages = (await core.channels.conversation(channel.id)).messages
        assert [text_of(message) for message in messages] == ["hello", "echo: hello"]


EXAMPLE = re.findall(r"```python\n(.*?)```", (ROOT / "docs/library.md").read_text("utf-8"), re.DOTALL)[0]


def run(code: str, folder: Path) -> subprocess.Popen[str]:
    """A program of its own that has `sidekicks.yaml` in its folder."""
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**own_folders(folder / "home"), "PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize("answer", ["", "!ask(edit, it) !text(done)"])
def test_the_example_of_the_library_page_works(tmp_path: Path, answer: str) -> None:
    configuration(tmp_path, "mm")
    program = run(EXAMPLE.replace('"hello"', repr(answer)) if answer else EXAMPLE, tmp_path)
    out, errors = program.communicate(timeout=60)
    assert (program.returncode, errors) == (0, "")
    assert out.endswith("done" if answer else "echo: hello")
    assert not is_running(int((tmp_path / "mm").read_text()))


USES = """
import asyncio, sys
from sidekicks import open_core

async def use():
    async with open_core("sidekicks.yaml", data_dir="data") as core:
        await core.agents.start("ada")
        print("runs", flush=True)
        yield core
        await asyncio.Event().wait()

async def wait():
    async for core in use():
        pass

async def leave():
    async with open_core("sidekicks.yaml", data_dir="data") as core:
        await core.agents.start("ada")
        print("runs", flush=True)
        sys.exit(5)

async def abandon():
    global kept
    kept = use()
    await anext(kept)

async def close():
    opened = use()
    await anext(opened)
    await opened.aclose()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Ctrl+C of a terminal")
@pytest.mark.parametrize(
    ("way", "code"),
    [
        ("asyncio.run(wait())", -signal.SIGINT),
        ("asyncio.run(leave())", 5),
        ("asyncio.run(abandon())", 0),
        ("asyncio.run(close())", 0),
    ],
    ids=["Ctrl+C", "sys.exit", "abandoned generator", "GeneratorExit"],
)
async def test_no_agent_is_left_however_a_program_ends(tmp_path: Path, way: str, code: int) -> None:
    configuration(tmp_path, "ada")
    program = run(USES + way, tmp_path)
    assert program.stdout is not None
    assert program.stdout.readline() == "runs\n"
    if code == -signal.SIGINT:
        program.send_signal(signal.SIGINT)
    _, errors = program.communicate(timeout=60)
    assert program.returncode == code, errors
    if code >= 0:
        assert errors == ""
    await gone(int((tmp_path / "ada").read_text()))
    async with open_core(tmp_path / "sidekicks.yaml", data_dir=tmp_path / "data") as core:
        assert core.config.current().history_problem == ""


async def test_events_come_in_order_until_the_core_closes(tmp_path: Path) -> None:
    told: list[Event] = []
    heard: list[Event] = []

    async def hear(core: Core, ready: asyncio.Event) -> None:
        async with core.events.subscribe() as events:
            ready.set()
            async for event in events:
                heard.append(event)  # noqa: PERF401 - what came so far counts

    async with open_core(configuration(tmp_path, "ada"), data_dir=tmp_path / "data") as core:
        ready = asyncio.Event()
        hearing = asyncio.create_task(hear(core, ready))
        await ready.wait()
        core.events.listen(told.append)
        await core.agents.start("ada")
        await core.channels.create("one")
    await asyncio.wait_for(hearing, 10)
    assert heard == told
    assert [event.state for event in heard if isinstance(event, AgentStateChanged)] == [
        "starting",
        "ready",
        "stopped",
    ]
    async with core.events.subscribe() as events:
        assert [event async for event in events] == []


async def test_who_hears_too_slowly_is_told_and_never_misses_in_between() -> None:
    bus = Bus()
    lines = [AgentLog(agent="a", line=str(number)) for number in range(6)]
    async with bus.subscribe(limit=3) as events:
        for line in lines[:4]:
            bus.publish(line)
        heard = [await anext(events)]
        bus.publish(lines[4])  # there would be room, but one is missing before it
        heard += [await anext(events), await anext(events)]
        assert heard == lines[:3]
        with pytest.raises(SlowSubscriberError):
            await anext(events)
        bus.publish(lines[5])
        assert await anext(events) == lines[5]


@pytest.mark.parametrize("way", ["error", "cancelled", "cancelled twice"])
async def test_everything_ends_whatever_the_caller_does(tmp_path: Path, way: str) -> None:
    running = asyncio.Event()

    async def use() -> None:
        async with open_core(configuration(tmp_path, "ada"), data_dir=tmp_path / "data") as core:
            await core.agents.start("ada")
            running.set()
            if way == "error":
                raise LookupError
            await asyncio.Event().wait()

    task = asyncio.create_task(use())
    await running.wait()
    if way != "error":
        task.cancel()
    if way == "cancelled twice":
        await asyncio.sleep(0)
        task.cancel()
    with pytest.raises(LookupError if way == "error" else asyncio.CancelledError):
        await task
    assert not is_running(int((tmp_path / "ada").read_text()))
    async with open_core(tmp_path / "sidekicks.yaml", data_dir=tmp_path / "data") as core:
        assert core.config.current().history_problem == ""


async def test_a_changed_file_changes_the_agents_an_invalid_one_does_not(tmp_path: Path) -> None:
    path = configuration(tmp_path, "ada")
    async with open_core(path, data_dir=tmp_path / "data") as core:
        events = Events(core.events)
        await core.config.save(path.read_text().replace('"ada"', '"bob"'))
        assert [status.name for status in core.agents.list()] == ["bob"]
        path.write_text("agents: 7")
        await events.until(lambda event: isinstance(event, ConfigChanged) and not event.valid)
        assert [status.name for status in core.agents.list()] == ["bob"]
