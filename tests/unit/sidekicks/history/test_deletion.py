"""Deleting a channel: everything goes, in small steps, and to the end whatever happens meanwhile."""

from __future__ import annotations

import asyncio
from pathlib import Path

import msgspec
import plyvel
import pytest

from sidekicks.history.driver import Database, Driver
from sidekicks.history.leveldb import INDEX, LevelHistory
from sidekicks.history.migrate import KEY
from sidekicks.history.open import open_history
from sidekicks.history.port import Member
from sidekicks.history.records import Records
from sidekicks.history.store import LevelStore
from sidekicks.models import Channel, PermissionRule, TextPart
from tests.unit.sidekicks.history.test_history import message, numbers

MANY = 12_000


@pytest.fixture
async def history(tmp_path: Path) -> LevelHistory:
    opened, _ = await open_history(tmp_path / "store")
    assert isinstance(opened, LevelHistory)
    await opened.put_messages([message(number) for number in range(1, MANY + 1)])
    for channel in ("C1", "C2"):
        await opened.put_channel(Channel(id=channel))
    await opened.put_message(message(MANY + 1, role="agent", agent="ada"), Member(agent="ada"))
    assert await opened.last_answerer("C1") == "ada"
    await opened.put_last_read("C1", message(1).id)
    return opened


def keys(folder: Path) -> list[bytes]:
    database = plyvel.DB(str(folder))
    found = [key for key, _ in database.iterator()]
    database.close()
    return found


async def test_nothing_is_left_of_it(history: LevelHistory, tmp_path: Path) -> None:
    await history.put_rule(PermissionRule(agent="ada", kind="edit", allowed=True))
    secret = "xylophone" * 3  # a word that no compression makes shorter than itself
    said = message(MANY + 2)
    await history.put_message(msgspec.structs.replace(said, parts=(TextPart(text=secret),)))
    await history.delete_channel("C1")
    async with asyncio.timeout(30):
        while not (found := await history.search("number", channel="C1")).complete:
            pass
    assert found.found == ()
    await history.close()
    assert _with(tmp_path, b"xylophone") == []
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".new")] == []
    assert (tmp_path / ("store" + INDEX)).exists()
    left = keys(tmp_path / "store")
    assert [key for key in left if b"C1" in key] == []
    assert b"p/ada/edit" in left
    assert KEY in left


class Shared(Driver):
    """Lets somebody else read what it opened, as another call does while a channel is deleted."""

    def open(self, folder: Path) -> Database:
        self.opened = super().open(folder)
        return self.opened


def test_what_somebody_read_meanwhile_is_off_the_disk_after_the_sweep(tmp_path: Path) -> None:
    driver = Shared()
    store = LevelStore(driver, tmp_path)
    store.open()
    secret = msgspec.structs.replace(message(1), parts=(TextPart(text="xylophone" * 3),))
    store.run(lambda records: records.put_message(secret, None))
    driver.opened.compact_range(start=b"a", stop=b"z")  # its words are in a table now
    reading = driver.opened.iterator()
    next(reading)
    store.run(lambda records: records.delete_messages("C1", "", 10))
    store.compact("C1")
    assert _with(tmp_path, b"xylophone"), "what is read is still there"
    del reading
    store.sweep()
    assert _with(tmp_path, b"xylophone") == []
    store.close()


def _with(folder: Path, word: bytes) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and word in path.read_bytes()]


async def test_others_send_meanwhile(history: LevelHistory) -> None:
    deleting = asyncio.ensure_future(history.delete_channel("C1"))
    sent = 0
    while not deleting.done():
        sent += 1
        await history.put_message(message(MANY + 1 + sent, channel="C2"))
    assert sent > 10
    assert len((await history.page("C2", limit=MANY)).messages) == sent
    await history.close()


async def test_what_was_not_deleted_to_the_end_is_at_the_next_start(
    history: LevelHistory, tmp_path: Path
) -> None:
    await history.close()
    database = plyvel.DB(str(tmp_path / "store"))
    records = Records(database)
    records.hide_channel("C1")
    records.delete_messages("C1", "", 1_000)
    database.close()
    again, problem = await open_history(tmp_path / "store")
    assert isinstance(again, LevelHistory)
    assert problem == ""
    assert [channel.id for channel in await again.channels()] == ["C2"]
    assert (await again.search("number")).found == ()
    async with asyncio.timeout(20):
        while await again.newest_message():
            pass
    await again.put_message(message(5, channel="C2"))
    assert numbers(await again.page("C2")) == [5]
    await again.close()


async def test_closing_in_the_middle_of_it(history: LevelHistory, tmp_path: Path) -> None:
    deleting = asyncio.ensure_future(history.delete_channel("C1"))
    while await history.channels() != (Channel(id="C2"),):
        pass
    await history.close()
    await asyncio.gather(deleting, return_exceptions=True)
    again, _ = await open_history(tmp_path / "store")
    assert isinstance(again, LevelHistory)
    async with asyncio.timeout(20):
        while await again.newest_message():
            pass
    await again.close()


async def test_the_last_answerer_of_a_long_monologue_is_looked_for_once(tmp_path: Path) -> None:
    history, _ = await open_history(tmp_path / "store")
    await history.put_messages([message(number) for number in range(1, 2_001)])
    await history.put_channel(Channel(id="C1"))
    assert await history.last_answerer("C1") == ""
    await history.close()
    database = plyvel.DB(str(tmp_path / "store"))
    assert database.get(b"l/C1") == b"/"
    database.close()
    history, _ = await open_history(tmp_path / "store")
    for number, agent in ((2_010, "ada"), (2_005, "bob"), (2_020, "eve")):
        await history.put_message(message(number, role="agent", agent=agent))
        assert await history.last_answerer("C1") == ("ada" if agent == "bob" else agent)
    await history.close()
