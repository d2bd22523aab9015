"""Stores that former versions wrote: their bytes are kept here, and are read as they were meant."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path

import plyvel

from sidekicks.history.migrate import KEY, STEPS
from sidekicks.history.open import open_history
from sidekicks.history.port import Member
from sidekicks.models import (
    Channel,
    Command,
    Diff,
    Location,
    Message,
    PlanEntry,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
)

DATA = Path(__file__).parents[3] / "data" / "history"
CHANNEL = "01KBBBBBBBBBBBBBBBBBBBBBBB"
ONE, TWO, THREE = (f"01KBBBBBBBBBBBBBBBBBBBBBB{number}" for number in (1, 2, 3))
AT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def store_of(version: int, folder: Path) -> Path:
    """A store as that version left it."""
    records = json.loads((DATA / f"version-{version}.json").read_text())
    database = plyvel.DB(str(folder), create_if_missing=True)
    for key, value in records.items():
        database.put(key.encode(), base64.b64decode(value))
    database.close()
    return folder


async def test_version_1(tmp_path: Path) -> None:
    history, problem = await open_history(store_of(1, tmp_path / "store"))
    assert problem == ""
    assert await history.channels() == (
        Channel(id=CHANNEL, name="plans", description="What we do", members=("ada", "bob"), cwd="/src"),
    )
    assert (await history.page(CHANNEL)).messages == (
        Message(id=ONE, channel=CHANNEL, created_at=AT, role="user", parts=(TextPart(text="hello é"),)),
        Message(
            id=TWO,
            channel=CHANNEL,
            created_at=AT,
            role="agent",
            agent="ada",
            stop_reason="end_turn",
            parts=(
                ThoughtPart(text="hm"),
                TextPart(text="done"),
                ToolPart(
                    id="t1",
                    title="Edit a.py",
                    kind="edit",
                    status="completed",
                    input="{}",
                    output="ok",
                    locations=(Location(path="a.py", line=3),),
                    diffs=(Diff(path="a.py", old_text="a", new_text="b"),),
                ),
                PlanPart(entries=(PlanEntry(content="one"),)),
            ),
        ),
        Message(
            id=THREE,
            channel=CHANNEL,
            created_at=AT,
            role="system",
            agent="bob",
            code="agent-unavailable",
            error="it ended",
        ),
    )
    assert await history.members(CHANNEL) == {"ada": Member(agent="ada", session_id="s1", seen=TWO)}
    assert await history.last_read(CHANNEL) == TWO
    assert await history.unread_counts() == {CHANNEL: 1}
    assert await history.last_answerer(CHANNEL) == "ada"
    assert await history.commands() == {"ada": (Command(name="plan", description="d", hint="h"),)}
    assert await history.rules() == ()
    assert history.newest_id == CHANNEL
    while not (found := await history.search("hello")).complete:
        pass
    assert [hit.message.id for hit in found.found] == [ONE]
    await history.close()


async def test_a_new_store_has_the_newest_version(tmp_path: Path) -> None:
    history, _ = await open_history(tmp_path / "store")
    await history.close()
    database = plyvel.DB(str(tmp_path / "store"))
    assert database.get(KEY) == b"%d" % (len(STEPS) + 1)
    database.close()
    assert (DATA / f"version-{len(STEPS) + 1}.json").exists(), "keep what this version writes"
