"""Agents as real processes: starting, failing, limits, stopping."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import pytest

from sidekicks.acp.errors import AgentFailureError
from sidekicks.agents.process import Patience
from sidekicks.events import AgentLog, AgentStateChanged, Event
from sidekicks.models import Limits
from tests.core_parts import Clock, Parts, number_in, parts, scripted, text_of
from tests.processes import gone, is_running


def states(found: Parts, name: str) -> list[str]:
    return [
        event.state
        for event in found.events.all
        if isinstance(event, AgentStateChanged) and event.agent == name
    ]


async def test_start_use_stop() -> None:
    async with parts(scripted("ada")) as found:
        assert found.agent("ada").state == "stopped"
        await found.agents.start("ada")
        async with found.agents.use("ada"), found.agents.use("ada"):
            assert found.agent("ada").state == "busy"
        assert found.agent("ada").state == "ready"
        await found.agents.stop("ada")
        await found.agents.stop("ada")
        assert states(found, "ada") == ["starting", "ready", "busy", "ready", "stopped"]


async def test_first_use_starts() -> None:
    async with parts(scripted("ada")) as found, found.agents.use("ada"):
        assert found.agent("ada").state == "busy"


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["stderr=no model found", "exit=3"], "ended with exit code 3 before it answered\nno model found"),
        (["protocol=2"], "it speaks version 2 of the Agent Client Protocol, Sidekicks speaks version 1"),
        (["never-answers", "stderr=loading"], "it did not answer within 0.5 s\nloading"),
    ],
)
async def test_a_failed_start_says_why_with_the_last_lines(options: list[str], reason: str) -> None:
    timeout = 0.5 if "never-answers" in options else 30.0
    async with parts(scripted("ada", *options, start_timeout=timeout)) as found:
        with pytest.raises(AgentFailureError, match=reason.splitlines()[0]):
            await found.agents.start("ada")
        assert found.agent("ada").state == "error"
        assert found.agent("ada").error.endswith(reason)


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"command": "/nowhere/agent"}, "the program /nowhere/agent was not found"),
        ({"command": __file__}, "may not be run"),
        ({"cwd": "/nowhere"}, "its folder /nowhere does not exist"),
    ],
)
async def test_a_program_that_cannot_run(fields: dict[str, object], reason: str) -> None:
    async with parts(scripted("ada", **fields)) as found:
        with pytest.raises(AgentFailureError, match=reason):
            await found.agents.start("ada")
        assert found.agent("ada").state == "error"


async def test_text_on_stdout_is_logged_and_a_restart_recovers() -> None:
    async with parts(scripted("ada", "banner")) as found:
        await found.agents.start("ada")
        assert any("Welcome to the agent!" in line for line in found.agents.logs("ada"))
        await found.agents.restart("ada")
        assert found.agent("ada").state == "ready"


async def test_stderr_is_told_and_kept(tmp_path: Path) -> None:
    async with parts(scripted("ada", "stderr=hello there")) as found:
        await found.agents.start("ada")
        await found.events.until(lambda event: event == AgentLog(agent="ada", line="hello there"))
        assert found.agents.logs("ada") == ("hello there",)


async def test_a_crash_is_an_error_and_nothing_starts_by_itself(tmp_path: Path) -> None:
    pidfile = tmp_path / "pid"
    async with parts(scripted("ada", f"pidfile={pidfile}")) as found:
        await found.agents.start("ada")
        os.kill(int(pidfile.read_text()), 9)
        await found.events.until(
            lambda event: isinstance(event, AgentStateChanged) and event.state == "error"
        )
        assert "was ended by SIGKILL" in found.agent("ada").error
        await found.agents.start("ada")
        assert states(found, "ada") == ["starting", "ready", "error", "starting", "ready"]


async def test_a_crash_is_known_before_what_it_started_has_ended() -> None:
    patience = Patience(end_of_input=30, descendants=30, signal=30)
    async with parts(scripted("ada"), patience=patience) as found:
        channel = await found.channels.direct("ada")
        answer = (await found.say(channel.id, "!child !die(4)"))[-1]
        assert "ended with exit code 4" in answer.error
        child = number_in(text_of(answer))
        assert is_running(child)
        os.kill(child, 9)
        await gone(child)


async def test_the_least_recently_used_idle_agent_makes_room() -> None:
    clock = Clock()
    limits = Limits(max_running_agents=2)
    async with parts(*map(scripted, ("ada", "bob", "cy")), limits=limits, clock=clock) as found:
        for name in ("ada", "bob", "ada"):
            clock.now += 1
            async with found.agents.use(name):
                pass
        await found.agents.start("cy")
        assert [status.state for status in found.agents.list()] == ["ready", "stopped", "ready"]


async def test_when_all_are_busy_a_start_is_refused() -> None:
    limits = Limits(max_running_agents=2)
    async with parts(*map(scripted, ("ada", "bob", "cy")), limits=limits) as found:
        async with found.agents.use("ada"), found.agents.use("bob"):
            with pytest.raises(AgentFailureError) as refused:
                await found.agents.start("cy")
        assert str(refused.value) == ("too many agents running: 2 agent(s) busy (ada, bob), the limit is 2")
        assert found.agent("cy").state == "stopped"


async def test_starts_at_once_stay_within_the_limit() -> None:
    limits = Limits(max_running_agents=2)
    names = ("ada", "bob", "cy", "dee")
    async with parts(*map(scripted, names), limits=limits) as found:
        results = await asyncio.gather(*map(found.agents.start, names), return_exceptions=True)
        assert sum(result is None for result in results) >= 2
        assert sum(status.state == "ready" for status in found.agents.list()) <= 2


async def test_idle_agents_are_stopped_busy_ones_are_not() -> None:
    clock = Clock()
    limits = Limits(stop_idle_agents_after=600)
    async with parts(scripted("ada"), scripted("bob"), limits=limits, clock=clock) as found:
        await found.agents.start("ada")
        async with found.agents.use("bob"):
            clock.now = 599
            await found.agents.stop_idle()
            assert found.agent("ada").state == "ready"
            clock.now = 600
            await found.agents.stop_idle()
            assert found.agent("ada").state == "stopped"
            assert found.agent("bob").state == "busy"


async def test_zero_means_never_idle() -> None:
    clock = Clock()
    async with parts(scripted("ada"), limits=Limits(stop_idle_agents_after=0), clock=clock) as found:
        await found.agents.start("ada")
        clock.now = 1e9
        await found.agents.stop_idle()
        assert found.agent("ada").state == "ready"


async def test_a_changed_definition_waits_for_a_restart() -> None:
    former = scripted("ada")
    changed = scripted("ada", "commands")
    async with parts(former) as found:
        await found.agents.start("ada")
        found.agents.apply([changed], Limits())
        assert found.agent("ada").outdated
        assert isinstance(found.events.all[-1], AgentStateChanged)
        assert found.events.all[-1].outdated
        await found.agents.restart("ada")
        assert not found.agent("ada").outdated
        assert found.agents.definition("ada") == changed


async def test_a_removed_agent_is_stopped_also_when_the_app_closes_at_once(tmp_path: Path) -> None:
    pidfile = tmp_path / "pid"
    removed = scripted("ada", f"pidfile={pidfile}", "ignore-eof", "ignore-term")
    async with parts(removed, scripted("bob")) as found:
        await found.agents.start("ada")
        found.agents.apply([scripted("bob")], Limits())
        assert [status.name for status in found.agents.list()] == ["bob"]
        with pytest.raises(AgentFailureError, match="no agent named ada"):
            await found.agents.start("ada")
    assert not is_running(int(pidfile.read_text()))


async def test_a_stop_ends_a_start_that_hangs() -> None:
    def starting(event: Event) -> bool:
        return isinstance(event, AgentStateChanged) and event.state == "starting"

    async with parts(scripted("ada", "never-answers", start_timeout=600)) as found:
        start = asyncio.create_task(found.agents.start("ada"))
        await found.events.until(starting)
        async with asyncio.timeout(10):
            await found.agents.stop("ada")
        with pytest.raises(AgentFailureError, match="stopped while it started"):
            await start
        assert states(found, "ada") == ["starting", "stopped"]


async def test_closing_does_not_wait_for_a_start_that_hangs() -> None:
    async with asyncio.timeout(10):
        async with parts(scripted("ada", "never-answers", start_timeout=600)) as found:
            start = asyncio.create_task(found.agents.start("ada"))
            await found.events.until(lambda event: isinstance(event, AgentStateChanged))
        await asyncio.wait([start])
        assert isinstance(start.exception(), AgentFailureError)


async def test_what_an_agent_gets(tmp_path: Path) -> None:
    definition = scripted("ada", env={"COLOUR": "red"}, cwd=str(tmp_path))
    async with parts(definition) as found:
        channel = await found.channels.direct("ada")
        answer = await found.say(channel.id, "!env(COLOUR) !text( ) !cwd")
        assert text_of(answer[-1]) == f"red {tmp_path}"
