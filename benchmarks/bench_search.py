"""Searching 100,000 messages with the index, against looking through all of them; and making the index.

The messages are pieces of the standard library's sources: words of people and of code, as often as they are.
Prints rows of a table and, with `--json FILE`, writes the results.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import statistics
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from sidekicks.history.leveldb import INDEX, LevelHistory
from sidekicks.history.open import open_history
from sidekicks.history.query import Query
from sidekicks.history.said import found_in
from sidekicks.ids import Ids
from sidekicks.models import Channel, Message, TextPart

COUNT = 100_000
LENGTH = 700
QUERIES = (
    "self", "return", "asyncio", "permission denied", "os.path.join", '"for example"', "subproc", "test_ssl",
    "import json", "def __init__", "confi", "zzzzzz", "the a of", "unicode decode error", "x86_64", "tokeni",
)  # fmt: skip


def pieces() -> Iterator[str]:
    """Pieces of text, again and again, in an order that is always the same."""
    texts: list[str] = []
    for path in sorted(Path(sysconfig.get_path("stdlib")).rglob("*.py")):
        if "site-packages" not in path.parts:
            text = path.read_text(encoding="utf-8", errors="replace")
            texts += [text[start : start + LENGTH] for start in range(0, len(text), LENGTH)]
    random.Random(1).shuffle(texts)
    while True:
        yield from texts


def messages(count: int) -> list[Message]:
    """That many messages in ten channels."""
    ids = Ids()
    now = datetime.now(UTC)
    return [
        Message(
            id=ids.new(),
            channel=f"channel{number % 10}",
            created_at=now,
            role="user",
            parts=(TextPart(text=text),),
        )
        for number, text in enumerate(islice(pieces(), count))
    ]


async def measure(count: int, folder: Path) -> list[dict[str, object]]:
    """All rows."""
    store = folder / "store"
    index = folder / f"store{INDEX}"
    said = messages(count)
    history, _ = await open_history(store)
    for start in range(0, count, 1_000):
        await history.put_messages(said[start : start + 1_000])
    for number in range(10):
        await history.put_channel(Channel(id=f"channel{number}"))
    await history.close()
    index.unlink(missing_ok=True)
    history, problem = await open_history(store)
    assert isinstance(history, LevelHistory), problem
    build, sends = await _built(history)
    searches = [seconds for query in QUERIES for seconds in await _searches(history, query)]
    scan = _scan(said)
    await history.close()
    size = index.stat().st_size / 1e6
    middle, late = statistics.median(searches), sorted(searches)[int(len(searches) * 0.99)]
    return [
        _row(f"search {count:,}, p50", middle, "scan", scan, 0.010),
        _row(f"search {count:,}, p99", late, "scan", scan, 0.010),
        _row(f"index of {count:,} made ({size:.0f} MB)", build, "scan", scan, None),
        _row("send while the index is made, p99", sorted(sends)[int(len(sends) * 0.99)], "scan", scan, None),
    ]


async def _built(history: LevelHistory) -> tuple[float, list[float]]:
    """How long the index took, and how long each message that was sent meanwhile."""
    began = time.perf_counter()
    sends: list[float] = []
    ids = Ids(await history.newest_message())
    while not (await history.search("zzzzzz")).complete:
        start = time.perf_counter()
        text = (TextPart(text="sent meanwhile"),)
        now = datetime.now(UTC)
        await history.put_message(
            Message(id=ids.new(), channel="channel1", created_at=now, role="user", parts=text)
        )
        sends.append(time.perf_counter() - start)
        await asyncio.sleep(0.02)
    return time.perf_counter() - began, sends


async def _searches(history: LevelHistory, query: str) -> list[float]:
    samples: list[float] = []
    for _ in range(20):
        start = time.perf_counter()
        result = await history.search(query)
        samples.append(time.perf_counter() - start)
        assert result.complete
        assert not result.problem
    return samples


def _scan(said: list[Message]) -> float:
    start = time.perf_counter()
    found_in(Query("zzzzzz"), said)
    return time.perf_counter() - start


def _row(what: str, ours: float, base: str, baseline: float, goal: float | None) -> dict[str, object]:
    return {
        "name": what,
        "ours": ours,
        "baseline": baseline,
        "baseline_name": base,
        "ratio": round(ours / baseline, 4),
        "goal": goal,
        "met": goal is None or ours <= goal,
    }


def main() -> int:
    """Prints the rows; 1 when a goal was not met."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=COUNT, help="messages")
    parser.add_argument("--json", type=Path, help="also write the results here")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_FOLDER")) as folder:
        rows = asyncio.run(measure(arguments.count, Path(folder)))
    for row in rows:
        ours, baseline = float(str(row["ours"])) * 1000, float(str(row["baseline"])) * 1000
        goal = f"<= {float(str(row['goal'])) * 1000:.0f} ms" if row["goal"] else ""
        base = f"{row['baseline_name']} {baseline:.0f} ms"
        print(f"| {row['name']} | {ours:.2f} ms | {base} | {row['ratio']} | {goal} | |")
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return 0 if all(row["met"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
