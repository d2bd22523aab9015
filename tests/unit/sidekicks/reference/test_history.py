"""Reference, "Historique": what is kept where, and what is not."""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from sidekicks.events import CommandsChanged, PermissionRequested
from sidekicks.history.open import data_path, open_history
from sidekicks.history.port import Member
from tests.agents import scripted
from tests.talk import Talk, text_of

NewTalk = Callable[[], Awaitable[Talk]]


@pytest.mark.parametrize("option", ["load", "resume"])
async def test_after_a_restart_an_agent_that_can_takes_its_session_up(new_talk: NewTalk, option: str) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada", option), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    session = text_of(await talk.ask(channel, "@ada !session"))
    await talk.ask(channel, "@bob the word is pear")
    await talk.close()
    talk = await new_talk()
    talk.configure(scripted("ada", option), scripted("bob"))
    told = text_of(await talk.ask(channel, "@ada !session !prompt"))
    assert told.startswith(session)
    assert "the word is pear" in told
    assert "@ada !session\n" not in told  # its session has it
    assert "old answer" not in told  # what is replayed is not shown again


@pytest.mark.parametrize("option", ["banner", "load-fails"])
async def test_after_a_restart_any_other_is_given_the_last_messages_with_its_first_prompt(
    new_talk: NewTalk, option: str
) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada", option))
    channel = await talk.channel("ada")
    session = text_of(await talk.ask(channel, "!session"))
    await talk.ask(channel, "the word is pear")
    await talk.close()
    talk = await new_talk()
    talk.configure(scripted("ada", option))
    told = text_of(await talk.ask(channel, "!session !prompt"))
    assert not told.startswith(session)
    assert "the word is pear" in told
    assert '<message from="ada (you)">\necho: the word is pear' in told


async def test_not_kept_an_answer_cut_off_by_closing_and_waiting_messages(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.begun(channel, "!text(well) !silent")
    await talk.channels.send(channel, "queued")
    await talk.close()
    messages = await (await new_talk()).messages(channel)
    assert [(m.role, text_of(m)) for m in messages[1:]] == [("user", "!text(well) !silent")]


def test_place_one_store_for_each_configuration_file_named_by_the_hash_of_its_absolute_path() -> None:
    base, config = Path("/base"), Path("/home/ada/sidekicks.yaml")
    folder = data_path(config, base)
    assert folder == base / hashlib.sha256(b"/home/ada/sidekicks.yaml").hexdigest()[:16]
    assert data_path(Path("/home/ada/other.yaml"), base) != folder


async def test_kept_channels_members_finished_messages_and_each_agents_last_commands(
    new_talk: NewTalk,
) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada", "commands"), scripted("bob"))
    channel = await talk.channel("ada")
    direct = await talk.channels.direct("bob")
    session = text_of(await talk.ask(channel, "!session"))
    await talk.recorder.until(CommandsChanged)
    channels, messages = talk.channels.list(), await talk.messages(channel)
    commands, members = talk.channels.commands("ada"), await talk.history.members(channel)
    seen = next(message.id for message in messages if message.role == "user")
    assert members == {"ada": Member(agent="ada", session_id=session, seen=seen)}
    await talk.close()
    talk = await new_talk()
    assert talk.channels.list() == channels
    assert direct in channels
    assert await talk.messages(channel) == messages
    assert talk.channels.commands("ada") == commands
    assert await talk.history.members(channel) == members


async def test_not_kept_pending_permissions(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask")
    await talk.recorder.until(PermissionRequested)
    await talk.close()
    talk = await new_talk()
    shown = await talk.channels.conversation(channel)
    assert (shown.permissions, shown.busy, shown.answering) == ((), False, "")


async def test_unavailable_the_history_lives_in_memory_until_closing_and_says_why(
    new_talk: NewTalk, tmp_path: Path
) -> None:
    """Another one has opened the same store."""
    await new_talk()
    history, problem = await open_history(tmp_path / "store")
    assert "another Sidekicks" in problem
    talk = Talk(history)
    await talk.channels.load()
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    assert text_of(await talk.ask(channel, "hello")) == "echo: hello"
    assert len(await talk.messages(channel)) == 3
    await talk.close()
