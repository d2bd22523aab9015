"""The core as a whole: opened, configured while it runs, closed whatever the caller did, and without Qt."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from sidekicks.core import Core, open_core
from sidekicks.events import AgentStateChanged, ConfigChanged, MessageDelta, TurnChanged
from tests.agents import SCRIPT
from tests.events import Recorder
from tests.processes import is_running

ROOT = Path(__file__).parents[3]


def agent(name: str, *options: str, **more: object) -> dict[str, object]:
    return {"name": name, "command": sys.executable, "args": [str(SCRIPT), *options], **more}


def write(file: Path, *agents: dict[str, object]) -> Path:
    file.write_text(json.dumps({"agents": agents}))  # JSON is YAML
    return file


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write(tmp_path / "a.yaml", agent("ada", f"pidfile={tmp_path / 'pid'}"))


async def begin(core: Core) -> str:
    channel = await core.channels.direct("ada")
    recorder = Recorder(core.events)
    await core.channels.send(channel.id, "!text(well) !silent")
    await recorder.until(MessageDelta)
    return channel.id


def pid_of_ada(config: Path) -> int:
    return int((config.parent / "pid").read_text())


async def assert_all_is_closed(config: Path) -> None:
    assert not is_running(pid_of_ada(config))
    async with open_core(config, config.parent / "data") as core:
        assert core.config.current().history_problem == ""  # nobody has it open any more
        [channel] = core.channels.list()
        messages = (await core.channels.conversation(channel.id)).messages
    assert [message.role for message in messages] == ["user"]


async def test_leaving_closes_everything(config: Path) -> None:
    async with open_core(config, config.parent / "data") as core:
        await begin(core)
    await assert_all_is_closed(config)


async def test_an_exception_closes_everything(config: Path) -> None:
    async def fail() -> None:
        async with open_core(str(config), str(config.parent / "data")) as core:
            await begin(core)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    await assert_all_is_closed(config)


async def test_cancellation_closes_everything_even_when_it_comes_twice(config: Path) -> None:
    inside = asyncio.Event()

    async def work() -> None:
        async with open_core(config, config.parent / "data") as core:
            await begin(core)
            inside.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(work())
    await inside.wait()
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert task.cancelled()
    await assert_all_is_closed(config)


async def test_no_task_is_left(config: Path) -> None:
    before = asyncio.all_tasks()
    async with open_core(config, config.parent / "data") as core:
        await begin(core)
    assert asyncio.all_tasks() == before


async def test_edits_of_the_file_are_followed(config: Path) -> None:
    async with open_core(config, config.parent / "data") as core:
        recorder = Recorder(core.events)
        await core.agents.start("ada")
        text = core.config.content()
        edited = json.loads(text)
        edited["agents"][0]["title"] = "Countess"
        edited["agents"].append(agent("bob"))
        assert await core.config.save(json.dumps(edited)) == ()
        changed = await recorder.until(AgentStateChanged, lambda event: event.outdated)
        assert (changed.agent, changed.state) == ("ada", "ready")
        assert [status.title for status in core.agents.list()] == ["Countess", "bob"]

        config.write_text("agents: [")  # an editor's half-written file
        assert not (await recorder.until(ConfigChanged, lambda event: not event.valid)).valid
        assert [status.name for status in core.agents.list()] == ["ada", "bob"]
        assert core.agents.list()[0].state == "ready"

        write(config, agent("bob"))
        await recorder.until(
            AgentStateChanged, lambda event: (event.agent, event.state) == ("ada", "stopped")
        )
        assert [status.name for status in core.agents.list()] == ["bob"]
        assert not is_running(pid_of_ada(config))


async def test_two_cores_of_one_file_do_not_share_the_store(config: Path) -> None:
    data = config.parent / "data"
    async with open_core(config, data), open_core(config, data) as second:
        assert "another Sidekicks" in second.config.current().history_problem
        await begin(second)


async def test_the_library_s_example(config: Path) -> None:
    from sidekicks import open_core as public

    said = ""
    async with public(str(config), data_dir=str(config.parent / "data")) as core:
        channel = await core.channels.direct("ada")
        async with core.events.subscribe() as events:
            await core.channels.send(channel.id, "hello")
            async for event in events:
                match event:
                    case MessageDelta(kind="text", text=text):
                        said += text
                    case TurnChanged(busy=False):
                        break
                    case _:
                        pass
    assert said == "echo: hello"


def test_the_core_needs_no_qt(config: Path) -> None:
    """With PySide6 and qasync unimportable every module of the core is imported, and an agent answers."""
    program = dedent(
        """
        import asyncio, importlib, pkgutil, sys

        for name in ("PySide6", "qasync", "shiboken6"):
            sys.modules[name] = None
        import sidekicks
        for module in pkgutil.walk_packages(sidekicks.__path__, "sidekicks."):
            if not module.name.startswith(("sidekicks.ui", "sidekicks.app", "sidekicks.__main__")):
                if module.name != "sidekicks.agents.windows" or sys.platform == "win32":
                    importlib.import_module(module.name)

        async def main():
            async with sidekicks.open_core(sys.argv[1], sys.argv[2]) as core:
                channel = await core.channels.direct("ada")
                async with core.events.subscribe() as events:
                    await core.channels.send(channel.id, "hello")
                    async for event in events:
                        if getattr(event, "busy", True) is False:
                            break
                print((await core.channels.conversation(channel.id)).messages[-1].parts[0].text)

        asyncio.run(main())
        """
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, str(config), str(config.parent / "data")],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=60,
    )
    assert (ran.stdout, ran.stderr) == ("echo: hello\n", "")
