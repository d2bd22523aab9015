"""The history: how long until a sent message is on the disk, and a page out of many messages against few.

`python benchmarks/bench_history.py [--big N]` prints rows of a table; `main()` answers with them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from sidekicks.history.driver import Batch, Database, Driver
from sidekicks.history.leveldb import LevelHistory
from sidekicks.history.open import open_history
from sidekicks.history.port import History
from sidekicks.history.records import Records
from sidekicks.ids import Ids
from sidekicks.models import Message, TextPart

SENDS = 2_000
OPENINGS = 50
TEXT = "Some words that stand for a message of the usual length, with a list and a little code. " * 8


def percentile(samples: list[float], share: float) -> float:
    """The sample below which `share` of them are."""
    return sorted(samples)[min(len(samples) - 1, int(len(samples) * share))]


def message(ids: Ids, channel: str) -> Message:
    """A message of some 700 characters."""
    return Message(
        id=ids.new(), channel=channel, created_at=datetime.now(UTC), role="user", parts=(TextPart(text=TEXT),)
    )


async def timed(work: Callable[[], Awaitable[object]], times: int) -> list[float]:
    """The seconds that `work` took, each time."""
    samples: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        await work()
        samples.append(time.perf_counter() - start)
    return samples


class Unsynced:
    """A database that does not wait for the disk, to be filled quickly."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def __getattr__(self, name: str) -> object:
        return getattr(self._database, name)

    def write_batch(self, *, sync: bool = False) -> Batch:
        """Begins a batch that is not synced."""
        return self._database.write_batch()


async def filled(folder: Path, count: int) -> tuple[History, Ids]:
    """A history with `count` messages in one channel."""
    ids = Ids()
    history, _ = await open_history(folder)
    await history.close()
    database = Driver().open(folder)
    records = Records(cast("Database", Unsynced(database)))
    for _ in range(count):
        records.put_message(message(ids, "c"), None)
    database.close()
    history, problem = await open_history(folder)
    assert isinstance(history, LevelHistory), problem
    return history, ids


def raw_sync(folder: Path) -> list[float]:
    """What the disk takes to keep 800 bytes."""
    samples: list[float] = []
    sync = getattr(os, "fdatasync", os.fsync)
    with (folder / "raw").open("wb", buffering=0) as file:
        for _ in range(SENDS):
            start = time.perf_counter()
            file.write(TEXT.encode())
            sync(file.fileno())
            samples.append(time.perf_counter() - start)
    return samples


async def loop_delay(history: History, ids: Ids) -> float:
    """99th percentile of the event loop's delay, in seconds, while 20 channels write 200 messages each."""

    async def write(channel: str) -> None:
        for _ in range(200):
            await history.put_message(message(ids, channel))

    writing = asyncio.gather(*(write(f"channel {number}") for number in range(20)))
    delays: list[float] = []
    while not writing.done():
        start = time.perf_counter()
        await asyncio.sleep(0.016)
        delays.append(time.perf_counter() - start - 0.016)
    await writing
    return percentile(delays, 0.99)


async def measure(big: int, folder: Path) -> list[tuple[str, str, str, str, str]]:
    """All rows."""
    raw = raw_sync(folder)
    small_history, _ = await filled(folder / "small", 1_000)
    history, ids = await filled(folder / "big", big)
    sends = await timed(lambda: history.put_message(message(ids, "c")), SENDS)
    pages = await timed(lambda: history.page("c"), OPENINGS)
    small_pages = await timed(lambda: small_history.page("c"), OPENINGS)
    await small_history.close()
    delay = await loop_delay(history, ids)
    await history.close()
    openings = await timed(lambda: _open_first_page(folder / "big"), 5)

    def row(what: str, ours: float, base: str, baseline: float, goal: str) -> tuple[str, str, str, str, str]:
        return (
            what,
            f"{ours * 1000:.2f} ms",
            f"{base} {baseline * 1000:.2f} ms",
            f"{ours / baseline:.1f}",
            goal,
        )

    middle = statistics.median
    return [
        row("send to durable, p50", middle(sends), "raw fdatasync", middle(raw), ""),
        row("send to durable, p99", percentile(sends, 0.99), "raw fdatasync", percentile(raw, 0.99), "5 ms"),
        row(f"last page of {big:,}", middle(pages), "of 1,000", middle(small_pages), "the same"),
        row("open store and first page", middle(openings), "page alone", middle(pages), "100 ms"),
        row("loop delay while writing, p99", delay, "a frame", 0.016, "< 1"),
    ]


async def _open_first_page(folder: Path) -> None:
    history, _ = await open_history(folder)
    await history.page("c")
    await history.close()


def main(big: int = 100_000) -> list[tuple[str, str, str, str, str]]:
    """The rows: what, ours, the baseline, the ratio, the goal."""
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        rows = asyncio.run(measure(big, Path(folder)))
    for each in rows:
        print("| " + " | ".join(each) + " |")
    return rows


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--big", type=int, default=100_000)
    main(parser.parse_args().big)
