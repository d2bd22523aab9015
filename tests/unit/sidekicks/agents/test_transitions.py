"""What happens to an agent in each of its states: real processes, and each row of the reference's table."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import get_args

import pytest

from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.service import LOOK_EVERY
from sidekicks.events import AgentLog
from sidekicks.models import AgentState
from tests.agents import Clock, Setting, pid_in, scripted
from tests.processes import gone, is_running

needs_signals = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")


class Case:
    """The agent ada in one of its states, and what can be done to it."""

    def __init__(self, setting: Setting, folder: Path) -> None:
        self.setting = setting
        self.service = setting.service
        self.pid, self.gate = folder / "pid", folder / "gate"
        self.options = (f"pidfile={self.pid}", f"answers-when={self.gate}", "stderr=up")
        self.state: AgentState = "stopped"
        self.starting: asyncio.Task[None] | None = None
        self.held = AsyncExitStack()

    async def bring_to(self, state: AgentState) -> None:
        if state == "error":
            self.setting.apply(scripted("ada", "exit=3"))
            with pytest.raises(AgentUnavailableError):
                await self.service.start("ada")
        self.setting.apply(scripted("ada", *self.options))
        if state == "starting":
            self.starting = asyncio.create_task(self.service.start("ada"))
            await self.setting.recorder.until(AgentLog)
        else:
            self.gate.touch()
        if state in ("ready", "busy"):
            await self.service.start("ada")
        if state == "busy":
            await self.held.enter_async_context(self.service.use("ada"))
        assert self.setting.status("ada").state == state
        self.state = state

    def told(self) -> tuple[str, ...]:
        """The states that it was told to have since then."""
        states = self.setting.states("ada")
        begun = {"stopped": 0, "starting": 1, "ready": 2, "busy": 3, "error": 2}[self.state]
        told = tuple(states[begun:])
        return told[1:] if told[:1] == ("stopped",) and self.state == "stopped" else told

    async def let_go(self) -> None:
        """Whoever used it or waited for its start goes on."""
        await self.held.aclose()
        if self.starting is not None:
            await asyncio.gather(self.starting, return_exceptions=True)

    async def start(self) -> None:
        await self.service.start("ada")

    async def stop(self) -> None:
        await self.service.stop("ada")

    async def restart(self) -> None:
        await self.service.restart("ada")

    async def use(self) -> None:
        async with self.service.use("ada"):
            assert self.setting.status("ada").state == "busy"

    async def changed(self) -> None:
        self.setting.apply(scripted("ada", *self.options, env={"A": "b"}))
        status = self.setting.status("ada")
        assert status.outdated == (status.state in ("starting", "ready", "busy"))

    async def removed(self) -> None:
        was_running = self.setting.status("ada").state in ("starting", "ready", "busy")
        self.setting.apply(scripted("bob"))
        assert [status.name for status in self.service.list()] == ["bob"]
        if was_running:
            await self.setting.until("ada", "stopped")

    async def added(self) -> None:
        self.setting.apply(scripted("bob"), scripted("ada", *self.options))
        assert [status.name for status in self.service.list()] == ["bob", "ada"]

    async def closing(self) -> None:
        await self.service.close()

    async def exit(self) -> None:
        os.kill(pid_in(self.pid), signal.SIGKILL)
        await self.setting.until("ada", "error")


# What is told after each; `-`: nothing, `.`: it can't happen. A start that is under way goes on meanwhile.
TABLE = """
          stopped                   starting                ready                  busy                   error
start     starting,ready            ready                   -                      -                      starting,ready
stop      -                         stopped                 stopped                stopped                -
restart   starting,ready            stopped,starting,ready  stopped,starting,ready stopped,starting,ready starting,ready
use       starting,ready,busy,ready ready,busy,ready        busy,ready             -                      starting,ready,busy,ready
changed   -                         ready                   -                      -                      -
removed   -                         stopped                 stopped                stopped                -
added     -                         ready                   -                      -                      -
closing   -                         stopped                 stopped                stopped                -
exit      .                         error                   error                  error                  .
"""  # noqa: E501 - a table is read in columns
STATES, *ROWS = [line.split() for line in TABLE.strip().splitlines()]
PAIRS = [
    (state, row[0], () if told == "-" else tuple(told.split(",")))
    for row in ROWS
    for state, told in zip(STATES, row[1:], strict=True)
    if told != "."
]


def test_every_state_has_a_column() -> None:
    assert set(STATES) == set(get_args(AgentState))


@needs_signals
@pytest.mark.parametrize(("state", "action", "told"), PAIRS)
async def test_what_it_does(
    setting: Setting, tmp_path: Path, state: AgentState, action: str, told: tuple[str, ...]
) -> None:
    case = Case(setting, tmp_path)
    await case.bring_to(state)
    doing: Callable[[], Awaitable[None]] = getattr(case, action)
    done = asyncio.ensure_future(doing())
    await asyncio.sleep(0)
    if told[-1:] == ("ready",):
        case.gate.touch()
    await done
    await case.let_go()
    went_on = ("ready",) if state == "busy" and not told else ()  # who used it until now is done
    assert case.told() == told + went_on
    await setting.service.close()
    if case.pid.exists():
        assert not is_running(pid_in(case.pid))


# -- each row of the reference's table ---------------------------------------------------------------


@pytest.mark.parametrize("state", ["stopped", "error"])
async def test_stopped_or_error_start_asked_or_first_use_starting(setting: Setting, state: str) -> None:
    setting.apply(scripted("ada", "exit=1"))
    if state == "error":
        with pytest.raises(AgentUnavailableError):
            await setting.service.start("ada")
    setting.apply(scripted("ada"))
    await setting.service.start("ada")
    await setting.service.stop("ada")
    async with setting.service.use("ada"):
        pass
    assert setting.states("ada")[-7:] == [
        *("starting", "ready", "stopped"),
        *("starting", "ready", "busy", "ready"),
    ]


async def test_starting_handshake_succeeded_ready(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    await setting.service.start("ada")
    assert setting.states("ada") == ["starting", "ready"]


@pytest.mark.parametrize("how", ["exit=1", "protocol=2", "never-answers"])
async def test_starting_handshake_failed_other_protocol_or_too_late_error(setting: Setting, how: str) -> None:
    setting.apply(scripted("ada", how, start_timeout=0.5 if how == "never-answers" else 30))
    with pytest.raises(AgentUnavailableError):
        await setting.service.start("ada")
    assert setting.states("ada") == ["starting", "error"]
    assert setting.status("ada").error


def test_the_time_for_a_start_is_30_s() -> None:
    assert scripted("ada").start_timeout == 30


async def test_ready_used_busy_and_busy_last_user_done_ready(setting: Setting) -> None:
    setting.apply(scripted("ada"))
    async with setting.service.use("ada"):
        async with setting.service.use("ada"):
            assert setting.status("ada").state == "busy"
        assert setting.status("ada").state == "busy"
    assert setting.states("ada") == ["starting", "ready", "busy", "ready"]


async def test_ready_unused_for_the_limit_stopped_looked_at_every_30_s(clock: Clock) -> None:
    """The clock and the pauses between two looks are the test's: 10 minutes pass at once."""
    pauses: list[float] = []
    stopped = asyncio.Event()

    async def sleep(seconds: float) -> None:
        if setting.status("ada").state == "stopped":
            stopped.set()
            await asyncio.Event().wait()
        pauses.append(seconds)
        clock.now += seconds
        await asyncio.sleep(0)

    setting = Setting(clock, sleep=sleep)
    setting.apply(scripted("ada"), idle=600)
    await setting.service.start("ada")
    setting.service.watch()
    async with asyncio.timeout(10):
        await stopped.wait()
    assert pauses == [LOOK_EVERY] * 20
    assert LOOK_EVERY == 30
    await setting.service.close()
    assert setting.states("ada") == ["starting", "ready", "stopped"]


async def test_ready_another_must_start_and_it_is_the_least_recently_used_stopped(
    setting: Setting, clock: Clock
) -> None:
    setting.apply(*(scripted(name) for name in ("ada", "bob", "cid")), limit=2)
    for name in ("ada", "bob"):
        clock.now += 1
        await setting.service.start(name)
    await setting.service.start("cid")
    assert [status.state for status in setting.service.list()] == ["stopped", "ready", "ready"]


@needs_signals
@pytest.mark.parametrize("state", ["ready", "busy"])
async def test_ready_or_busy_process_ends_by_itself_error_never_restarted_by_itself(
    setting: Setting, tmp_path: Path, state: AgentState
) -> None:
    case = Case(setting, tmp_path)
    await case.bring_to(state)
    await case.exit()
    await case.let_go()
    await gone(pid_in(case.pid))
    await setting.service.stop_idle()
    assert case.told() == ("error",)
    assert setting.status("ada").state == "error"


async def test_starting_stop_asked_stopped_when_the_start_is_over(setting: Setting, tmp_path: Path) -> None:
    case = Case(setting, tmp_path)
    await case.bring_to("starting")
    await case.stop()
    assert not is_running(pid_in(case.pid))
    assert setting.states("ada") == ["starting", "stopped"]
    await case.let_go()
