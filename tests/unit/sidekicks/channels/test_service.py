"""Channels with real agents: folders, what is told again, tool output, policies, sessions."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from sidekicks.channels.errors import ChannelError
from sidekicks.events import (
    PermissionRequested,
)
from sidekicks.models import (
    Message,
    ToolPart,
)
from tests.core_parts import Parts, parts, scripted, text_of


def tools(message: Message) -> list[ToolPart]:
    return [part for part in message.parts if isinstance(part, ToolPart)]


async def asked(found: Parts, after: int = 0) -> PermissionRequested:
    event = await found.events.until(lambda event: isinstance(event, PermissionRequested), after)
    assert isinstance(event, PermissionRequested)
    return event


# -- channels and members ------------------------------------------------------------------------------


@pytest.mark.parametrize("cwd", ["relative/path", "/nowhere/at/all"])
async def test_a_folder_that_is_none_is_refused(cwd: str) -> None:
    async with parts() as found:
        with pytest.raises(ChannelError):
            await found.channels.create("Plans", cwd=cwd)
        channel = await found.channels.create("Plans")
        with pytest.raises(ChannelError):
            await found.channels.set_cwd(channel.id, cwd)


async def test_the_channels_folder_is_the_sessions(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    async with parts(scripted("ada")) as found:
        channel = await found.channels.create("Plans", cwd=str(tmp_path / "one"))
        assert text_of((await found.say(channel.id, "@ada !cwd"))[-1]).endswith("one")
        await found.channels.set_cwd(channel.id, str(tmp_path / "two"))
        answer = (await found.say(channel.id, "!cwd !prompt"))[-1]
        assert "two" in text_of(answer)
        assert '<message from="user">\n@ada !cwd' in text_of(answer)


# -- messages ------------------------------------------------------------------------------------------


async def test_what_a_failed_turn_was_told_is_told_again() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.say(channel.id, "@ada first")
        await found.say(channel.id, "@bob second")
        await found.say(channel.id, "@ada !error(-32603, no luck)")
        assert "second" in text_of((await found.say(channel.id, "@ada !prompt"))[-1])


# -- what goes wrong -----------------------------------------------------------------------------------


async def test_a_tools_content_is_replaced_and_a_terminals_added() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        grown, made = tools((await found.say(channel.id, "!growing(30) !terminal(a b c)"))[-1])
        assert grown.output == "grown"
        assert (made.output, made.exit_code, made.status) == ("a\nb\nc\n", 2, "failed")


# -- permissions ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("policy", "kind", "free"),
    [
        ("ask", "read", False),
        ("read-only-free", "read", True),
        ("read-only-free", "search", True),
        ("read-only-free", "execute", False),
        ("read-only-free", "fetch", False),
        ("all-free", "execute", True),
    ],
)
async def test_a_definition_may_answer_by_itself(policy: str, kind: str, free: bool) -> None:
    async with parts(scripted("ada", permissions=policy)) as found:
        channel = await found.channels.direct("ada")
        await found.channels.send(channel.id, f"!ask({kind}, it)")
        if not free:
            request = await asked(found)
            await found.channels.answer_permission(request.id, "yes")
        await found.free(channel.id)
        assert any(isinstance(event, PermissionRequested) for event in found.events.all) is not free


# -- Stop ----------------------------------------------------------------------------------------------


# -- sessions, commands --------------------------------------------------------------------------------


async def test_one_session_per_channel_that_goes_on() -> None:
    async with parts(scripted("ada")) as found:
        one, two = await found.channels.direct("ada"), await found.channels.create("Plans")
        first = text_of((await found.say(one.id, "!session"))[-1])
        assert text_of((await found.say(one.id, "!session"))[-1]) == first
        assert text_of((await found.say(two.id, "@ada !session"))[-1]) != first


async def test_files_inside_the_folder_can_be_read_and_written_no_others(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("one\ntwo\n")
    (tmp_path / "out.txt").write_text("secret")
    (tmp_path / "in" / "link.txt").symlink_to(tmp_path / "out.txt")
    inside = tmp_path / "in"
    async with parts(scripted("ada", cwd=str(inside))) as found:
        channel = await found.channels.direct("ada")
        said = text_of(
            (await found.say(channel.id, f"!read({inside}/a.txt) !write({inside}/b/c.txt, new)"))[-1]
        )
        assert '"one\\ntwo\\n"' in said
        assert (inside / "b" / "c.txt").read_text() == "new"
        for path in (f"{tmp_path}/out.txt", f"{inside}/link.txt", f"{inside}/../out.txt", "a.txt"):
            said = text_of((await found.say(channel.id, f"!read({path}) !write({path}, x)"))[-1])
            assert said.count('"code"') == 2, path
        assert (tmp_path / "out.txt").read_text() == "secret"


async def test_ids_rise() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        for text in ("one", "two", "three"):
            await found.say(channel.id, text)
        ids = [message.id for message in (await found.channels.conversation(channel.id)).messages]
        assert all(first < second for first, second in itertools.pairwise(ids))
