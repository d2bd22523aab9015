"""Stopping, restarting and closing: nothing of an agent is left, whatever it does."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from pathlib import Path

import pytest

from sidekicks.acp.errors import AgentGoneError
from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.process import PATIENCE, Patience
from sidekicks.events import AgentLog
from tests.agents import QUICK, Clock, Listener, Setting, pid_in, prompt, scripted
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


# -- every kind of agent, stopped --------------------------------------------------------------------

STUBBORN = ("ignore-eof", "ignore-term", "child", "daemon", "stdout-closed")
"""What an agent may do at once; `daemon`: its child has left its process group."""


@needs_signals
async def test_every_combination_of_stubborn_agents_is_ended(clock: Clock, tmp_path: Path) -> None:
    """32 agents, all ended at once, in the time that one takes."""
    combinations = [
        [option for at, option in enumerate(STUBBORN) if number & 1 << at]
        for number in range(2 ** len(STUBBORN))
    ]
    setting = Setting(clock, Patience(end_of_input=1.5, descendants=0.3, signal=1.5, last_words=0.1))
    agents = [
        scripted(f"a{number}", *options, f"pidfile={tmp_path / str(number)}", start_timeout=60)
        for number, options in enumerate(combinations)
    ]
    setting.apply(*agents, limit=64)
    await asyncio.gather(*(setting.service.start(agent.name) for agent in agents), return_exceptions=True)
    descendants = {
        number: [int(line) for line in setting.service.logs(f"a{number}") if line.isdigit()]
        for number in range(len(combinations))
    }
    loop = asyncio.get_running_loop()
    before = loop.time()
    await setting.service.close()
    # One after the other they would take some 100 s.
    assert loop.time() - before < 40
    for number, options in enumerate(combinations):
        pids = descendants[number]
        assert len(pids) == ("child" in options) + ("daemon" in options)
        assert not is_running(pid_in(tmp_path / str(number)))
        if "child" in options:
            assert not is_running(pids[0])
        if "daemon" in options and "ignore-eof" in options:
            assert not is_running(pids[-1])
        elif "daemon" in options:  # left on purpose by an agent that ended when it was asked to
            assert is_running(pids[-1])
            os.kill(pids[-1], signal.SIGKILL)


# -- closing -----------------------------------------------------------------------------------------


async def stages(setting: Setting, folder: Path, *options: str) -> list[asyncio.Task[None]]:
    """An agent in each stage of its life, none of which minds the end of its input or SIGTERM."""
    stubborn = ("ignore-eof", "ignore-term", *options)
    names = ("stopped", "starting", "ready", "busy", "prompted", "ending", "failed")
    agents = {name: scripted(name, *stubborn, f"pidfile={folder / name}", start_timeout=60) for name in names}
    agents["starting"] = scripted(
        "starting", *stubborn, "never-answers", "stderr=up", f"pidfile={folder / 'starting'}"
    )
    setting.apply(*agents.values(), scripted("error", "exit=1"), limit=64)
    working: list[asyncio.Task[None]] = []

    async def use(name: str, text: str = "") -> None:
        async with setting.service.use(name) as client:
            if text:
                await prompt(client, text)
            await asyncio.Event().wait()

    working.append(asyncio.create_task(setting.service.start("starting")))
    working.append(asyncio.create_task(use("busy")))
    working.append(asyncio.create_task(use("prompted", "!silent")))
    working.append(asyncio.create_task(use("failed", "!close-stdout")))
    await asyncio.gather(*(setting.service.start(name) for name in ("ready", "ending")))
    for name in ("busy", "prompted"):
        await setting.until(name, "busy")
    await setting.until("failed", "error")
    await setting.recorder.until(AgentLog, lambda event: event.agent == "starting")
    with pytest.raises(AgentUnavailableError):
        await setting.service.start("error")
    working.append(asyncio.create_task(setting.service.stop("ending")))
    await asyncio.sleep(0)
    return working


@needs_signals
@pytest.mark.parametrize("cancelled", [False, True], ids=["awaited", "cancelled"])
async def test_closing_ends_agents_in_every_stage_at_once(
    clock: Clock, tmp_path: Path, cancelled: bool
) -> None:
    setting = Setting(clock, QUICK)
    working = await stages(setting, tmp_path)
    loop = asyncio.get_running_loop()
    before = loop.time()
    closing = asyncio.create_task(setting.service.close())
    if cancelled:
        await asyncio.sleep(0)
        closing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await closing
    else:
        await closing
    ladder = QUICK.end_of_input + QUICK.signal + QUICK.last_words
    assert loop.time() - before < ladder + 2
    assert not any(is_running(pid_in(file)) for file in tmp_path.iterdir())
    assert {status.state for status in setting.service.list()} == {"stopped", "error"}
    for task in working:
        task.cancel()
    await asyncio.gather(*working, return_exceptions=True)
    await setting.service.close()  # once more does no harm
    assert asyncio.all_tasks() == {asyncio.current_task()}


def test_closing_takes_9_seconds_at_most() -> None:
    """What it takes for an agent that ignores everything: there is one ladder, for all of them at once."""
    assert PATIENCE.end_of_input == 5
    assert PATIENCE.end_of_input + PATIENCE.signal + PATIENCE.last_words < 9


# -- several at once ---------------------------------------------------------------------------------


async def test_stops_starts_and_restarts_all_at_once(setting: Setting) -> None:
    """Whatever wins, the table holds (else an exception would tell) and the last word is obeyed."""
    chance = random.Random(3)
    setting.apply(scripted("ada"), scripted("bob", "ignore-eof"))
    service = setting.service
    calls = [
        chance.choice([service.start, service.stop, service.restart])(chance.choice(["ada", "bob"]))
        for _ in range(40)
    ]
    results = await asyncio.gather(*calls, return_exceptions=True)
    assert all(result is None or isinstance(result, AgentUnavailableError) for result in results)
    await asyncio.gather(service.stop("ada"), service.stop("bob"))
    assert [status.state for status in service.list()] == ["stopped", "stopped"]
    await asyncio.gather(service.start("ada"), service.start("bob"))
    assert [status.state for status in service.list()] == ["ready", "ready"]


async def test_a_stop_during_a_restart_wins(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"))
    await setting.service.start("ada")
    restarting = asyncio.create_task(setting.service.restart("ada"))
    await asyncio.sleep(0)
    await setting.service.stop("ada")
    await asyncio.gather(restarting, return_exceptions=True)
    assert setting.status("ada").state == "stopped"


async def test_a_restart_tells_who_uses_it_that_it_was_one(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    listener = Listener()
    async with setting.service.use("ada") as client:
        prompting = asyncio.create_task(prompt(client, "!text(well) !silent", listener))
        await listener.said.wait()
        restarting = asyncio.create_task(setting.service.restart("ada"))
        with pytest.raises(AgentGoneError):
            await prompting
        assert await setting.service.why_gone("ada") == "it was restarted"
        await restarting
    assert setting.status("ada").state == "ready"


@needs_signals
async def test_one_that_reads_nothing_is_stopped_in_the_time_of_any_other(clock: Clock) -> None:
    """What is still to be written to it is megabytes, and it will never take them."""
    setting = Setting(clock, QUICK)
    reads_once = "import sys, time; sys.stdin.readline(); print('{}', flush=True); time.sleep(600)".format(
        '{"jsonrpc": "2.0", "id": 1, "result": {"protocolVersion": 1}}'
    )
    setting.apply(scripted("ada", args=("-c", reads_once)))
    async with setting.service.use("ada") as client:
        session = asyncio.create_task(client.new_session("x" * 4_000_000, (), Listener()))
        await asyncio.sleep(0)
        loop = asyncio.get_running_loop()
        before = loop.time()
        await setting.service.close()
        assert loop.time() - before < QUICK.end_of_input + QUICK.signal + 0.8
        with pytest.raises(AgentGoneError):
            await session
