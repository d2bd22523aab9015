"""Agents that end by themselves."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from sidekicks.acp.errors import AgentGoneError
from tests.agents import Setting, pid_in, prompt, scripted
from tests.processes import gone

needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


async def test_an_idle_agent_dies(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", "stderr=it was me", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    os.kill(pid_in(tmp_path / "pid"), signal.SIGTERM)
    event = await setting.until("ada", "error")
    assert event.error == "it was ended by SIGTERM\nit was me"
    assert setting.states("ada") == ["starting", "ready", "error"]


@pytest.mark.parametrize(
    ("directive", "says"),
    [
        ("!die(3)", "it ended with exit code 3"),
        ("!kill", "it was ended by SIGKILL (perhaps the machine ran out of memory)"),
        ("!close-stdout", "it closed its output"),
        ("!child !kill", "it was ended by SIGKILL"),
    ],
)
@needs_signals
async def test_a_busy_agent_dies(setting: Setting, directive: str, says: str) -> None:
    setting.apply(scripted("ada"))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, f"!stderr(oh no) {directive}")
        reason = await setting.service.why_gone("ada")
    assert reason.splitlines()[0].startswith(says)
    event = await setting.until("ada", "error")
    assert event.error.splitlines()[0].startswith(says)
    assert event.error.splitlines()[1:] == ["oh no"]
    assert setting.states("ada") == ["starting", "ready", "busy", "error"]
    await setting.service.start("ada")  # by hand, never by itself
    assert setting.status("ada").state == "ready"


@needs_signals
async def test_a_child_that_holds_the_output_does_not_hide_the_death(
    setting: Setting, tmp_path: Path
) -> None:
    holder = (
        "import os, subprocess, sys, runpy;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'], stdin=-3);"
        f"open({str(tmp_path / 'child')!r}, 'w').write(str(child.pid));"
        "sys.argv = sys.argv[1:]; runpy.run_path(sys.argv[0], run_name='__main__')"
    )
    plain = scripted("ada")
    setting.apply(scripted("ada", args=("-c", holder, *plain.args)))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, "!kill")
    await setting.until("ada", "error")
    await gone(pid_in(tmp_path / "child"))


async def test_a_stop_in_the_middle_of_a_crash(setting: Setting) -> None:
    """The process is gone, its end is still being looked at."""
    setting.apply(scripted("ada"))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, "!close-stdout")
        await asyncio.gather(setting.service.stop("ada"), setting.service.stop("ada"))
    assert setting.states("ada") == ["starting", "ready", "busy", "stopped"]


async def test_a_stop_while_a_crash_is_cleaned_up(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, "!close-stdout")
        await setting.service.why_gone("ada")
        await setting.service.stop("ada")
    assert setting.states("ada")[-1] in ("error", "stopped")
    await setting.service.start("ada")
    assert setting.status("ada").state == "ready"
