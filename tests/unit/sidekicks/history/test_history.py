"""What any history does, whatever keeps it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from sidekicks.history.memory import MemoryHistory
from sidekicks.history.open import open_history
from sidekicks.history.port import History, Member
from sidekicks.ids import Ids
from sidekicks.models import (
    Channel,
    Command,
    Diff,
    Message,
    Page,
    PermissionRule,
    Role,
    SystemCode,
    TextPart,
    ToolPart,
)


def message(number: int, channel: str = "C1", role: Role = "user", agent: str = "") -> Message:
    return Message(
        id=f"{number:026d}",
        channel=channel,
        created_at=datetime(2026, 1, 1, 12, 30, 0, 123456, tzinfo=UTC),
        role=role,
        agent=agent,
        parts=(
            TextPart(text=f"number {number} é 🤖"),
            ToolPart(id="t", title="edit", diffs=(Diff(path="a", old_text="", new_text="b", new_file=True),)),
        ),
        stop_reason="end_turn",
    )


def numbers(found: Page | tuple[Message, ...]) -> list[int]:
    return [int(each.id) for each in (found.messages if isinstance(found, Page) else found)]


@pytest.fixture(params=["leveldb", "memory"])
async def history(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[History]:
    if request.param == "memory":
        opened: History = MemoryHistory()
    else:
        opened, problem = await open_history(tmp_path / "store")
        assert problem == ""
    yield opened
    await opened.close()


async def test_an_empty_history(history: History) -> None:
    assert await history.channels() == ()
    assert await history.page("C1") == Page(messages=(), more=False)
    assert await history.message("X") is None
    assert (await history.last_answerer("C1"), await history.last_read("C1"), history.newest_id) == (
        "",
        "",
        "",
    )


async def test_a_message_comes_back_as_it_was(history: History) -> None:
    await history.put_message(message(1))
    assert (await history.page("C1")).messages == (message(1),)
    assert await history.message(message(1).id) == message(1)


async def test_channels_are_the_oldest_first_and_replaced(history: History) -> None:
    for channel in (Channel(id="B"), Channel(id="A", name="a"), Channel(id="B", name="b", members=("mm",))):
        await history.put_channel(channel)
    assert await history.channels() == (Channel(id="A", name="a"), Channel(id="B", name="b", members=("mm",)))


async def test_pages_go_back_to_the_beginning(history: History) -> None:
    for number in range(1, 251):
        await history.put_message(message(number))
        await history.put_message(message(1000 + number, channel="C2"))
    last = await history.page("C1")
    assert (numbers(last), last.more) == (list(range(151, 251)), True)
    older = await history.page("C1", before=last.messages[0].id)
    assert (numbers(older), older.more) == (list(range(51, 151)), True)
    first = await history.page("C1", before=older.messages[0].id)
    assert (numbers(first), first.more) == (list(range(1, 51)), False)
    assert (await history.page("C1", limit=250)).more is False


async def test_messages_are_in_the_order_of_their_ids(history: History) -> None:
    for number in (3, 1, 2, 3):
        await history.put_message(message(number))
    assert numbers(await history.page("C1")) == [1, 2, 3]


async def test_the_messages_after_one(history: History) -> None:
    for number in range(1, 11):
        await history.put_message(message(number))
    assert numbers(await history.after("C1", message(7).id)) == [8, 9, 10]
    assert numbers(await history.after("C1", "", limit=2)) == [9, 10]
    assert await history.after("C1", message(10).id) == ()


async def test_what_agents_said_since_the_last_read_message_is_counted(history: History) -> None:
    for number in range(1, 11):
        await history.put_message(message(number, role="agent", agent="ada"))
    assert await history.unread("C1", limit=5) == 5
    assert await history.unread_counts() == {}  # never read: from before there was such a thing
    await history.put_last_read("C1", message(8).id)
    assert (await history.unread("C1"), await history.last_read("C1")) == (2, message(8).id)
    await history.put_last_read("C2", message(8).id)
    assert await history.unread_counts() == {"C1": 2}
    assert await history.unread_counts(limit=1) == {"C1": 1}


async def test_own_messages_and_who_came_and_went_are_no_news(history: History) -> None:
    codes: tuple[SystemCode, ...] = ("agent-joined", "agent-left", "no-recipient", "agent-unavailable")
    await history.put_message(message(1))
    for number, code in enumerate(codes, 2):
        note = msgspec.structs.replace(message(number, role="system"), code=code)
        await history.put_message(note)
    assert await history.unread("C1") == 2


async def test_remembered_answers_are_replaced_and_forgotten(history: History) -> None:
    allowed = PermissionRule(agent="bob", kind="edit", allowed=True)
    refused = PermissionRule(agent="ada", kind="execute", allowed=False)
    for rule in (allowed, msgspec.structs.replace(refused, allowed=True), refused):
        await history.put_rule(rule)
    assert await history.rules() == (refused, allowed)
    await history.delete_rule("ada", "execute")
    await history.delete_rule("ada", "read")
    assert await history.rules() == (allowed,)


async def test_the_last_agent_that_answered(history: History) -> None:
    await history.put_message(message(1, role="agent", agent="ada"))
    await history.put_message(message(2, role="agent", agent="bob"))
    await history.put_message(message(3))
    await history.put_message(message(4, role="system", agent="eve"))
    assert await history.last_answerer("C1") == "bob"


async def test_members_keep_their_sessions(history: History) -> None:
    await history.put_member("C1", Member(agent="ada", session_id="s1"))
    await history.put_message(message(1), Member(agent="bob", session_id="s2", seen=message(1).id))
    await history.put_member("C2", Member(agent="ada", session_id="s3"))
    await history.put_member("C1", Member(agent="ada", session_id="s4", seen="x"))
    assert await history.members("C1") == {
        "ada": Member(agent="ada", session_id="s4", seen="x"),
        "bob": Member(agent="bob", session_id="s2", seen=message(1).id),
    }
    await history.delete_member("C1", "ada")
    assert list(await history.members("C1")) == ["bob"]


async def test_commands_are_replaced(history: History) -> None:
    await history.put_commands("ada", (Command(name="plan"),))
    await history.put_commands("ada", (Command(name="test", description="d", hint="h"),))
    await history.put_commands("bob", ())
    assert await history.commands() == {"ada": (Command(name="test", description="d", hint="h"),), "bob": ()}


async def test_a_deleted_channel_leaves_nothing(history: History) -> None:
    for channel in ("C1", "C10", "C2"):
        await history.put_channel(Channel(id=channel))
        await history.put_member(channel, Member(agent="ada"))
        await history.put_last_read(channel, "x")
    for number in range(1, 4):
        await history.put_message(message(number))
        await history.put_message(message(number + 10, channel="C10"))
    await history.delete_channel("C1")
    assert [channel.id for channel in await history.channels()] == ["C10", "C2"]
    assert numbers(await history.page("C1")) == []
    assert await history.members("C1") == {}
    assert await history.last_read("C1") == ""
    assert await history.message(message(1).id) is None
    assert numbers(await history.page("C10")) == [11, 12, 13]
    assert list(await history.members("C10")) == ["ada"]
    await history.delete_channel("C1")


async def test_all_of_it_is_there_after_a_restart(tmp_path: Path) -> None:
    ids = Ids()
    written, _ = await open_history(tmp_path / "store")
    channel, one = ids.new(), ids.new()
    await written.put_channel(Channel(id=channel))
    await written.put_message(Message(id=one, channel=channel, created_at=datetime.now(UTC), role="user"))
    await written.put_commands("ada", (Command(name="plan"),))
    await written.put_last_read(channel, one)
    await written.close()
    read, problem = await open_history(tmp_path / "store")
    assert problem == ""
    assert [found.id for found in await read.channels()] == [channel]
    assert [found.id for found in (await read.page(channel)).messages] == [one]
    assert await read.last_read(channel) == one
    assert list(await read.commands()) == ["ada"]
    assert read.newest_id == one
    assert Ids(after=read.newest_id).new() > one
    await read.close()
