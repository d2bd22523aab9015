"""Searching the history; the index that is missing, behind, damaged or can't be used."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import sqlite3
import sys
import threading
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sidekicks.history import follower, search
from sidekicks.history.index import Index
from sidekicks.history.leveldb import INDEX
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.open import open_history
from sidekicks.history.port import History
from sidekicks.models import (
    Channel,
    FilePart,
    Message,
    Part,
    PlanEntry,
    PlanPart,
    SearchResult,
    TextPart,
    ThoughtPart,
    ToolPart,
)


def say(number: int, *said: str | Part, channel: str = "C1") -> Message:
    parts = tuple(TextPart(text=part) if isinstance(part, str) else part for part in said)
    created = datetime(2026, 1, 1, tzinfo=UTC)
    return Message(id=f"{number:026d}", channel=channel, created_at=created, role="user", parts=parts)


def numbers(result: SearchResult) -> list[int]:
    return [int(found.message.id) for found in result.found]


async def found(history: History, query: str) -> list[int]:
    """What a search finds when the index has caught up."""
    async with asyncio.timeout(20):
        while not (result := await history.search(query, limit=10_000)).complete:
            pass
    assert result.problem == ""
    return numbers(result)


def index(folder: Path) -> Path:
    return folder.with_name(folder.name + INDEX)


async def fill(folder: Path, *messages: Message) -> None:
    """A closed history with its index."""
    history, problem = await open_history(folder)
    assert problem == ""
    await history.put_messages(messages)
    for channel in {message.channel for message in messages}:
        await history.put_channel(Channel(id=channel))
    assert await found(history, "nothing") == []
    await history.close()


@pytest.fixture(params=["leveldb", "memory"])
async def history(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[History]:
    opened: History = MemoryHistory()
    if request.param == "leveldb":
        opened, _ = await open_history(tmp_path / "store")
    yield opened
    await opened.close()


async def test_the_newest_first_in_one_channel_or_all(history: History) -> None:
    for number in range(1, 9):
        await history.put_message(say(number, f"apple {number}", channel=f"C{number % 2}"))
    await history.put_message(say(9, "pear"))
    assert await found(history, "apple") == [8, 7, 6, 5, 4, 3, 2, 1]
    assert numbers(await history.search("apple", channel="C1")) == [7, 5, 3, 1]
    page = await history.search("apple", limit=3)
    assert (numbers(page), page.more) == ([8, 7, 6], True)
    page = await history.search("apple", limit=5, before=page.found[-1].message.id)
    assert (numbers(page), page.more) == ([5, 4, 3, 2, 1], False)
    assert numbers(await history.search("")) == []


async def test_found_is_what_a_person_has_read(history: History) -> None:
    await history.put_message(
        say(
            1,
            "Some text",
            ThoughtPart(text="secretly"),
            ToolPart(id="t", title="Edit main.py", input="argument", output="result"),
            PlanPart(entries=(PlanEntry(content="Measure twice"),)),
            FilePart(path="/home/ada/picture.png"),
        )
    )
    for query in ("text", "main.py", "measure", "picture.png", "some edit"):
        assert await found(history, query) == [1]
    for query in ("secretly", "argument", "result", "ada"):
        assert await found(history, query) == []
    [hit] = (await history.search("text edit")).found
    assert hit.channel == "C1"
    assert hit.snippet == "Some text Edit main.py Measure twice picture.png"
    assert [hit.snippet[start:end] for start, end in hit.spans] == ["text", "Edit"]


async def test_an_answer_that_is_put_late_has_the_place_of_its_id(history: History) -> None:
    order = (50, 10, 60, 40, 41, 42, 30, 43, 20, 44)
    for number in order:
        await history.put_message(say(number, "apple"))
    assert await found(history, "apple") == sorted(order, reverse=True)


async def test_a_message_that_is_put_again_is_found_by_its_new_words(history: History) -> None:
    for number in (1, 2, 3):
        await history.put_message(say(number, "apple"))
    for word in ("pear", "peach", "plum"):
        await history.put_message(say(2, word))
    assert await found(history, "apple") == [3, 1]
    assert await found(history, "pear") == []
    assert await found(history, "plum") == [2]


async def test_of_a_frequent_word_the_whole_ones_come_first(history: History) -> None:
    for number in range(1, 5):
        await history.put_message(say(number, "test"))
    await history.put_message(say(5, "testing"))
    assert await found(history, "test") == [5, 4, 3, 2, 1]
    result = await history.search("test", limit=3)
    if isinstance(history, MemoryHistory):  # it looks through the messages, and takes what comes first
        assert numbers(result) == [5, 4, 3]
    else:
        assert numbers(result) == [4, 3, 2]


async def test_a_deleted_channel_is_not_found_and_leaves_no_word(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    await fill(folder, say(1, "apple"), say(2, "secretword pear", channel="C2"), say(3, "apple"))
    history, _ = await open_history(folder)
    await history.delete_channel("C2")
    assert numbers(await history.search("pear")) == []
    assert await found(history, "apple") == [3, 1]
    await history.close()
    assert b"secretword" not in index(folder).read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["store", "store.search.sqlite"]


async def test_more_late_answers_than_places_make_the_index_anew(history: History) -> None:
    numbers_ = [1, 1000, *range(999, 900, -1), *range(2, 100)]
    for number in numbers_:
        await history.put_message(say(number, "apple"))
    assert await found(history, "apple") == sorted(numbers_, reverse=True)


async def test_a_missing_index_is_made_from_the_history(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    messages = [say(number, f"apple {number}") for number in range(1, 2_501)]
    await fill(folder, *messages)
    index(folder).unlink()
    history, problem = await open_history(folder)
    assert problem == ""
    assert await found(history, "apple") == list(range(2_500, 0, -1))
    await history.close()
    if sys.platform != "win32":
        assert index(folder).stat().st_mode & 0o777 == 0o600


async def test_what_was_said_without_the_index_is_found(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    await fill(folder, say(1, "apple"), say(2, "apple"))
    shutil.copy(index(folder), tmp_path / "old")
    await fill(folder, say(3, "apple"))
    history, _ = await open_history(folder)
    await history.delete_channel("C1")
    await history.put_message(say(4, "apple"))
    await history.close()
    (tmp_path / "old").replace(index(folder))
    history, _ = await open_history(folder)
    assert await found(history, "apple") == [4]
    await history.close()


async def test_an_index_that_is_up_to_date_is_not_read_again(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    await fill(folder, say(1, "apple"))
    connection = sqlite3.connect(index(folder))
    connection.execute("DELETE FROM docs")
    connection.commit()
    connection.close()
    history, _ = await open_history(folder)
    assert await found(history, "apple") == []
    await history.close()


async def test_closing_in_the_middle_of_the_work_is_taken_up_again(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    await fill(folder, *(say(number, "apple") for number in range(1, 2_001)))
    index(folder).unlink()
    for turns in (0, 1, 5, 50):
        history, _ = await open_history(folder)
        for _ in range(turns):
            await asyncio.sleep(0)
        await history.search("apple")
        await history.close()
    history, _ = await open_history(folder)
    assert len(await found(history, "apple")) == 2_000
    await history.close()


async def test_it_is_said_that_the_index_is_not_complete_yet(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    await fill(folder, *(say(number, "apple") for number in range(1, 2_001)))
    index(folder).unlink()
    history, _ = await open_history(folder)
    result = await history.search("apple", limit=5_000)
    assert not result.complete
    assert len(result.found) < 2_000
    await history.put_message(say(2_001, "pear"))
    assert await found(history, "pear") == [2_001]
    await history.close()


@pytest.mark.parametrize("damage", ["not a database", "block", "end", "empty", "other version"])
async def test_a_damaged_index_is_made_again(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.ERROR)
    folder = tmp_path / "store"
    await fill(folder, *(say(number, f"apple number{number}") for number in range(1, 1_001)))
    path = index(folder)
    data = path.read_bytes()
    match damage:
        case "not a database":
            path.write_bytes(b"Sidekicks" * 1000)
        case "block":
            path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))
        case "end":
            os.truncate(path, len(data) // 2)
        case "empty":
            path.write_bytes(b"")
        case _:
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA user_version = 99")
            connection.close()
    history, problem = await open_history(folder)
    await history.put_message(say(1_001, "apple"))
    async with asyncio.timeout(20):
        while len((result := await history.search("apple", limit=2_000)).found) < 1_001:
            assert result.problem == ""
    assert problem == ""
    await history.close()


async def test_an_index_that_another_program_holds(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    await fill(folder, say(1, "apple"), say(2, "pear"), say(3, "apple", channel="C2"))
    other = sqlite3.connect(index(folder))
    other.execute("BEGIN IMMEDIATE")
    history, problem = await open_history(folder)
    assert problem == ""
    result = await history.search("apple")
    assert (numbers(result), result.complete) == ([3, 1], True)
    assert numbers(await history.search("apple", channel="C1")) == [1]
    assert "locked" in result.problem
    assert "slow" in result.problem
    await history.put_message(say(4, "apple"))
    page = await history.search("apple", limit=2)
    assert (numbers(page), page.more) == ([4, 3], True)
    await history.delete_channel("C2")
    assert numbers(await history.search("apple")) == [4, 1]
    await history.close()
    other.close()
    history, _ = await open_history(folder)
    assert await found(history, "apple") == [4, 1]
    await history.close()


async def test_an_index_that_cannot_be_written(tmp_path: Path) -> None:
    folder = tmp_path / "store"
    await fill(folder, say(1, "apple"))
    index(folder).unlink()
    index(folder).mkdir()
    history, problem = await open_history(folder)
    assert problem == ""
    result = await history.search("apple")
    assert numbers(result) == [1]
    assert str(index(folder)) in result.problem
    await history.close()


async def test_without_an_index_not_everything_is_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "SCAN_LIMIT", 100)
    folder = tmp_path / "store"
    await fill(folder, *(say(number, "apple") for number in range(1, 151)))
    index(folder).unlink()
    index(folder).mkdir()
    history, _ = await open_history(folder)
    result = await history.search("apple", limit=1_000)
    assert (len(result.found), result.complete) == (100, False)
    await history.close()


async def test_more_messages_at_once_than_may_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follower, "WAITING_LIMIT", 3)
    history, _ = await open_history(tmp_path / "store")
    await asyncio.gather(*(history.put_message(say(number, "apple")) for number in range(1, 101)))
    assert await found(history, "apple") == list(range(100, 0, -1))
    await history.close()


async def test_one_that_is_closed_while_the_index_opens_leaves_it_to_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(tmp_path / "store", say(1, "hello"))
    index(tmp_path / "store").unlink()
    opening, go_on = threading.Event(), threading.Event()
    made: list[follower.Index] = []

    def slowly(path: Path) -> follower.Index:
        opening.set()
        assert go_on.wait(10)
        made.append(Index(path))
        return made[-1]

    monkeypatch.setattr(follower, "Index", slowly)
    history, _ = await open_history(tmp_path / "store")
    assert await asyncio.to_thread(opening.wait, 10)
    closing = asyncio.create_task(history.close())
    await asyncio.sleep(0)
    go_on.set()
    await closing
    monkeypatch.undo()
    assert made  # still held: nothing may depend on when it is found to be of no use any more
    later, problem = await open_history(tmp_path / "store")
    assert problem == ""
    assert await found(later, "hello") == [1]
    await later.close()
