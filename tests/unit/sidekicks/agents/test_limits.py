"""How many agents run at once, and which of them are stopped when nobody uses them."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.events import AgentStateChanged
from tests.agents import Clock, Setting, prompt, scripted


async def test_the_least_recently_used_makes_room(setting: Setting, clock: Clock) -> None:
    setting.apply(*(scripted(name) for name in ("ada", "bob", "cid")), limit=2)
    for name in ("ada", "bob", "ada"):
        clock.now += 1
        async with setting.service.use(name):
            pass
    await setting.service.start("cid")
    assert {status.name: status.state for status in setting.service.list()} == {
        "ada": "ready",
        "bob": "stopped",
        "cid": "ready",
    }


async def test_when_all_are_busy_a_start_is_refused(setting: Setting) -> None:
    setting.apply(*(scripted(name) for name in ("ada", "bob", "cid")), limit=2)
    async with setting.service.use("ada"), setting.service.use("bob"):
        with pytest.raises(AgentUnavailableError) as raised:
            await setting.service.start("cid")
        await setting.service.start("ada")  # it has its place
    assert str(raised.value) == "too many agents running: 2 agent(s) busy (ada, bob), the limit is 2"
    assert setting.status("cid").state == "stopped"
    await setting.service.start("cid")


async def test_many_starts_at_once_stay_within_the_limit(setting: Setting) -> None:
    names = [f"a{number}" for number in range(5)]
    setting.apply(*(scripted(name) for name in names), limit=2)
    most = 0

    def count(_: object) -> None:
        nonlocal most
        running = [status for status in setting.service.list() if status.state != "stopped"]
        most = max(most, len(running))

    setting.bus.listen(count)
    results = await asyncio.gather(*(setting.service.start(name) for name in names), return_exceptions=True)
    assert most == 2
    refused = [result for result in results if result is not None]
    assert all("the limit is 2" in str(error) for error in refused)


async def test_a_restart_does_not_jump_over_the_limit(setting: Setting) -> None:
    """While ada ends, bob takes the only place; ada's start has to make room like any other."""
    setting.apply(scripted("ada", "ignore-eof"), scripted("bob"), limit=1)
    await setting.service.start("ada")
    most = 0

    def count(_: object) -> None:
        nonlocal most
        most = max(most, sum(status.state != "stopped" for status in setting.service.list()))

    setting.bus.listen(count)
    await asyncio.gather(setting.service.restart("ada"), setting.service.start("bob"), return_exceptions=True)
    assert most == 1


async def test_who_is_about_to_use_an_agent_gets_it(setting: Setting) -> None:
    """The other start comes while ada has just become ready and nobody has begun to use it."""
    setting.apply(scripted("ada"), scripted("bob"), limit=1)

    async def use(name: str) -> str:
        async with setting.service.use(name) as client:
            return await prompt(client, "hi")

    results = await asyncio.gather(use("ada"), use("bob"), return_exceptions=True)
    assert results[0] == "end_turn"
    assert "the limit is 1" in str(results[1])


async def test_unused_agents_are_stopped(setting: Setting, clock: Clock) -> None:
    setting.apply(*(scripted(name) for name in ("ada", "bob", "cid")), idle=600)
    for name in ("ada", "bob", "cid"):
        await setting.service.start(name)
    clock.now += 599
    await setting.service.stop_idle()
    async with setting.service.use("bob"):
        clock.now += 1
        async with setting.service.use("cid"):
            pass
        await setting.service.stop_idle()
    assert [status.state for status in setting.service.list()] == ["stopped", "ready", "ready"]
    clock.now += 599
    await setting.service.stop_idle()
    assert [status.state for status in setting.service.list()] == ["stopped", "ready", "ready"]
    clock.now += 1
    await setting.service.stop_idle()
    assert [status.state for status in setting.service.list()] == ["stopped"] * 3


async def test_zero_means_never(setting: Setting, clock: Clock) -> None:
    setting.apply(scripted("ada"), idle=0)
    await setting.service.start("ada")
    clock.now += 1e9
    await setting.service.stop_idle()
    assert setting.status("ada").state == "ready"


# -- the limit changes while they run ----------------------------------------------------------------


def running(setting: Setting) -> list[str]:
    return [status.name for status in setting.service.list() if status.state not in ("stopped", "error")]


async def test_a_lower_limit_stops_the_idle_the_least_recently_used_first(
    setting: Setting, clock: Clock
) -> None:
    agents = [scripted(name) for name in ("ada", "bob", "cid")]
    setting.apply(*agents, limit=3)
    for name in ("bob", "cid", "ada"):
        clock.now += 1
        await setting.service.start(name)
    setting.apply(*agents, limit=1)
    await setting.until("bob", "stopped")
    await setting.until("cid", "stopped")
    assert running(setting) == ["ada"]


async def test_a_lower_limit_stops_a_busy_agent_when_it_is_done(setting: Setting) -> None:
    agents = [scripted(name) for name in ("ada", "bob")]
    setting.apply(*agents, limit=2)
    async with setting.service.use("ada") as ada:
        async with setting.service.use("bob") as bob:
            setting.apply(*agents, limit=1)
            assert await prompt(ada, "hi") == await prompt(bob, "hi") == "end_turn"
        await setting.until("bob", "stopped")
        assert await prompt(ada, "hi") == "end_turn"
    assert setting.states("ada") == ["starting", "ready", "busy", "ready"]


async def test_a_lower_limit_while_one_starts(setting: Setting, clock: Clock, tmp_path: Path) -> None:
    agents = [scripted("ada"), scripted("bob", f"answers-when={tmp_path / 'gate'}")]
    setting.apply(*agents, limit=2)
    await setting.service.start("ada")
    clock.now += 1
    starting = asyncio.create_task(setting.service.start("bob"))
    await setting.until("bob", "starting")
    setting.apply(*agents, limit=1)
    await setting.until("ada", "stopped")
    (tmp_path / "gate").touch()
    await starting
    assert running(setting) == ["bob"]


async def test_a_higher_limit_lets_one_more_start(setting: Setting) -> None:
    agents = [scripted(name) for name in ("ada", "bob")]
    setting.apply(*agents, limit=1)
    async with setting.service.use("ada"):
        with pytest.raises(AgentUnavailableError, match="the limit is 1"):
            await setting.service.start("bob")
        setting.apply(*agents, limit=2)
        await setting.service.start("bob")
    assert running(setting) == ["ada", "bob"]


async def test_a_shorter_idle_time_counts_from_the_last_use(setting: Setting, clock: Clock) -> None:
    setting.apply(scripted("ada"), idle=600)
    await setting.service.start("ada")
    clock.now += 60
    setting.apply(scripted("ada"), idle=30)
    await setting.service.stop_idle()
    assert running(setting) == []


# -- several want the same place ---------------------------------------------------------------------


async def test_who_asked_first_gets_the_place(setting: Setting) -> None:
    """The place is freed only after a while; the others are told that it is taken."""
    setting.apply(scripted("ada", "ignore-eof"), *(scripted(name) for name in ("bob", "cid")), limit=1)
    await setting.service.start("ada")
    results = await asyncio.gather(
        setting.service.start("bob"), setting.service.start("cid"), return_exceptions=True
    )
    assert results[0] is None
    assert str(results[1]) == "too many agents running: 1 agent(s) busy (bob), the limit is 1"
    assert running(setting) == ["bob"]


async def test_a_stop_calls_off_a_start_that_waits_for_a_place(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"), scripted("bob"), limit=1)
    await setting.service.start("ada")
    starting = asyncio.create_task(setting.service.start("bob"))
    await asyncio.sleep(0)
    await setting.service.stop("bob")
    with pytest.raises(AgentUnavailableError, match="it was stopped before it started"):
        await starting
    assert setting.states("bob") == []


async def test_a_removed_agent_that_waits_for_a_place_does_not_start(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"), scripted("bob"), limit=1)
    await setting.service.start("ada")
    starting = asyncio.create_task(setting.service.start("bob"))
    await asyncio.sleep(0)
    setting.apply(scripted("ada", "ignore-eof"))
    with pytest.raises(
        AgentUnavailableError, match="it was removed from the configuration before it started"
    ):
        await starting
    assert setting.states("bob") == []


async def test_a_removed_agent_keeps_its_place_until_it_is_gone(setting: Setting) -> None:
    setting.apply(scripted("ada", "ignore-eof"), limit=1)
    await setting.service.start("ada")
    setting.apply(scripted("bob"), limit=1)
    await setting.service.start("bob")
    told = [(event.agent, event.state) for event in setting.recorder.of(AgentStateChanged)]
    assert told.index(("ada", "stopped")) < told.index(("bob", "starting"))


async def test_an_agent_that_begins_to_be_used_is_not_stopped_as_idle(setting: Setting, clock: Clock) -> None:
    """The look at the clock and the use come in the same moment."""
    setting.apply(scripted("ada"), idle=600)
    await setting.service.start("ada")
    clock.now += 600
    looking = asyncio.create_task(setting.service.stop_idle())
    await asyncio.sleep(0)  # it has been found idle, and nothing was done about it yet

    async def use() -> str:
        async with setting.service.use("ada") as client:
            return await prompt(client, "hi")

    assert await use() == "end_turn"
    await looking
    assert setting.states("ada") == ["starting", "ready", "busy", "ready"]
