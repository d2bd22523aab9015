"""Stopping, restarting and closing: nothing of an agent is left, whatever it does."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from sidekicks.acp.errors import AgentGoneError
from sidekicks.agents.agent import AgentUnavailableError
from tests.agents import Listener, Setting, pid_in, prompt, scripted
from tests.processes import is_running

needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


@pytest.mark.parametrize("options", [("ignore-eof",), ("ignore-eof", "ignore-term")])
@needs_signals
async def test_the_deaf_are_ended(setting: Setting, tmp_path: Path, options: tuple[str, ...]) -> None:
    setting.apply(scripted("ada", *options, f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    await setting.service.stop("ada")
    assert not is_running(pid_in(tmp_path / "pid"))
    assert setting.status("ada").state == "stopped"


@needs_signals
async def test_what_it_started_ends_with_it(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        await prompt(client, "!child", listener)
    child = int(listener.text.split()[1])
    assert is_running(child)
    await setting.service.stop("ada")
    assert not is_running(child)


async def test_a_busy_agent_is_stopped(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        prompting = asyncio.create_task(prompt(client, "!text(well) !silent", listener))
        await listener.said.wait()
        await setting.service.stop("ada")
        with pytest.raises(AgentGoneError):
            await prompting
        assert await setting.service.why_gone("ada") == "it was stopped"
    assert setting.states("ada") == ["starting", "ready", "busy", "stopped"]


async def test_a_start_is_broken_off_by_a_stop(setting: Setting) -> None:
    setting.apply(scripted("ada", "never-answers", start_timeout=60))
    starting = asyncio.create_task(setting.service.start("ada"))
    await setting.until("ada", "starting")
    await setting.service.stop("ada")
    with pytest.raises(AgentUnavailableError, match="it was stopped while it started"):
        await starting
    assert setting.states("ada") == ["starting", "stopped"]
    assert setting.status("ada").error == ""


async def test_a_stop_right_after_a_start(setting: Setting) -> None:
    """The start has not even begun to spawn."""
    setting.apply(scripted("ada", "never-answers", start_timeout=60))
    results = await asyncio.gather(
        setting.service.start("ada"), setting.service.stop("ada"), return_exceptions=True
    )
    assert isinstance(results[0], AgentUnavailableError)
    assert setting.states("ada") == ["starting", "stopped"]


async def test_a_start_while_it_ends_waits_for_the_end(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"))
    await setting.service.start("ada")
    stopping = asyncio.create_task(setting.service.stop("ada"))
    await asyncio.sleep(0)
    await setting.service.start("ada")
    await stopping
    assert setting.states("ada") == ["starting", "ready", "stopped", "starting", "ready"]


async def test_stopping_what_does_not_run(setting: Setting) -> None:
    setting.apply(scripted("ada", "exit=1"))
    await setting.service.stop("ada")
    with pytest.raises(AgentUnavailableError):
        await setting.service.start("ada")
    await setting.service.stop("ada")
    assert setting.states("ada") == ["starting", "error"]


async def test_closing_breaks_off_a_start_and_refuses_others(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", "never-answers", f"pidfile={tmp_path / 'pid'}"), scripted("bob"))
    starting = asyncio.create_task(setting.service.start("ada"))
    await setting.until("ada", "starting")
    await setting.service.close()
    with pytest.raises(AgentUnavailableError):
        await starting
    with pytest.raises(AgentUnavailableError, match="closing"):
        await setting.service.start("bob")
    if (tmp_path / "pid").exists():
        assert not is_running(pid_in(tmp_path / "pid"))


async def test_a_restart(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    first = pid_in(tmp_path / "pid")
    await setting.service.restart("ada")
    assert pid_in(tmp_path / "pid") != first
    assert not is_running(first)
    assert setting.states("ada") == ["starting", "ready", "stopped", "starting", "ready"]
    setting.apply(scripted("bob"))
    await setting.service.restart("bob")
    assert setting.status("bob").state == "ready"
