"""Reference, "Qui répond à un message": each row and sentence, with real agents."""

from __future__ import annotations

import json
import re
from pathlib import Path

from sidekicks.events import (
    PermissionRequested,
    TurnChanged,
)
from sidekicks.models import (
    Message,
)
from tests.agents import scripted
from tests.core_parts import parts
from tests.talk import Talk, text_of


def answers(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(message.agent, text_of(message)) for message in messages if message.role == "agent"]


async def test_slash_agent_command_is_for_that_agent_which_gets_the_command_and_arguments(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada")
    answer = await talk.ask(channel, "/bob:plan the work !prompt")
    assert (answer.agent, text_of(answer)) == ("bob", "/plan the work !prompt")
    assert next(m.code for m in await talk.messages(channel) if m.agent == "bob") == "agent-joined"


async def test_without_a_mention_with_a_single_member_that_member(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("bob")
    assert (await talk.ask(channel, "hello")).agent == "bob"


async def test_a_message_that_begins_with_a_slash_after_mentions_is_a_command(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "@ada the word is pear")
    assert text_of(await talk.ask(channel, "@bob /review !prompt")) == "/review !prompt"


async def test_at_most_the_last_20_are_told_each_cut_at_1500_characters(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    for number in range(10):
        await talk.ask(channel, f"@ada number {number}")
    await talk.ask(channel, "@ada " + "x" * 2000)
    told = text_of(await talk.ask(channel, "@bob !prompt"))
    blocks = re.findall(r"<message from=\"(?:user|ada)\">\n(.*?)\n</message>", told, re.DOTALL)
    assert len(blocks) == 20
    assert blocks[0] == "@ada number 1"
    assert blocks[-2:] == [("@ada " + "x" * 2000)[:1500] + "…", ("echo: @ada " + "x" * 2000)[:1500] + "…"]


async def test_two_agents_compare_each_knowing_what_the_other_said(talk: Talk, tmp_path: Path) -> None:
    """The second is given the first's answer, and with the next message the first the second's."""
    talk.configure(*(scripted(name, f"prompts={tmp_path / name}") for name in ("codex", "claude")))
    channel = await talk.channel("codex")
    question = "@codex @claude compare your plans"
    await talk.ask(channel, question)
    await talk.ask(channel, "@codex @claude and now?")
    said = answers(await talk.messages(channel))
    assert [agent for agent, _ in said] == ["codex", "claude", "codex", "claude"]
    prompts = {
        name: [json.loads(line) for line in (tmp_path / name).read_text().splitlines()]
        for name in ("codex", "claude")
    }
    introduction = "Said in this channel before, for your information:"

    def told(author: str, words: str) -> str:
        return f'{introduction}\n<message from="{author}">\n{words}\n</message>\n\n'

    echo = f"echo: {question}"
    assert prompts == {
        "codex": [question, told("claude", echo) + "@codex @claude and now?"],
        "claude": [
            told("codex", echo) + question,
            told("codex", "echo: @codex @claude and now?") + "@codex @claude and now?",
        ],
    }


async def test_without_a_mention_when_nobody_answered_yet_nobody_and_no_recipient() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.channels.add_member(channel.id, "ada")
        await found.channels.add_member(channel.id, "bob")
        said = await found.say(channel.id, "hello")
        assert [(m.role, m.code) for m in said] == [("system", "no-recipient")]


async def test_without_a_mention_the_last_agent_that_answered() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.say(channel.id, "@ada one")
        await found.say(channel.id, "@bob two")
        assert [m.agent for m in await found.say(channel.id, "three")] == ["bob"]


async def test_any_other_message_is_sent_with_those_that_the_agent_has_not_seen() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.say(channel.id, "@ada first")
        await found.say(channel.id, "@bob second")
        third = text_of((await found.say(channel.id, "@ada !prompt"))[-1])
        assert "second" in third
        assert "echo: @bob second" in third
        assert "first" not in third
        assert text_of((await found.say(channel.id, "@ada !prompt"))[-1]) == "@ada !prompt"


async def test_a_command_is_sent_alone() -> None:
    async with parts(scripted("ada"), scripted("bob")) as found:
        channel = await found.channels.create("Plans")
        await found.say(channel.id, "@ada first")
        await found.say(channel.id, "@bob second")
        assert text_of((await found.say(channel.id, "/ada:tests !prompt"))[-1]) == "/tests !prompt"
        assert "second" in text_of((await found.say(channel.id, "@ada !prompt"))[-1])


async def test_mentioned_agents_answer_one_after_the_other_in_their_order_and_join_first(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "@bob @ada what is it? !prompt")
    messages = await talk.messages(channel)
    joined, sent, _, first, second = messages
    assert (joined.code, joined.agent, sent.role) == ("agent-joined", "ada", "user")
    assert (messages[2].code, messages[2].agent) == ("agent-joined", "bob")
    assert [first.agent, second.agent] == ["bob", "ada"]
    assert "Said in this channel" not in text_of(first)
    assert '<message from="bob">' in text_of(second)  # it knows what the first has said
    assert text_of(second).endswith("@bob @ada what is it? !prompt")
    turns = [event.answering for event in talk.recorder.of(TurnChanged)]
    assert list(dict.fromkeys(turns)) == ["bob", "ada", ""]


async def test_any_message_of_a_direct_conversation_and_a_command_for_an_agent(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    direct = (await talk.channels.direct("ada")).id
    assert text_of(await talk.ask(direct, "hi @bob")) == "echo: hi @bob"
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "@ada the word is pear")
    assert answers(await talk.messages(channel))[-1] == ("ada", "echo: @ada the word is pear")
    assert text_of(await talk.ask(channel, "/bob:say !prompt")) == "/say !prompt"


async def test_an_agent_answers_in_one_channel_at_a_time_and_another_says_whose_turn_it_is(
    talk: Talk,
) -> None:
    talk.configure(scripted("ada"))
    one, two, three = [await talk.channel("ada", name=name) for name in ("one", "two", "three")]
    await talk.channels.send(one, "!ask")
    first = await talk.recorder.until(PermissionRequested)
    await talk.channels.send(two, "!ask")
    await talk.channels.send(three, "hello")
    for waiting in (two, three):
        await talk.recorder.until(TurnChanged, lambda e, w=waiting: (e.channel, e.waiting_for) == (w, one))
        assert (await talk.channels.conversation(waiting)).waiting_for == one
    await talk.channels.answer_permission(first.id, "yes")
    second = await talk.recorder.until(PermissionRequested, lambda event: event.channel == two)
    assert (await talk.channels.conversation(two)).waiting_for == ""
    assert (await talk.channels.conversation(three)).waiting_for == two
    await talk.channels.answer_permission(second.id, "yes")
    await talk.free(three)
    assert (await talk.channels.conversation(three)).waiting_for == ""
