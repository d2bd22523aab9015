"""The core as a library: without Qt, closed whatever the caller does, in step with the configuration."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from sidekicks import open_core
from sidekicks.events import ConfigChanged, TurnChanged
from tests.core_parts import SCRIPTED, Events, text_of
from tests.processes import is_running

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
