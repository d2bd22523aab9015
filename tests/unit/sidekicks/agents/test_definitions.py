"""The configuration changes while agents run."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sidekicks.acp.errors import AgentFailureError
from sidekicks.events import AgentStateChanged
from tests.agents import Listener, Setting, pid_in, prompt, scripted
from tests.processes import is_running


async def test_a_changed_definition_is_outdated_until_a_restart(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    await setting.service.start("ada")
    setting.apply(scripted("ada", env={"A": "b"}))
    last = setting.recorder.of(AgentStateChanged)[-1]
    assert (last.state, last.outdated) == ("ready", True)
    setting.apply(scripted("ada"))
    assert not setting.status("ada").outdated
    setting.apply(scripted("ada", "banner"))
    await setting.service.restart("ada")
    assert not setting.status("ada").outdated


async def test_a_removed_agent_is_stopped_also_while_busy(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", f"pidfile={tmp_path / 'pid'}"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        prompting = asyncio.create_task(prompt(client, "!text(well) !silent", listener))
        await listener.said.wait()
        setting.apply(scripted("bob"))
        with pytest.raises(AgentFailureError):
            await prompting
        assert await setting.service.why_gone("ada") == "it was removed from the configuration"
    await setting.until("ada", "stopped")
    assert not is_running(pid_in(tmp_path / "pid"))
    assert [status.name for status in setting.service.list()] == ["bob"]


async def test_closing_waits_for_the_removed(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", "ignore-eof", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    setting.apply()
    await setting.service.close()
    assert not is_running(pid_in(tmp_path / "pid"))


async def test_an_agent_that_comes_back_while_it_is_stopped(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"))
    await setting.service.start("ada")
    setting.apply()
    setting.apply(scripted("ada"))
    await setting.until("ada", "stopped")
    await setting.service.start("ada")
    assert setting.states("ada") == ["starting", "ready", "stopped", "starting", "ready"]
