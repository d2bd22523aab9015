"""The store under faults: the history opens, says what happened, and loses no more than it must."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import plyvel
import pytest

from sidekicks.history.driver import Batch, Database
from sidekicks.history.leveldb import LevelHistory
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.migrate import KEY, NewerFormatError, migrate
from sidekicks.history.open import data_path, open_history
from sidekicks.history.port import HistoryError, Member
from sidekicks.ids import Ids
from sidekicks.models import Channel
from tests.unit.sidekicks.history.test_history import message, numbers

COUNT = 2_000
WRITER = """
import asyncio, sys
from pathlib import Path
from sidekicks.history.open import open_history
from tests.unit.sidekicks.history.test_history import message
async def main():
    history, problem = await open_history(Path(sys.argv[1]))
    print(problem or "open", flush=True)
    for number in range(1, int(sys.argv[2])):
        await history.put_message(message(number))
        print(number, flush=True)
asyncio.run(main())
"""


async def _write_all(folder: Path) -> None:
    history, _ = await open_history(folder)
    await history.put_channel(Channel(id="C1"))
    await asyncio.gather(*(history.put_message(message(number)) for number in range(1, COUNT + 1)))
    await history.close()


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A closed store with `COUNT` messages, all of them in tables."""
    folder = tmp_path_factory.mktemp("history") / "written"
    asyncio.run(_write_all(folder))
    database = plyvel.DB(str(folder))
    database.compact_range()
    database.close()
    return folder


@pytest.fixture
def store(written: Path, tmp_path: Path) -> Path:
    """Such a store, to be damaged."""
    return Path(shutil.copytree(written, tmp_path / "store"))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.suffix in (".ldb", ".log")}


def files(folder: Path, pattern: str) -> list[Path]:
    return list(folder.glob(pattern))


def kept(folder: Path) -> list[Path]:
    return list(folder.parent.glob("store.damaged-*"))


def table(folder: Path) -> Path:
    return max(folder.glob("*.ldb"), key=lambda path: path.stat().st_size)


async def opened(folder: Path, problems: list[str] | None = None) -> tuple[list[int], str]:
    """The numbers of the messages that are there, and the problem."""
    history, problem = await open_history(folder, (problems if problems is not None else []).append)
    assert isinstance(history, LevelHistory), problem
    found = numbers(await history.page("C1", limit=COUNT * 2))
    await history.put_message(message(COUNT + 1))
    assert numbers(await history.after("C1", message(COUNT).id)) == [COUNT + 1]
    await history.close()
    return found, problem


async def test_a_second_sidekicks_has_its_history_in_memory(tmp_path: Path) -> None:
    first = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, tmp_path / "store", "1000000", stdout=subprocess.PIPE
    )
    assert first.stdout
    assert await first.stdout.readline() == b"open\n"
    second, problem = await open_history(tmp_path / "store")
    assert isinstance(second, MemoryHistory)
    assert "another Sidekicks has opened the same configuration file" in problem
    first.kill()
    await first.communicate()
    third, problem = await open_history(tmp_path / "store")
    assert problem == ""
    await third.close()


async def test_what_was_acknowledged_survives_a_kill(tmp_path: Path) -> None:
    for limit in (3, 50, 200):
        folder = tmp_path / str(limit)
        writer = await asyncio.create_subprocess_exec(
            sys.executable, "-c", WRITER, folder, "1000000", stdout=subprocess.PIPE
        )
        assert writer.stdout
        for _ in range(limit):
            await writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        rest, _ = await writer.communicate()
        acknowledged = limit - 1 + rest.count(b"\n")
        history, problem = await open_history(folder)
        assert problem == ""
        found = numbers(await history.page("C1", limit=1_000_000))
        assert found[:acknowledged] == list(range(1, acknowledged + 1))
        await history.close()


async def test_a_damaged_block_found_while_reading(store: Path) -> None:
    damaged = table(store)
    with damaged.open("r+b") as file:
        file.seek(damaged.stat().st_size // 2)
        file.write(b"\0" * 100)
    before = contents(store)
    problems: list[str] = []
    found, _ = await opened(store, problems)
    assert COUNT - 200 < len(found) < COUNT
    [problem] = problems
    [folder] = kept(store)
    assert "damaged" in problem
    assert str(folder) in problem
    assert before[damaged.name] == (folder / damaged.name).read_bytes()


async def test_a_changed_byte_is_found_by_its_checksum(store: Path) -> None:
    damaged = table(store)
    data = bytearray(damaged.read_bytes())
    at = data.index("é 🤖".encode(), len(data) // 2)
    data[at : at + 2] = "è".encode()
    damaged.write_bytes(data)
    problems: list[str] = []
    found, _ = await opened(store, problems)
    assert COUNT - 200 < len(found) < COUNT
    assert len(problems) == 1


async def test_a_deleted_channel_leaves_no_key(store: Path) -> None:
    history, _ = await open_history(store)
    await history.put_member("C1", Member(agent="ada"))
    await history.put_last_read("C1", "x")
    await history.delete_channel("C1")
    await history.close()
    database = plyvel.DB(str(store))
    assert [key for key, _ in database.iterator()] == [KEY]
    database.close()


async def test_a_missing_manifest(store: Path) -> None:
    (manifest,) = files(store, "MANIFEST-*")
    manifest.unlink()
    before = contents(store)
    found, problem = await opened(store)
    assert len(found) == COUNT
    assert "repaired" in problem
    [folder] = kept(store)
    assert contents(folder) == before


async def test_a_missing_current_is_not_a_new_store(store: Path) -> None:
    (store / "CURRENT").unlink()
    found, problem = await opened(store)
    assert len(found) == COUNT
    assert "repaired" in problem


def _overwritten(path: Path, what: bytes, at: int = 0) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(what)


def _damage(store: Path, kind: str) -> None:
    (manifest,) = files(store, "MANIFEST-*")
    match kind:
        case "empty CURRENT":
            (store / "CURRENT").write_bytes(b"")
        case "CURRENT is nonsense":
            (store / "CURRENT").write_bytes(b"\0" * 100)
        case "CURRENT leads nowhere":
            (store / "CURRENT").write_bytes(b"MANIFEST-999999\n")
        case "empty manifest":
            manifest.write_bytes(b"")
        case "manifest is zeros":
            manifest.write_bytes(b"\0" * manifest.stat().st_size)
        case "manifest is cut":
            os.truncate(manifest, manifest.stat().st_size // 2)
        case "zeros at the end of a table":
            size = table(store).stat().st_size
            _overwritten(table(store), b"\0" * 48, size - 48)
        case "a table is cut":
            os.truncate(table(store), table(store).stat().st_size // 2)
        case "an empty table":
            table(store).write_bytes(b"")
        case "a missing table":
            table(store).unlink()
        case _:
            raise AssertionError(kind)


@pytest.mark.parametrize(
    ("kind", "least"),
    [
        ("empty CURRENT", COUNT),
        ("CURRENT is nonsense", COUNT),
        ("CURRENT leads nowhere", COUNT),
        ("empty manifest", COUNT),
        ("manifest is zeros", COUNT),
        ("manifest is cut", COUNT),
        ("zeros at the end of a table", 0),
        ("a table is cut", 0),
        ("an empty table", 0),
        ("a missing table", 0),
    ],
)
async def test_whatever_is_damaged_is_said_and_a_copy_is_kept(store: Path, kind: str, least: int) -> None:
    _damage(store, kind)
    before = contents(store)
    problems: list[str] = []
    found, problem = await opened(store, problems)
    assert len(found) >= least
    said = [*problems, problem] if problem else problems
    assert len(said) == 1
    assert "repaired" in said[0]
    [folder] = kept(store)
    assert str(folder) in said[0]
    assert all(contents(folder).get(name) == data for name, data in before.items() if data)


async def test_a_truncated_log_loses_its_end_only(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    history, _ = await open_history(folder)
    for number in range(1, 101):
        await history.put_message(message(number))
    await history.close()
    log = max(folder.glob("*.log"), key=lambda path: path.stat().st_size)
    os.truncate(log, log.stat().st_size - 10)
    found, _ = await opened(folder)
    assert found == list(range(1, 100))


async def test_a_damaged_log_is_repaired(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    history, _ = await open_history(folder)
    for number in range(1, 1_001):
        await history.put_message(message(number))
    await history.close()
    log = max(folder.glob("*.log"), key=lambda path: path.stat().st_size)
    with log.open("r+b") as file:
        file.seek(log.stat().st_size // 2)
        file.write(b"damage")
    found, problem = await opened(folder)
    assert 700 < len(found) < 1_000
    assert "repaired" in problem


async def test_a_repair_that_was_interrupted_is_finished(store: Path) -> None:
    shutil.move(store, f"{store}.repairing")
    found, _ = await opened(store)
    assert len(found) == COUNT


@pytest.mark.parametrize("where", ["file/store", "file"])
async def test_a_folder_that_cannot_be_used(tmp_path: Path, where: str) -> None:
    (tmp_path / "file").write_text("")
    history, problem = await open_history(tmp_path / where)
    assert isinstance(history, MemoryHistory)
    assert str(tmp_path / where) in problem
    assert "memory only" in problem
    await history.put_message(message(1))
    assert numbers(await history.page("C1")) == [1]


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes")
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may do everything")
@pytest.mark.parametrize("mode", [0o500, 0o000])
async def test_a_folder_that_may_not_be_written(store: Path, mode: int) -> None:
    before = contents(store)
    store.chmod(mode)
    try:
        history, problem = await open_history(store)
        assert isinstance(history, MemoryHistory)
        assert str(store) in problem
        assert "Permission denied" in problem
        await history.put_message(message(1))
    finally:
        store.chmod(0o700)
    assert contents(store) == before
    found, problem = await opened(store)
    assert (len(found), problem) == (COUNT, "")


async def test_a_clock_that_goes_back(tmp_path: Path) -> None:
    ahead = Ids("7ZZZZZZZZZ0000000000000000")
    history, _ = await open_history(tmp_path / "store")
    first = [msgspec.structs.replace(message(number), id=ahead.new()) for number in range(1, 4)]
    for each in first:
        await history.put_message(each)
    await history.close()
    history, problem = await open_history(tmp_path / "store")
    assert problem == ""
    ids = Ids(history.newest_id)
    next_ = msgspec.structs.replace(message(4), id=ids.new())
    await history.put_message(next_)
    assert (await history.page("C1")).messages == (*first, next_)
    await history.close()


async def test_a_repair_after_which_search_still_knows_what_there_is(store: Path) -> None:
    damaged = table(store)
    _overwritten(damaged, b"\0" * 100, damaged.stat().st_size // 2)
    history, _ = await open_history(store)
    async with asyncio.timeout(30):
        while not (result := await history.search("number", limit=COUNT)).complete:
            pass
    there = numbers(await history.page("C1", limit=COUNT))
    assert 0 < len(there) < COUNT
    assert sorted(int(hit.message.id) for hit in result.found) == there
    await history.close()


FULL_DISK = """
import asyncio, resource, sys
from pathlib import Path
from sidekicks.history.open import open_history
from sidekicks.history.port import HistoryError, Member
from tests.unit.sidekicks.history.test_history import message, numbers
async def main():
    history, problem = await open_history(Path(sys.argv[1]))
    await history.put_message(message(1))
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.RLIM_INFINITY))
    number = 1
    try:
        while True:
            await history.put_message(message(number + 1))
            number += 1
    except HistoryError as error:
        print(error)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await history.put_message(message(10_000))
    await history.close()
    history, problem = await open_history(Path(sys.argv[1]))
    assert problem == "", problem
    assert numbers(await history.page("C1", limit=10_000)) == [*range(1, number + 1), 10_000]
    await history.close()
    print("all there")
asyncio.run(main())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on the size of files")
def test_a_full_disk_is_said_and_overcome_when_there_is_room_again(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", FULL_DISK, tmp_path / "store"], capture_output=True, text=True, timeout=60
    )
    assert ran.returncode == 0, ran.stderr
    said, end = ran.stdout.splitlines()
    assert "File too large" in said
    assert end == "all there"


async def test_a_newer_format_is_left_alone(store: Path) -> None:
    database = plyvel.DB(str(store))
    database.put(KEY, b"7")
    database.close()
    history, problem = await open_history(store)
    assert isinstance(history, MemoryHistory)
    assert "newer Sidekicks" in problem
    assert "7" in problem
    assert kept(store) == []
    database = plyvel.DB(str(store))
    assert database.get(KEY) == b"7"
    database.close()


def test_an_older_format_is_migrated_step_by_step(tmp_path: Path) -> None:
    def upper(database: Database, batch: Batch) -> None:
        for key, value in database.iterator(start=b"c/", stop=b"c0"):
            batch.put(key, value.upper())

    def rename(database: Database, batch: Batch) -> None:
        for key, value in database.iterator(start=b"c/", stop=b"c0"):
            batch.delete(key)
            batch.put(b"k/" + key[2:], value)

    database = plyvel.DB(str(tmp_path), create_if_missing=True)
    database.put(KEY, b"1")
    database.put(b"c/1", b"a")
    migrate(database, (upper, rename))
    assert list(database.iterator()) == [(b"k/1", b"A"), (KEY, b"3")]
    migrate(database, (upper, rename))
    assert list(database.iterator()) == [(b"k/1", b"A"), (KEY, b"3")]
    with pytest.raises(NewerFormatError):
        migrate(database, (upper,))
    database.close()


def test_a_store_that_lost_its_version_is_not_taken_for_new(tmp_path: Path) -> None:
    database = plyvel.DB(str(tmp_path), create_if_missing=True)
    database.put(b"c/1", b"a")
    migrate(database, (lambda database, batch: batch.put(b"c/1", b"A"),))
    assert list(database.iterator()) == [(b"c/1", b"A"), (KEY, b"2")]
    database.close()


async def test_a_record_that_makes_no_sense_is_left_out(
    store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    database = plyvel.DB(str(store))
    database.put(b"m/C1/" + message(COUNT).id.encode(), b"\xc1nonsense")
    database.close()
    found, problem = await opened(store)
    assert found == list(range(1, COUNT))
    assert problem == ""
    assert "can't be read" in caplog.text


async def test_a_closed_history_says_so(tmp_path: Path) -> None:
    history, _ = await open_history(tmp_path / "store")
    await history.close()
    await history.close()
    with pytest.raises(HistoryError, match="closed"):
        await history.put_message(message(1))


@pytest.mark.skipif(sys.platform == "win32", reason="folders have no modes")
async def test_folders_are_the_users_alone(tmp_path: Path) -> None:
    history, _ = await open_history(tmp_path / "sidekicks/data/0123")
    assert [path.stat().st_mode & 0o777 for path in files(tmp_path, "**/")] == [0o700] * 4
    await history.close()


def test_each_configuration_file_has_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    found = data_path(Path("a.yaml"), Path("/data"))
    assert found == data_path(tmp_path / "a.yaml", Path("/data"))
    assert found.parent == Path("/data")
    assert len(found.name) == 16
    assert found != data_path(tmp_path / "b.yaml", Path("/data"))


async def test_the_event_loop_goes_on_while_the_store_works(store: Path) -> None:
    history, _ = await open_history(store)
    page = asyncio.ensure_future(history.page("C1", limit=COUNT))
    turns = 0
    while not page.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 2
    await history.close()
