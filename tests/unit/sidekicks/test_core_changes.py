"""The configuration file changes while its agents run: each kind of change, in each state of an agent."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from sidekicks import open_core
from sidekicks.core import Core
from sidekicks.events import AgentStateChanged, ConfigChanged, MessageUpdated, TurnChanged
from sidekicks.models import AgentState, Message
from tests.core_files import entry, names, own_folders, put, status, text, until
from tests.core_parts import Events, text_of
from tests.processes import gone, is_running

BEGUN = "!text(working) !silent"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in own_folders(tmp_path / "home").items():
        monkeypatch.setenv(name, value)


class Desk:
    """A core with one file, which other programs write."""

    def __init__(self, core: Core, path: Path) -> None:
        self.core = core
        self.path = path
        self.events = Events(core.events)

    async def put(self, *entries: dict[str, Any], **fields: Any) -> None:
        """Another program saves the file; returns when it has been read."""
        await self.after(lambda: put(self.path, *entries, **fields))

    async def after(self, change: Callable[[], object], *, valid: bool = True) -> ConfigChanged:
        """Changes the file somehow; returns when it has been read."""
        since = len(self.events.all)
        change()
        return await until(self.events, ConfigChanged, lambda event: event.valid == valid, since)

    async def bring(self, agent: str, state: AgentState, **fields: Any) -> asyncio.Task[None] | None:
        """Brings an agent of the file into a state; a task that ends with the state, for some."""
        if state == "starting":
            starting = asyncio.create_task(self.core.agents.start(agent))
            await self.become(agent, "starting")
            return starting
        if state == "error":
            with pytest.raises(self.core.refusals):
                await self.core.agents.start(agent)
        elif state == "ready":
            await self.core.agents.start(agent)
        elif state == "busy":
            await self.core.channels.send((await self.core.channels.direct(agent)).id, BEGUN)
            await self.events.until(lambda event: getattr(event, "text", "") == "working")
        assert status(self.core, agent).state == state
        return None

    async def become(self, agent: str, state: AgentState, since: int = 0) -> AgentStateChanged:
        return await until(
            self.events,
            AgentStateChanged,
            lambda event: (event.agent, event.state) == (agent, state),
            since,
        )

    async def answer(self, agent: str) -> Message:
        """The finished answer of an agent."""
        event = await until(
            self.events, MessageUpdated, lambda event: event.message.agent == agent and event.message.done
        )
        return event.message


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    path = put(tmp_path / "place" / "agents.yaml", entry("ada"))
    async with open_core(path, tmp_path / "data") as core:
        core.config.watch(step_ms=20)
        yield Desk(core, path)


def how(state: AgentState) -> list[str]:
    """What a scripted agent must be told so that it gets into a state."""
    return {"starting": ["slow-start=0.5"], "error": ["exit=3"]}.get(state, [])


STATES: list[AgentState] = ["stopped", "starting", "ready", "busy", "error"]


@pytest.mark.parametrize("state", STATES)
async def test_a_changed_definition_is_outdated_while_the_agent_runs(desk: Desk, state: AgentState) -> None:
    await desk.put(entry("ada", *how(state), title="Ada"))
    starting = await desk.bring("ada", state)
    since = len(desk.events.all)
    await desk.put(entry("ada", title="Countess", env={"A": "1"}))
    if starting is not None:
        await starting
    now = status(desk.core, "ada")
    assert (now.title, now.state) == ("Countess", "ready" if state == "starting" else state)
    assert now.outdated == (state in ("starting", "ready", "busy"))
    told = [event for event in desk.events.all[since:] if isinstance(event, AgentStateChanged)]
    assert (told[-1].state, told[-1].outdated) == (now.state, now.outdated)
    await desk.core.agents.restart("ada")
    assert (status(desk.core, "ada").state, status(desk.core, "ada").outdated) == ("ready", False)


async def test_a_definition_that_is_changed_back_is_not_outdated(desk: Desk) -> None:
    await desk.core.agents.start("ada")
    await desk.put(entry("ada", env={"A": "1"}))
    assert status(desk.core, "ada").outdated
    await desk.put(entry("ada"))
    assert not status(desk.core, "ada").outdated


async def test_what_is_no_part_of_the_definition_makes_nobody_outdated(desk: Desk) -> None:
    await desk.core.agents.start("ada")
    written = desk.path.read_text()
    await desk.after(lambda: desk.path.write_text("# a comment\n" + written))
    await desk.put(entry("ada"), theme="dark")
    assert not status(desk.core, "ada").outdated
    assert desk.core.config.current().theme == "dark"


@pytest.mark.parametrize("state", STATES)
async def test_a_removed_agent_is_stopped(desk: Desk, tmp_path: Path, state: AgentState) -> None:
    pidfile = tmp_path / "pid"
    await desk.put(entry("ada", *how(state), f"pidfile={pidfile}"))
    starting = await desk.bring("ada", state)
    since = len(desk.events.all)
    await desk.put(entry("bob"))
    assert names(desk.core) == ["bob"]
    if state in ("starting", "ready", "busy"):
        await desk.become("ada", "stopped", since)
    if starting is not None:
        with pytest.raises(desk.core.refusals):
            await starting
    if pidfile.exists():
        await gone(int(pidfile.read_text()))
    with pytest.raises(desk.core.refusals, match="no agent named ada"):
        await desk.core.agents.start("ada")


async def test_the_answer_of_a_removed_agent_says_so_and_what_waited_too(desk: Desk) -> None:
    await desk.bring("ada", "busy")
    [channel] = desk.core.channels.list()
    await desk.core.channels.send(channel.id, "and then?")
    since = len(desk.events.all)
    await desk.put(entry("bob"))
    answer = await desk.answer("ada")
    assert (text_of(answer), answer.error) == ("working", "it was removed from the configuration")
    await until(desk.events, TurnChanged, lambda event: not event.busy, since)
    last = (await desk.core.channels.conversation(channel.id)).messages[-1]
    assert (last.code, last.error) == (
        "agent-unavailable",
        "the configuration has no agent named ada",
    )


async def test_an_agent_that_is_removed_and_comes_back_can_be_used(desk: Desk) -> None:
    await desk.core.agents.start("ada")
    since = len(desk.events.all)
    await desk.put(entry("bob"))
    await desk.put(entry("ada"), entry("bob"))
    await desk.become("ada", "stopped", since)
    await desk.core.agents.start("ada")
    assert status(desk.core, "ada").state == "ready"


async def test_a_renamed_agent_is_another_one(desk: Desk, tmp_path: Path) -> None:
    await desk.put(entry("ada", f"pidfile={tmp_path / 'pid'}"))
    await desk.core.agents.start("ada")
    await desk.put(entry("countess", f"pidfile={tmp_path / 'pid'}"))
    await gone(int((tmp_path / "pid").read_text()))
    assert status(desk.core, "countess").state == "stopped"


@pytest.mark.parametrize("state", ["ready", "busy"])
async def test_an_added_agent_is_shown_and_the_others_go_on(desk: Desk, state: AgentState) -> None:
    await desk.bring("ada", state)
    await desk.put(entry("new"), entry("ada"))
    assert names(desk.core) == ["new", "ada"]
    assert (status(desk.core, "ada").state, status(desk.core, "ada").outdated) == (state, False)
    await desk.core.agents.start("new")


async def test_the_order_of_the_file_is_the_order_of_the_list(desk: Desk) -> None:
    await desk.put(entry("ada"), entry("bob"), entry("cyd"))
    await desk.core.agents.start("bob")
    await desk.put(entry("cyd"), entry("bob"), entry("ada"))
    assert names(desk.core) == ["cyd", "bob", "ada"]
    assert status(desk.core, "bob").state == "ready"


async def test_changed_limits_hold_at_once(desk: Desk) -> None:
    both = entry("ada"), entry("bob")
    await desk.put(*both, limits={"maxRunningAgents": 1})
    await desk.bring("ada", "busy")
    with pytest.raises(desk.core.refusals, match=r"1 agent\(s\) busy \(ada\), the limit is 1"):
        await desk.core.agents.start("bob")
    await desk.put(*both, limits={"maxRunningAgents": 2, "stopIdleAgentsAfter": "1s"})
    await desk.core.agents.start("bob")
    assert [status.state for status in desk.core.agents.list()] == ["busy", "ready"]


def deleted(path: Path) -> None:
    path.unlink()


def half_written(path: Path) -> None:
    path.write_text(text(entry("ada"), entry("bob"))[:-40])


def emptied(path: Path) -> None:
    path.write_text("")


def forbidden_name(path: Path) -> None:
    put(path, entry("Not A Name"))


def no_text(path: Path) -> None:
    path.write_bytes(b"agents: \xff\xff")


@pytest.mark.parametrize("spoil", [deleted, half_written, emptied, forbidden_name, no_text])
async def test_a_file_that_cannot_be_used_takes_nothing_away(
    desk: Desk, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    await desk.put(entry("ada", f"pidfile={tmp_path / 'pid'}"), entry("bob"))
    await desk.bring("ada", "busy")
    event = await desk.after(lambda: spoil(desk.path), valid=False)
    assert event.problems[0].line >= 1
    assert not desk.core.config.current().valid
    assert names(desk.core) == ["ada", "bob"]
    assert (status(desk.core, "ada").state, status(desk.core, "ada").outdated) == ("busy", False)
    assert is_running(int((tmp_path / "pid").read_text()))
    await desk.core.agents.start("bob")
    await desk.put(entry("ada", f"pidfile={tmp_path / 'pid'}"), entry("cyd"))
    assert desk.core.config.current().valid
    assert names(desk.core) == ["ada", "cyd"]
    assert status(desk.core, "ada").state == "busy"


@pytest.mark.skipif(sys.platform == "win32", reason="needs the right to make links")
async def test_a_linked_file_and_another_one_in_its_place(desk: Desk, tmp_path: Path) -> None:
    kept = put(tmp_path / "dotfiles" / "one", entry("ada"), entry("bob"))
    other = put(tmp_path / "dotfiles" / "two", entry("ada"), entry("cyd"))

    def link() -> None:
        new = desk.path.with_name("link")
        new.symlink_to(kept)
        new.replace(desk.path)

    def link_again() -> None:
        new = desk.path.with_name("link")
        new.symlink_to(other)
        new.replace(desk.path)

    await desk.after(link)
    assert names(desk.core) == ["ada", "bob"]
    await desk.after(link_again)
    assert names(desk.core) == ["ada", "cyd"]
    assert await desk.core.config.save(text(entry("eve"))) == ()
    assert (desk.path.is_symlink(), other.read_text()) == (True, text(entry("eve")))


async def test_any_edit_by_another_program_leaves_the_agents_or_says_what_is_wrong(
    desk: Desk, tmp_path: Path
) -> None:
    """Bytes at random places, saved in random ways; in the end the file is as it was."""
    await desk.put(entry("ada", f"pidfile={tmp_path / 'pid'}"))
    await desk.core.agents.start("ada")
    good = desk.path.read_bytes()
    chance = random.Random(7)
    for _ in range(300):
        at = chance.randrange(len(good))
        bad = good[:at] + bytes([chance.randrange(256)]) + good[at + chance.randrange(2) :]
        desk.path.write_bytes(bad)
        await desk.core.config.reload()
        current = desk.core.config.current()
        assert current.valid or current.problems[0].message
        lines = bad.count(b"\n") + bad.count(b"\r") + 1
        assert all(1 <= problem.line <= lines for problem in current.problems)
        assert names(desk.core)
    await desk.after(lambda: desk.path.write_bytes(good + b"\n"))
    assert names(desk.core) == ["ada"]
    await desk.core.agents.start("ada")
    assert status(desk.core, "ada").state == "ready"
