"""The history: how long until a sent message is on the disk, and a page out of many messages against few.

Prints rows of a table and, with `--json FILE`, writes the results.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
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
FRAME = 0.016
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
        await asyncio.sleep(FRAME)
        delays.append(time.perf_counter() - start - FRAME)
    await writing
    return percentile(delays, 0.99)


@dataclass(frozen=True)
class Result:
    """One row of the table; times in seconds, `most` is what the goal allows, in seconds or as a ratio."""

    what: str
    ours: float
    base: str
    baseline: float
    goal: str = ""
    most: float | None = None

    @property
    def ratio(self) -> float:
        """Ours to the baseline."""
        return self.ours / self.baseline

    @property
    def met(self) -> bool:
        """Whether the goal was reached; there may be none."""
        return self.most is None or (self.ours if self.goal.endswith("ms") else self.ratio) <= self.most

    def line(self) -> str:
        """The row as Markdown."""
        cells = (
            self.what,
            f"{self.ours * 1000:.2f} ms",
            f"{self.base} {self.baseline * 1000:.2f} ms",
            f"{self.ratio:.1f}",
            self.goal,
            "",
        )
        return "| " + " | ".join(cells) + " |"


async def measure(big: int, folder: Path) -> list[Result]:
    """All rows."""
    raw = raw_sync(folder)
    small_history, _ = await filled(folder / "small", 1_000)
    history, ids = await filled(folder / "big", big)
    sends = await timed(lambda: history.put_message(message(ids, "c")), SENDS)
    pages = await timed(lambda: history.page("c"), OPENINGS)
    small_pages = await timed(lambda: small_history.page("c"), OPENINGS)
    second, small_second = await _second_page(history), await _second_page(small_history)
    older = await timed(lambda: history.page("c", second), OPENINGS)
    small_older = await timed(lambda: small_history.page("c", small_second), OPENINGS)
    await small_history.close()
    delay = await loop_delay(history, ids)
    await history.close()
    openings = await timed(lambda: _open_first_page(folder / "big"), 5)
    middle = statistics.median
    late, page = percentile(sends, 0.99), middle(pages)
    return [
        Result("send to durable, p50", middle(sends), "raw fdatasync", middle(raw)),
        Result("send to durable, p99", late, "raw fdatasync", percentile(raw, 0.99), "<= 5 ms", 0.005),
        Result(f"last page of {big:,}", page, "of 1,000", middle(small_pages), "<= 1.5 x", 1.5),
        Result(f"older page of {big:,}", middle(older), "of 1,000", middle(small_older), "<= 1.5 x", 1.5),
        Result("open store and first page", middle(openings), "page alone", page, "<= 100 ms", 0.1),
        Result("loop delay while writing, p99", delay, "a frame", FRAME, "<= 1 x", 1),
    ]


async def _second_page(history: History) -> str:
    """The message before which the second page ends."""
    return (await history.page("c")).messages[0].id


async def _open_first_page(folder: Path) -> None:
    history, _ = await open_history(folder)
    await history.page("c")
    await history.close()


def main() -> int:
    """Prints the rows; 1 when a goal was not met."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--big", type=int, default=100_000, help="messages of the large history")
    parser.add_argument("--json", type=Path, help="also write the results here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        results = asyncio.run(measure(arguments.big, Path(folder)))
    for result in results:
        print(result.line())
    if arguments.json is not None:
        rows = [asdict(result) | {"ratio": result.ratio, "met": result.met} for result in results]
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all(result.met for result in results) else 1


if __name__ == "__main__":
    sys.exit(main())
