"""How many agents run at once, and which of them are stopped when nobody uses them."""

from __future__ import annotations

import asyncio

import pytest

from sidekicks.agents.agent import AgentUnavailableError
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
