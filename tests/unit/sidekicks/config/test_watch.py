"""Half-written saves, and folders that are replaced."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from sidekicks.config.watch import settled, stamp, watch


class Seen:
    """What the file said each time that a change was told."""

    def __init__(self, path: Path) -> None:
        self.texts: list[str | None] = []
        self._path = path
        self._news = asyncio.Event()

    async def changed(self) -> None:
        self.texts.append(self._path.read_text() if self._path.exists() else None)
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not condition():
                self._news.clear()
                await self._news.wait()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "place" / "file.yaml"
    found.parent.mkdir()
    found.write_text("first")
    return found


@pytest.fixture
async def seen(path: Path) -> AsyncIterator[Seen]:
    found = Seen(path)
    task = asyncio.create_task(watch(path, found.changed, step_ms=50, check_ms=200))
    await found.until(lambda: found.texts == ["first"])
    yield found
    task.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await task


async def test_a_save_in_pieces_is_seen_when_it_is_whole(path: Path) -> None:
    pieces = ["one\n", "two\n", "three\n"]
    seen = Seen(path)

    async def write_meanwhile(seconds: float) -> None:
        if pieces:
            with path.open("a") as file:
                file.write(pieces.pop(0))

    known = stamp(path)
    path.write_text("")
    assert await settled(path, known, seen.changed, 0.1, write_meanwhile) == stamp(path)
    assert seen.texts == ["one\ntwo\nthree\n"]


async def test_a_file_that_is_as_it_was_is_no_change(path: Path) -> None:
    seen = Seen(path)
    assert await settled(path, stamp(path), seen.changed, 0.1) == stamp(path)
    assert seen.texts == []


async def test_a_folder_that_is_replaced(seen: Seen, path: Path) -> None:
    shutil.move(path.parent, f"{path.parent}.old")
    await seen.until(lambda: seen.texts[-1] is None)
    path.parent.mkdir()
    path.write_text("second")
    await seen.until(lambda: seen.texts[-1] == "second")
    path.write_text("third")
    await seen.until(lambda: seen.texts[-1] == "third")


async def test_other_files_of_the_folder_do_not_matter(seen: Seen, path: Path) -> None:
    path.with_name("other.yaml").write_text("x")
    path.write_text("second")
    await seen.until(lambda: seen.texts[-1] == "second")
    assert seen.texts == ["first", "second"]
