"""The configuration changes while agents run."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sidekicks.acp.errors import AgentFailureError
from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.events import AgentStateChanged
from sidekicks.models import AgentDefinition
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


NEEDS_RESTART = {
    "command": {"command": "/bin/sh"},
    "args": {"args": ("x",)},
    "env": {"env": {"KEY": "value"}},
    "cwd": {"cwd": "/tmp"},
    "mcp_servers": {"mcp_servers": ({"name": "files", "command": "mcp", "args": [], "env": []},)},
    "protocol_log": {"protocol_log": True},
}
HOLDS_AT_ONCE = {
    "title": {"title": "The Countess"},
    "icon": {"icon": "A"},
    "description": {"description": "counts"},
    "permissions": {"permissions": "all-free"},
    "start_timeout": {"start_timeout": 90.0},
}


def test_every_field_is_one_or_the_other() -> None:
    assert {*NEEDS_RESTART, *HOLDS_AT_ONCE, "name"} == set(AgentDefinition.__struct_fields__)


@pytest.mark.parametrize("fields", NEEDS_RESTART.values(), ids=NEEDS_RESTART)
async def test_what_only_a_restart_applies(setting: Setting, fields: dict[str, object]) -> None:
    setting.apply(scripted("ada"))
    await setting.service.start("ada")
    setting.apply(scripted("ada", **fields))
    assert setting.status("ada").outdated


async def test_what_holds_at_once(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    await setting.service.start("ada")
    for fields in HOLDS_AT_ONCE.values():
        before = len(setting.recorder.of(AgentStateChanged))
        setting.apply(scripted("ada", **fields))
        assert not setting.status("ada").outdated
        assert len(setting.recorder.of(AgentStateChanged)) == before + 1  # its definition has changed
    setting.apply(scripted("ada", title="The Countess"))
    assert setting.status("ada").title == "The Countess"


async def test_a_definition_that_changes_while_it_starts(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", f"answers-when={tmp_path / 'gate'}"))
    starting = asyncio.create_task(setting.service.start("ada"))
    await setting.until("ada", "starting")
    setting.apply(scripted("ada"))
    assert setting.status("ada").outdated
    (tmp_path / "gate").touch()
    await starting
    assert setting.status("ada").outdated
    await setting.service.restart("ada")
    assert not setting.status("ada").outdated


@pytest.mark.parametrize("state", ["stopped", "error"])
async def test_what_does_not_run_is_never_outdated(setting: Setting, state: str) -> None:
    setting.apply(scripted("ada", "exit=3"))
    if state == "error":
        with pytest.raises(AgentUnavailableError):
            await setting.service.start("ada")
    setting.apply(scripted("ada", env={"A": "b"}))
    assert (setting.status("ada").state, setting.status("ada").outdated) == (state, False)


async def test_another_name_is_another_agent(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    setting.apply(scripted("eva", f"pidfile={tmp_path / 'pid'}"))
    assert [(status.name, status.state) for status in setting.service.list()] == [("eva", "stopped")]
    await setting.until("ada", "stopped")
    assert not is_running(pid_in(tmp_path / "pid"))


async def test_one_that_is_removed_and_added_while_it_is_busy(setting: Setting) -> None:
    """Whoever used it is told why its answer ended, though there is such an agent again."""
    setting.apply(scripted("ada", "ignore-eof"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        prompting = asyncio.create_task(prompt(client, "!text(well) !silent", listener))
        await listener.said.wait()
        setting.apply()
        setting.apply(scripted("ada"))
        with pytest.raises(AgentFailureError):
            await prompting
        assert await setting.service.why_gone("ada") == "it was removed from the configuration"
        await setting.service.start("ada")
    assert setting.states("ada") == ["starting", "ready", "busy", "stopped", "starting", "ready"]


async def test_one_that_comes_back_while_its_start_is_broken_off(setting: Setting) -> None:
    setting.apply(scripted("ada", "never-answers", "ignore-eof"))
    starting = asyncio.create_task(setting.service.start("ada"))
    await setting.until("ada", "starting")
    setting.apply()
    setting.apply(scripted("ada"))
    await asyncio.sleep(0)
    await setting.service.start("ada")
    with pytest.raises(AgentUnavailableError, match="it was removed from the configuration while it started"):
        await starting
    assert setting.states("ada") == ["starting", "stopped", "starting", "ready"]
