"""Searching, exporting and importing, as the window and the command line do it."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from sidekicks.channels.errors import ChannelError
from sidekicks.events import ChannelsChanged
from sidekicks.history.port import HistoryError
from tests.core_parts import parts, scripted, text_of


async def test_what_was_said_is_searched_in_all_channels_or_one() -> None:
    async with parts(scripted("ada")) as core:
        direct = await core.channels.direct("ada")
        plans = await core.channels.create("plans")
        await core.say(direct.id, "where are the apples")
        await core.say(plans.id, "@ada bring apples")
        found = (await core.channels.search("apples")).found
        assert {hit.channel for hit in found} == {direct.id, plans.id}
        mine = [hit for hit in found if hit.message.role == "user"]
        assert [hit.snippet for hit in mine] == ["@ada bring apples", "where are the apples"]
        hit = (await core.channels.search("where", direct.id)).found[-1]
        assert hit.snippet[slice(*hit.spans[0])] == "where"


async def test_an_exported_channel_is_imported_beside_the_one_that_there_is(tmp_path: Path) -> None:
    async with parts(scripted("ada")) as core:
        plans = await core.channels.create("plans", "What we do")
        await core.say(plans.id, "@ada hello")
        await core.channels.export(plans.id, tmp_path / "plans.json", "json")
        before = (await core.channels.conversation(plans.id)).messages
        for name in ("plans (2)", "plans (3)"):
            copy = await core.channels.import_file(tmp_path / "plans.json")
            assert (copy.name, copy.description, copy.members) == (name, "What we do", ("ada",))
            assert isinstance(told := core.events.all[-1], ChannelsChanged)
            assert copy in told.channels
            conversation = await core.channels.conversation(copy.id)
            assert list(map(text_of, conversation.messages)) == list(map(text_of, before))
        [answer] = await core.say(copy.id, "and now?")
        assert answer.agent == "ada"
        assert core.channels.unread().get(copy.id, 0) <= 1


async def test_a_channel_is_exported_for_people(tmp_path: Path) -> None:
    async with parts(scripted("ada")) as core:
        direct = await core.channels.direct("ada")
        await core.say(direct.id, "hello there")
        out = io.StringIO()
        await core.channels.export(direct.id, out)
        assert out.getvalue().startswith("# Conversation with ada\n")
        assert "hello there" in out.getvalue()
        with pytest.raises(ChannelError):
            await core.channels.export("nothing", out)


async def test_what_cannot_be_imported_leaves_all_as_it_is(tmp_path: Path) -> None:
    async with parts(scripted("ada")) as core:
        (tmp_path / "x.json").write_text('{"format":"other"}')
        with pytest.raises(HistoryError, match="not a channel"):
            await core.channels.import_file(tmp_path / "x.json")
        assert core.channels.list() == ()
