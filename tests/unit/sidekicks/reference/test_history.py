"""Reference, "Historique": what is kept where, and what is not."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

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
