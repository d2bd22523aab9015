"""Channels as files, to be read by people or in again."""

from __future__ import annotations

import asyncio
import io
import json
import re
import sys
from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import msgspec
import pytest
from markdown_it import MarkdownIt

from sidekicks.history.export import Format, exported, write_channel
from sidekicks.history.importing import import_channel
from sidekicks.history.leveldb import LevelHistory
from sidekicks.history.markdown import rendered
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.open import open_history
from sidekicks.history.port import History, HistoryError
from sidekicks.history.reading import ImportRefusedError
from sidekicks.ids import Ids
from sidekicks.models import (
    Channel,
    Diff,
    FilePart,
    ImagePart,
    Location,
    Message,
    PlanEntry,
    PlanPart,
    TextPart,
    ThoughtPart,
    ToolPart,
)

ids = Ids()
CHANNEL = Channel(id=ids.new(), name="plans", description="What we do", members=("ada", "bob"))
SAID = datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC)
TOOL = ToolPart(
    id="t",
    title="Edit <main>.py",
    kind="edit",
    status="failed",
    input='{"path":"main.py"}',
    output="```\nfenced\n```",
    locations=(Location(path="main.py", line=3),),
    diffs=(Diff(path="main.py", old_text="a\nb\n", new_text="a\nc\n"),),
    exit_code=2,
)


def said(text: str = "hello é 🤖", **fields: object) -> Message:
    message = Message(
        id=ids.new(), channel=CHANNEL.id, created_at=SAID, role="user", parts=(TextPart(text=text),)
    )
    return msgspec.structs.replace(message, **fields)


def everything() -> list[Message]:
    parts = (
        ThoughtPart(text="let me see", seconds=2.6),
        TextPart(text="**Done** with `it`"),
        TOOL,
        PlanPart(entries=(PlanEntry(content="one", status="completed"), PlanEntry(content="two"))),
        ImagePart(mime_type="image/png", data=b"\x89PNG\0", name="plot.png"),
        FilePart(path="/tmp/a b.txt"),
    )
    return [
        said(),
        said(role="agent", agent="ada", parts=parts, stop_reason="max_tokens", finished_at=SAID),
        said(role="system", agent="bob", parts=(), code="agent-joined"),
        said(role="agent", agent="bob", error="it crashed"),
    ]


@pytest.fixture(params=["leveldb", "memory"])
async def history(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncGenerator[History]:
    opened: History = MemoryHistory()
    if request.param == "leveldb":
        opened, _ = await open_history(tmp_path / "store")
    yield opened
    await opened.close()


async def kept(history: History, messages: list[Message], channel: Channel = CHANNEL) -> None:
    await history.put_messages(messages)
    await history.put_channel(channel)


async def text_of(history: History, form: Format, channel: Channel = CHANNEL) -> str:
    return "".join([piece async for piece in exported(history, channel, form, UTC)])


async def imported(history: History, path: Path) -> tuple[Channel, list[Message]]:
    channel = await import_channel(history, path, ids.new)
    await history.put_channel(channel)
    return channel, list(await history.following(channel.id, limit=10_000))


async def test_json_has_every_field_as_the_models_name_them(history: History) -> None:
    messages = everything()
    await kept(history, messages)
    found = json.loads(await text_of(history, "json"))
    assert (found["format"], found["version"]) == ("sidekicks-channel", 1)
    assert found["channel"]["members"] == ["ada", "bob"]
    assert [message["role"] for message in found["messages"]] == ["user", "agent", "system", "agent"]
    assert found["messages"][1]["stopReason"] == "max_tokens"
    assert found["messages"][1]["parts"][2]["diffs"][0]["oldText"] == "a\nb\n"
    again = [msgspec.convert(message, Message, strict=False) for message in found["messages"]]
    assert again == messages


@pytest.mark.parametrize("count", [0, 1, 200, 1_001])
async def test_what_was_exported_comes_back_as_another_channel(
    history: History, tmp_path: Path, count: int
) -> None:
    messages = [*everything(), *(said(f"number {number}") for number in range(count))] if count else []
    await kept(history, messages)
    await write_channel(history, CHANNEL, tmp_path / "plans.json", "json")
    channel, copies = await imported(history, tmp_path / "plans.json")
    assert channel.id > CHANNEL.id
    assert msgspec.structs.replace(channel, id=CHANNEL.id) == CHANNEL
    assert len(copies) == len(messages)
    for copy, message in zip(copies, messages, strict=True):
        assert copy.id != message.id
        assert copy.channel == channel.id
        assert msgspec.structs.replace(copy, id=message.id, channel=CHANNEL.id) == message
    assert await history.following(CHANNEL.id, limit=10_000) == tuple(messages)
    assert await history.unread(channel.id) == 0
    assert all(copy.id < ids.new() for copy in copies)


async def test_imported_messages_are_found_at_their_time(history: History, tmp_path: Path) -> None:
    await kept(history, [said(f"apple {number}") for number in range(200)])
    await write_channel(history, CHANNEL, tmp_path / "old.json", "json")
    await history.delete_channel(CHANNEL.id)
    await history.put_message(said("apple now", channel="other"))
    await imported(history, tmp_path / "old.json")
    async with asyncio.timeout(20):
        while len((found := await history.search("apple", limit=500)).found) < 201 or not found.complete:
            pass
    assert [hit.snippet for hit in found.found[:3]] == ["apple now", "apple 199", "apple 198"]


async def test_a_direct_conversation_becomes_a_channel_with_its_agent(
    history: History, tmp_path: Path
) -> None:
    direct = Channel(id=CHANNEL.id, direct="ada", members=("ada",), cwd=str(tmp_path / "gone"))
    await kept(history, [said()], direct)
    await write_channel(history, direct, tmp_path / "ada.json", "json")
    channel, _ = await imported(history, tmp_path / "ada.json")
    assert channel == Channel(id=channel.id, name="ada", members=("ada",))


async def test_a_file_from_a_clock_that_was_ahead_is_older_than_what_is_said_next(
    history: History, tmp_path: Path
) -> None:
    ahead = Ids("7ZZZZZZZZZ0000000000000000")
    await kept(history, [msgspec.structs.replace(said(), id=ahead.new()) for _ in range(3)])
    await write_channel(history, CHANNEL, tmp_path / "ahead.json", "json")
    channel, copies = await imported(history, tmp_path / "ahead.json")
    await history.put_message(said("next", channel=channel.id))
    assert len(copies) == 3
    assert (await history.page(channel.id)).messages[-1].parts == (TextPart(text="next"),)


async def test_a_file_that_another_program_has_laid_out_anew(history: History, tmp_path: Path) -> None:
    await kept(history, everything())
    path = tmp_path / "plans.json"
    for indent in (None, 2):
        path.write_text(json.dumps(json.loads(await text_of(history, "json")), indent=indent))
        _, copies = await imported(history, path)
        assert len(copies) == 4


def _lines(text: str, change: tuple[int, str, str]) -> str:
    lines = text.split("\n")
    number, old, new = change
    assert old in lines[number - 1]
    lines[number - 1] = lines[number - 1].replace(old, new)
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ((1, '"version":1', '"version":2'), "from a newer Sidekicks"),
        ((1, "sidekicks-channel", "other-thing"), "not a channel that Sidekicks exported"),
        ((1, '"members":["ada","bob"]', '"members":7'), "line 1: "),
        ((3, '"role":"agent"', '"role":"robot"'), "line 3: Invalid enum value 'robot' - at `$.role`"),
        ((3, '"role"', '"'), "line 3: "),
        ((4, '"id":"', '"id":"x'), "line 4: 'x"),
        ((5, '"id":"', '"id":"00000000000000000000000000","was":"'), "line 5: the message is not newer"),
        ((6, "]}", ""), "its end is missing"),
        ((6, "]}", "]}\nmore"), "line 7: something follows the end"),
    ],
)
async def test_a_file_that_is_not_right_is_refused_whole(
    history: History, tmp_path: Path, change: tuple[int, str, str], problem: str
) -> None:
    await kept(history, everything())
    text = _lines(await text_of(history, "json"), change)
    await refused(history, tmp_path / "plans.json", text, problem)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is no JSON"),
        ("# plans\n", "it is no JSON"),
        ("[1, 2]", "not a channel that Sidekicks exported"),
        ('{"a": 1}', "not a channel that Sidekicks exported"),
        ('{"format":"sidekicks-channel","version":1}', "missing required field `channel`"),
        ("\x00\x01", "it is no JSON"),
    ],
)
async def test_a_file_of_another_kind_is_refused(
    history: History, tmp_path: Path, text: str, problem: str
) -> None:
    await refused(history, tmp_path / "plans.json", text, problem)


async def refused(history: History, path: Path, text: str, problem: str) -> None:
    path.write_text(text)
    before = [(channel, await history.page(channel.id)) for channel in await history.channels()]
    with pytest.raises(ImportRefusedError) as refusal:
        await import_channel(history, path, ids.new)
    assert str(refusal.value).startswith(f"{path} can't be imported: ")
    assert problem in str(refusal.value)
    assert [(channel, await history.page(channel.id)) for channel in await history.channels()] == before


async def test_a_file_that_is_not_there(history: History, tmp_path: Path) -> None:
    with pytest.raises(ImportRefusedError, match="No such file"):
        await import_channel(history, tmp_path / "nothing", ids.new)


async def test_an_import_that_does_not_end_is_taken_away_at_the_next_start(tmp_path: Path) -> None:
    history, _ = await open_history(tmp_path / "store")
    left = [said(f"left {number}") for number in range(1_500)]
    await history.put_messages(left)
    await history.put_last_read(CHANNEL.id, left[-1].id)
    await history.close()
    history, problem = await open_history(tmp_path / "store")
    assert isinstance(history, LevelHistory)
    assert problem == ""
    async with asyncio.timeout(20):
        while await history.newest_message() or await history.last_read(CHANNEL.id):
            pass
    assert (await history.search("left")).found == ()
    await history.close()


async def test_markdown_is_for_people(history: History) -> None:
    await kept(history, everything())
    assert await text_of(history, "markdown") == MARKDOWN


MARKDOWN = """\
# plans

What we do

Agents: ada, bob

---

**You** · 2026-03-04 05:06

hello é 🤖

---

**ada** · 2026-03-04 05:06 · max tokens

<details><summary>Thought for 3 s</summary>

let me see

</details>

**Done** with `it`

<details><summary>edit: Edit &lt;main&gt;.py (failed, exit code 2)</summary>

`main.py:3`

Input:

```json
{"path":"main.py"}
```

Changed: `main.py`

```diff
@@ -1,2 +1,2 @@
 a
-b
+c
```

Output:

````
```
fenced
```
````

</details>

- [x] one
- [ ] two

*Image: plot.png, image/png, 5 bytes*

*File: `/tmp/a b.txt`*

---

*2026-03-04 05:06 · bob joined*

---

**bob** · 2026-03-04 05:06 · it crashed

hello é 🤖
"""


@pytest.mark.parametrize(
    "text",
    ["```python\nprint(1)", "~~~~\n~~~\n```", "```\n```` x\n", "``` not`a fence\n```\ncode", "text\n---"],
)
def test_what_was_cut_off_does_not_take_in_what_follows(text: str) -> None:
    tokens = MarkdownIt().parse(rendered(said(text)) + rendered(said("next")))
    assert [token.content for token in tokens if token.type == "inline"][-1] == "next"
    assert sum(token.type == "hr" for token in tokens) == 2


def test_times_are_of_the_place(history: History) -> None:
    zone = timezone(timedelta(hours=2))
    assert "2026-03-04 07:06" in rendered(said(), zone)


async def test_a_long_channel_is_never_in_memory_whole(tmp_path: Path) -> None:
    history, _ = await open_history(tmp_path / "store")
    await kept(history, [said("x" * 10_000) for _ in range(1_000)])
    sizes = [len(piece) async for piece in exported(history, CHANNEL, "json")]
    assert sum(sizes) > 10_000_000
    assert max(sizes) < 1_000_000
    await history.close()


async def test_to_what_is_open_for_writing(history: History) -> None:
    await kept(history, everything())
    out = io.StringIO()
    await write_channel(history, CHANNEL, out, "json")
    assert out.getvalue() == await text_of(history, "json")


@pytest.mark.skipif(sys.platform == "win32", reason="files have no modes")
async def test_the_file_is_the_users_alone_and_whole(history: History, tmp_path: Path) -> None:
    await kept(history, everything())
    path = tmp_path / "plans.md"
    await write_channel(history, CHANNEL, path, "markdown")
    assert path.stat().st_mode & 0o777 == 0o600
    assert re.search("crashed", path.read_text())
    with pytest.raises(HistoryError, match=r"plans\.md/x can't be written"):
        await write_channel(history, CHANNEL, path / "x", "markdown")
