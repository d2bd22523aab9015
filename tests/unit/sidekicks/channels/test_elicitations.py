"""Questions of agents to the user: forms and links."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from sidekicks.channels.errors import ChannelError
from sidekicks.events import AgentLog, ElicitationRequested, ElicitationResolved
from sidekicks.models import FormField
from tests.sessions_parts import able
from tests.talk import Talk, text_of


async def asked(talk: Talk, channel: str, directive: str) -> ElicitationRequested:
    await talk.channels.send(channel, directive)
    return await talk.recorder.until(ElicitationRequested)


async def outcome(talk: Talk, channel: str) -> dict[str, Any]:
    await talk.free(channel)
    return json.loads(text_of((await talk.messages(channel))[-1]))


async def test_a_form_is_filled_in(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    form = await asked(talk, channel, "!elicit(0)")
    assert (form.channel, form.agent, form.message, form.url) == (channel, "ada", "Who are you?", "")
    name, age, colour, tags, ok = form.fields
    assert name == FormField(name="name", title="Name", kind="text", required=True, minimum=2)
    assert (age.kind, age.minimum, age.maximum) == ("integer", 0, 150)
    assert (colour.kind, colour.choices) == ("choice", (("r", "Red"),))
    assert (tags.kind, tags.choices, tags.maximum) == ("choices", (("a", "a"), ("b", "b")), 1)
    assert (ok.kind, ok.default) == ("boolean", True)
    assert [one.id for one in (await talk.channels.conversation(channel)).elicitations] == [form.id]
    values = {"name": "Ada", "age": 36, "colour": "r", "tags": ["b"], "ok": False}
    await talk.channels.answer_elicitation(form.id, "accept", values)
    assert await outcome(talk, channel) == {"action": "accept", "content": values}
    assert talk.recorder.of(ElicitationResolved)[0].id == form.id
    assert talk.channels.elicitations() == ()


async def test_what_does_not_fit_the_form_is_one_sentence_each(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    form = await asked(talk, channel, "!elicit(0)")
    values = {"name": "A", "age": 1.5, "colour": "blue", "tags": ["a", "b"], "ok": "yes", "more": 1}
    with pytest.raises(ChannelError) as raised:
        await talk.channels.answer_elicitation(form.id, "accept", values)
    assert str(raised.value).splitlines() == [
        "The form has no field more.",
        "Name has to have at least 2 characters.",
        "age is a whole number.",
        "colour can't be blue.",
        "tags takes 1 choices at most.",
        "ok is yes or no.",
    ]
    with pytest.raises(ChannelError, match="Name has to be filled in"):
        await talk.channels.answer_elicitation(form.id, "accept")
    await talk.channels.answer_elicitation(form.id, "decline")
    assert await outcome(talk, channel) == {"action": "decline"}
    with pytest.raises(ChannelError, match="answered already"):
        await talk.channels.answer_elicitation(form.id, "accept", {"name": "Ada"})


async def test_a_link_is_shown_whole_and_accepted(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    link = await asked(talk, channel, "!elicit(1)")
    assert (link.url, link.fields, link.message) == ("https://example.org/?a=1", (), "Please sign in")
    await talk.channels.answer_elicitation(link.id, "accept")
    assert await outcome(talk, channel) == {"action": "accept"}


async def test_a_link_that_was_followed_needs_no_answer(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    link = await asked(talk, channel, "!complete")
    assert await outcome(talk, channel) == {"action": "accept"}
    assert talk.recorder.of(ElicitationResolved)[0].id == link.id


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (2, "'javascript:alert(1)' is no link that a browser opens"),
        (3, "the field sketch is of the kind '_drawing'"),
    ],
)
async def test_what_cannot_be_shown_is_declined_with_the_reason_in_the_log(
    talk: Talk, number: int, reason: str
) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    answer = json.loads(text_of(await talk.ask(channel, f"!elicit({number})")))
    assert answer == {"action": "decline"}
    assert any(reason in event.line for event in talk.recorder.of(AgentLog))
    assert talk.recorder.of(ElicitationRequested) == []


async def test_stop_cancels_a_question(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    form = await asked(talk, channel, "!elicit(0)")
    await talk.channels.cancel(channel)
    assert talk.recorder.of(ElicitationResolved)[0].id == form.id
    assert talk.channels.elicitations() == ()
    assert (await talk.messages(channel))[-1].stop_reason == "cancelled"


async def test_an_agent_withdraws_its_question(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    form = await asked(talk, channel, "!withdrawn")
    await talk.free(channel)
    assert text_of((await talk.messages(channel))[-1]) == "withdrawn: -32800"
    assert talk.recorder.of(ElicitationResolved)[0].id == form.id


async def test_a_question_outside_of_any_session(talk: Talk) -> None:
    talk.configure(able("ada", "asks-first=1"))
    channel = await talk.channel("ada")
    sending = asyncio.create_task(talk.ask(channel, "hello"))
    form = await talk.recorder.until(ElicitationRequested)
    assert (form.channel, form.agent) == ("", "ada")
    assert [one.id for one in talk.channels.elicitations()] == [form.id]
    assert (await talk.channels.conversation(channel)).elicitations == ()
    await talk.channels.answer_elicitation(form.id, "cancel")
    assert text_of(await sending) == "echo: hello"


async def test_stop_cancels_what_is_asked_before_there_is_a_session(talk: Talk) -> None:
    talk.configure(able("ada", "asks-first=0"))
    channel = await talk.channel("ada")
    form = await asked(talk, channel, "hello")
    await talk.channels.cancel(channel)
    resolved = await talk.recorder.until(ElicitationResolved)
    assert (resolved.id, resolved.channel) == (form.id, "")
    assert not (await talk.channels.conversation(channel)).busy


async def test_the_end_of_an_agent_takes_its_question_away(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    form = await asked(talk, channel, "!elicit(0)")
    await talk.agents.stop("ada")
    await talk.free(channel)
    assert talk.recorder.of(ElicitationResolved)[0].id == form.id
    assert talk.channels.elicitations() == ()
