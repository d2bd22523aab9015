"""Agents that end by themselves."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from sidekicks.acp.errors import AgentGoneError
from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.process import Patience
from sidekicks.events import AgentLog, AgentStateChanged
from tests.agents import Clock, Setting, pid_in, prompt, scripted
from tests.processes import gone, is_running

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


@needs_signals
async def test_a_crash_is_shown_at_once_and_what_is_left_ends_behind_it(clock: Clock, tmp_path: Path) -> None:
    """Its child ignores SIGTERM; the next start waits until that is gone."""
    setting = Setting(clock, Patience(end_of_input=0.3, descendants=0.3, signal=0.4, last_words=0.2))
    setting.apply(scripted("ada", "child", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    child = int(setting.service.logs("ada")[0])
    lives: dict[str, bool] = {}
    setting.bus.listen(
        lambda event: (
            lives.setdefault(event.state, is_running(child)) if isinstance(event, AgentStateChanged) else None
        )
    )
    os.kill(pid_in(tmp_path / "pid"), signal.SIGKILL)
    await setting.until("ada", "error")
    assert lives == {"error": True}
    await setting.service.start("ada")
    assert lives["starting"] is False
    assert setting.states("ada") == ["starting", "ready", "error", "starting", "ready"]
    await setting.service.close()


@needs_signals
async def test_a_stop_after_a_crash_waits_for_what_is_left(setting: Setting, tmp_path: Path) -> None:
    setting.apply(scripted("ada", "child", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    child = int(setting.service.logs("ada")[0])
    os.kill(pid_in(tmp_path / "pid"), signal.SIGKILL)
    await setting.until("ada", "error")
    await setting.service.stop("ada")
    assert not is_running(child)
    assert setting.status("ada").state == "error"  # and its reason can still be read


@needs_signals
async def test_the_last_lines_before_a_crash_are_all_there(setting: Setting) -> None:
    """They are still to be read when the process is gone already, behind much else."""
    said = " ".join(f"!stderr(line {number})" for number in range(30))
    setting.apply(scripted("ada"))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, f"!flood-stderr(3000000) {said} !kill")
        reason = await setting.service.why_gone("ada")
    assert reason.splitlines()[1:] == [f"line {number}" for number in range(20, 30)]


@needs_signals
async def test_who_comes_right_after_a_crash_gets_a_new_one(setting: Setting) -> None:
    """The connection is gone, and it is not known yet what became of the process."""
    setting.apply(scripted("ada"))
    async with setting.service.use("ada") as client:
        with pytest.raises(AgentGoneError):
            await prompt(client, "!close-stdout")
    async with setting.service.use("ada") as client:
        assert await prompt(client, "hello") == "end_turn"
    assert setting.states("ada")[-5:] == ["error", "starting", "ready", "busy", "ready"]


@needs_signals
async def test_the_last_words_come_a_moment_after_the_end(clock: Clock) -> None:
    """A wrapper is gone, and the program that it had started says why only then."""
    setting = Setting(clock, Patience(end_of_input=0.3, descendants=0.3, signal=0.3, last_words=5))
    script = "(exec >&-; sleep 0.2; echo this is why >&2) & kill -9 $$"
    setting.apply(scripted("ada", command="/bin/sh", args=("-c", script)))
    with pytest.raises(AgentUnavailableError) as raised:
        await setting.service.start("ada")
    reason, *said = str(raised.value).splitlines()
    assert reason.startswith("it was ended by SIGKILL")
    assert said == ["this is why"]
    await setting.service.close()


# -- logs --------------------------------------------------------------------------------------------


@needs_signals
async def test_logs_outlive_a_crash_and_the_next_start(setting: Setting, tmp_path: Path) -> None:
    """Why it crashed is what one wants to read after one has started it again."""
    setting.apply(scripted("ada", "stderr=out of tokens", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    os.kill(pid_in(tmp_path / "pid"), signal.SIGTERM)
    await setting.until("ada", "error")
    assert setting.service.logs("ada") == ("out of tokens",)
    setting.apply(scripted("ada", "stderr=fine now", f"pidfile={tmp_path / 'pid'}"))
    await setting.service.start("ada")
    first, between, last = setting.service.logs("ada")
    assert (first, last) == ("out of tokens", "fine now")
    assert between.startswith("--- started again at 20")
    assert [event.line for event in setting.recorder.of(AgentLog)] == [first, between, last]
    since = len(setting.recorder.events)
    os.kill(pid_in(tmp_path / "pid"), signal.SIGTERM)
    event = await setting.recorder.until(AgentStateChanged, lambda e: e.state == "error", since=since)
    assert event.error == "it was ended by SIGTERM\nfine now"  # what the former run said is none of it
