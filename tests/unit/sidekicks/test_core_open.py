"""Another configuration file is opened while the core runs."""

from __future__ import annotations

import asyncio
import gc
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from sidekicks import open_core
from sidekicks.acp.errors import AgentFailureError
from sidekicks.channels.errors import ChannelError
from sidekicks.config.errors import ConfigError, UnreadableError
from sidekicks.core import REFUSALS, Core
from sidekicks.events import AgentStateChanged, ChannelsChanged, ConfigChanged, TurnChanged
from sidekicks.history.port import HistoryError
from tests.core_files import entry, names, own_folders, put, status, until
from tests.core_parts import Events, text_of
from tests.processes import gone, is_running


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in own_folders(tmp_path / "home").items():
        monkeypatch.setenv(name, value)
    return tmp_path / "home"


@pytest.fixture
def first(tmp_path: Path) -> Path:
    return put(tmp_path / "first.yaml", entry("ada", f"pidfile={tmp_path / 'ada'}"))


@pytest.fixture
def second(tmp_path: Path) -> Path:
    return put(tmp_path / "second.yaml", entry("bob", f"pidfile={tmp_path / 'bob'}"), theme="dark")


@pytest.fixture
async def core(first: Path, tmp_path: Path) -> AsyncIterator[Core]:
    async with open_core(first, tmp_path / "data") as core:
        core.config.watch(step_ms=20)
        yield core


def pid(folder: Path, name: str) -> int:
    return int((folder / name).read_text())


async def say(core: Core, agent: str, words: str) -> list[str]:
    """Sends words to an agent and waits for its answer; all that was said there."""
    events = Events(core.events)
    channel = await core.channels.direct(agent)
    await core.channels.send(channel.id, words)
    await until(events, TurnChanged, lambda event: not event.busy)
    return [text_of(message) for message in (await core.channels.conversation(channel.id)).messages]


async def test_open_stops_answers_and_agents_and_takes_the_file_with_its_own_history(
    core: Core, second: Path, tmp_path: Path
) -> None:
    events = Events(core.events)
    channel = await core.channels.direct("ada")
    await core.channels.send(channel.id, "!text(working) !silent")
    await events.until(lambda event: "working" in getattr(event, "text", ""))
    await core.open(second)
    assert not is_running(pid(tmp_path, "ada"))
    assert (names(core), core.channels.list()) == (["bob"], ())
    current = core.config.current()
    assert (current.path, current.source, current.created) == (str(second), "remembered", False)
    assert (current.valid, current.theme, current.history_problem) == (True, "dark", "")
    assert await say(core, "bob", "hello") == ["hello", "echo: hello"]


async def test_each_file_keeps_its_history(core: Core, first: Path, second: Path) -> None:
    await say(core, "ada", "to ada")
    await core.open(second)
    await say(core, "bob", "to bob")
    await core.open(first)
    [channel] = core.channels.list()
    assert channel.direct == "ada"
    assert await say(core, "ada", "again") == ["to ada", "echo: to ada", "again", "echo: again"]


async def test_the_opened_file_is_watched_and_the_former_is_not(
    core: Core, first: Path, second: Path
) -> None:
    await core.open(second)
    events = Events(core.events)
    put(first, entry("eve"))
    put(second, entry("bob"), entry("cyd"))
    await until(events, ConfigChanged, lambda event: event.path == str(second))
    assert names(core) == ["bob", "cyd"]
    assert {event.path for event in events.all if isinstance(event, ConfigChanged)} == {str(second)}


async def test_the_opened_file_is_the_one_of_the_next_start(
    core: Core, first: Path, second: Path, tmp_path: Path
) -> None:
    await core.open(second)
    await core.open(first)
    await core.open(second)
    assert core.config.recent() == (str(second), str(first))
    async with open_core(data_dir=tmp_path / "other") as later:
        assert later.config.current().path == str(second)


async def test_who_hears_of_it_finds_the_new_agents_and_channels(core: Core, second: Path) -> None:
    await say(core, "ada", "hello")
    heard: list[tuple[str, list[str], int]] = []

    def hear(event: object) -> None:
        if isinstance(event, ConfigChanged | ChannelsChanged):
            heard.append((type(event).__name__, names(core), len(core.channels.list())))

    core.events.listen(hear)
    await core.open(second)
    assert heard == [("ConfigChanged", ["bob"], 0), ("ChannelsChanged", ["bob"], 0)]


async def test_the_former_services_refuse_everything(core: Core, second: Path, tmp_path: Path) -> None:
    agents, channels = core.agents, core.channels
    channel = await channels.direct("ada")
    await core.open(second)
    with pytest.raises(AgentFailureError):
        await agents.start("ada")
    for refused in (channels.create("x"), channels.send(channel.id, "hello"), channels.older(channel.id, "")):
        with pytest.raises(REFUSALS):
            await refused
    assert not (tmp_path / "ada").exists()
    assert core.channels.list() == ()


def not_there(folder: Path) -> Path:
    return folder / "none.yaml"


def a_folder(folder: Path) -> Path:
    return folder


def not_text(folder: Path) -> Path:
    (folder / "picture.yaml").write_bytes(b"\x89PNG\xff")
    return folder / "picture.yaml"


@pytest.mark.parametrize(
    ("what", "says"), [(not_there, "does not exist"), (a_folder, "folder"), (not_text, "UTF-8")]
)
async def test_what_cannot_be_read_is_refused_and_the_former_stays_wholly_in_force(
    core: Core, first: Path, tmp_path: Path, what: object, says: str
) -> None:
    assert callable(what)
    await core.agents.start("ada")
    events, agents, channels = Events(core.events), core.agents, core.channels
    with pytest.raises(UnreadableError, match=says):
        await core.open(what(tmp_path))
    assert (core.agents, core.channels) == (agents, channels)
    assert (core.config.current().path, core.config.recent()) == (str(first), ())
    assert (events.all, status(core, "ada").state) == ([], "ready")
    assert is_running(pid(tmp_path, "ada"))
    put(first, entry("ada"), entry("eve"))
    await until(events, ConfigChanged, lambda event: event.valid)
    assert names(core) == ["ada", "eve"]


async def test_an_invalid_file_is_opened_with_its_problems_and_without_agents(
    core: Core, tmp_path: Path
) -> None:
    path = tmp_path / "broken.yaml"
    path.write_text("agents: [{name: ada}]\n")
    await core.open(path)
    current = core.config.current()
    assert (current.path, current.valid, names(core)) == (str(path), False, [])
    assert "command" in current.problems[0].message
    events = Events(core.events)
    put(path, entry("eve"))
    await until(events, ConfigChanged, lambda event: event.valid)
    assert await say(core, "eve", "hello") == ["hello", "echo: hello"]


async def test_the_file_that_is_open_is_opened_anew(core: Core, first: Path, tmp_path: Path) -> None:
    await say(core, "ada", "hello")
    former = pid(tmp_path, "ada")
    await core.open(first)
    assert not is_running(former)
    assert status(core, "ada").state == "stopped"
    assert len(await say(core, "ada", "again")) == 4


@pytest.mark.parametrize("words", ["!text(x) !silent", "!text(x) !deaf(la)", "!text(x) !ask(edit, it)"])
async def test_an_agent_at_work_does_not_hold_it_up(
    core: Core, second: Path, tmp_path: Path, words: str
) -> None:
    events = Events(core.events)
    channel = await core.channels.direct("ada")
    for sent in (words, "and this"):
        await core.channels.send(channel.id, sent)
    await events.until(lambda event: getattr(event, "text", "") == "x")
    await core.open(second)
    assert not is_running(pid(tmp_path, "ada"))
    assert await say(core, "bob", "hello") == ["hello", "echo: hello"]


async def test_an_agent_that_starts_does_not_hold_it_up(core: Core, second: Path, tmp_path: Path) -> None:
    path = put(tmp_path / "slow.yaml", entry("ada", "never-answers", f"pidfile={tmp_path / 'slow'}"))
    await core.open(path)
    events = Events(core.events)
    starting = asyncio.create_task(core.agents.start("ada"))
    await until(events, AgentStateChanged, lambda event: event.state == "starting")
    await core.open(second)
    with pytest.raises(AgentFailureError, match="while it started"):
        await starting
    assert names(core) == ["bob"]
    if (tmp_path / "slow").exists():
        await gone(pid(tmp_path, "slow"))


async def test_of_several_at_once_the_last_one_stays(
    core: Core, first: Path, second: Path, tmp_path: Path
) -> None:
    third = put(tmp_path / "third.yaml", entry("cyd"))
    await core.agents.start("ada")
    await asyncio.gather(*(core.open(path) for path in (second, first, third)))
    assert (core.config.current().path, names(core)) == (str(third), ["cyd"])
    assert core.config.recent() == (str(third), str(first), str(second))
    assert await say(core, "cyd", "hello") == ["hello", "echo: hello"]


async def test_it_is_done_to_its_end_when_whoever_asked_is_cancelled(core: Core, second: Path) -> None:
    await core.agents.start("ada")
    events = Events(core.events)
    opening = asyncio.create_task(core.open(second))
    await until(events, AgentStateChanged, lambda event: event.state == "stopped")
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert (core.config.current().path, names(core)) == (str(second), ["bob"])
    assert await say(core, "bob", "hello") == ["hello", "echo: hello"]


async def test_closing_meanwhile(first: Path, second: Path, tmp_path: Path) -> None:
    async with open_core(first, tmp_path / "data") as core:
        await core.agents.start("ada")
        opening = asyncio.create_task(core.open(second))
        waiting = asyncio.create_task(core.open(first))
        await asyncio.sleep(0)
    await opening
    with pytest.raises(ConfigError, match="closing"):
        await waiting
    with pytest.raises(ConfigError, match="closing"):
        await core.open(first)
    assert not is_running(pid(tmp_path, "ada"))
    async with open_core(second, tmp_path / "data") as again:
        assert again.config.current().history_problem == ""


async def test_a_history_that_is_in_use_is_in_memory_until_it_is_opened_anew(
    core: Core, second: Path, tmp_path: Path
) -> None:
    async with open_core(second, tmp_path / "data") as other:
        await say(other, "bob", "kept")
        await core.open(second)
        assert "another Sidekicks" in core.config.current().history_problem
        assert core.channels.list() == ()
        assert not core.keeps_history
        assert await say(core, "bob", "not kept") == ["not kept", "echo: not kept"]
    await core.open(second)
    assert core.config.current().history_problem == ""
    assert core.keeps_history
    assert await say(core, "bob", "again") == ["kept", "echo: kept", "again", "echo: again"]


async def test_a_change_of_the_file_while_it_is_opened_is_not_missed(core: Core, second: Path) -> None:
    await core.agents.start("ada")
    events = Events(core.events)
    opening = asyncio.create_task(core.open(second))
    await until(events, AgentStateChanged, lambda event: event.state == "stopped")
    put(second, entry("late"))
    await opening
    if names(core) != ["late"]:
        await until(events, ConfigChanged, lambda event: names(core) == ["late"])


async def test_a_text_that_is_being_saved_goes_to_the_file_it_was_written_for(
    core: Core, first: Path, second: Path
) -> None:
    before = second.read_text()
    changed = first.read_text().replace('"ada"', '"eve"')
    await asyncio.gather(core.open(second), core.config.save(changed))
    assert (first.read_text(), second.read_text()) == (changed, before)
    assert names(core) == ["bob"]


def left() -> tuple[int, list[str], set[int], set[str]]:
    """Descriptors, threads, child processes and tasks that there are.

    Not counted are the pools' threads, of which there are some six, and which wait for work.
    """
    gc.collect()
    threads = [thread.name for thread in threading.enumerate()]
    owned = [name for name in threads if not name.startswith(("asyncio_", "AnyIO worker"))]
    assert len(threads) - len(owned) < 16
    tasks = {task.get_name() for task in asyncio.all_tasks() if task is not asyncio.current_task()}
    me = psutil.Process()
    descriptors = me.num_fds() if sys.platform != "win32" else me.num_handles()
    return descriptors, sorted(owned), {child.pid for child in me.children()}, tasks


async def test_fifty_opened_files_leave_nothing(core: Core, first: Path, second: Path) -> None:
    for path in (second, first):  # what is made once is there then
        await say(core, names(core)[0], "hello")
        await core.open(path)
    before = left()
    for turn in range(50):
        if turn % 10 == 0:
            await core.agents.start(names(core)[0])
        await core.open(first if turn % 2 else second)
    after = left()
    assert after[0] <= before[0] + 8  # watchers of former files that have not noticed yet
    assert after[1:] == before[1:]


async def test_an_unreadable_history_does_not_keep_the_file_from_being_opened(
    core: Core, second: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from sidekicks.history.leveldb import LevelHistory

    async def fails(self: LevelHistory) -> tuple[()]:
        raise HistoryError("The history can't be read or written: the disk is gone.")

    monkeypatch.setattr(LevelHistory, "channels", fails)
    await core.open(second)
    assert "the disk is gone" in core.config.current().history_problem
    assert await say(core, "bob", "hello") == ["hello", "echo: hello"]
    with pytest.raises(ChannelError):
        await core.channels.send("none", "hello")
