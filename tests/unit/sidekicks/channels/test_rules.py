"""Answers that are remembered: per agent and kind of tool, listed, revoked, kept."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from sidekicks.channels.errors import ChannelError
from sidekicks.channels.rules import says_no_more
from sidekicks.events import PermissionRequested, RulesChanged
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.port import HistoryError
from sidekicks.models import PermissionRule, ToolPart
from tests.agents import scripted
from tests.core_parts import parts
from tests.core_parts import scripted as scripted_part
from tests.talk import Talk

NewTalk = Callable[[], Awaitable[Talk]]
FOUR = "allow_once, allow_always, reject_once, reject_always"


async def asked(talk: Talk, since: int = 0) -> PermissionRequested:
    return await talk.recorder.until(PermissionRequested, since=since)


async def outcome(talk: Talk, channel: str, text: str, answer: str = "") -> str:
    """The output of the call that `text` makes. `answer` is the user's, empty if nobody is asked."""
    since = len(talk.recorder.events)
    await talk.channels.send(channel, text)
    if answer:
        await talk.channels.answer_permission((await asked(talk, since)).id, answer)
    await talk.free(channel, since)
    assert bool(answer) == any(isinstance(e, PermissionRequested) for e in talk.recorder.events[since:])
    [tool] = (await talk.messages(channel))[-1].parts
    assert isinstance(tool, ToolPart)
    return tool.output


@pytest.mark.parametrize(
    ("chosen", "told", "allowed"),
    [
        ("allow_once-1", "done (allow_once-1)", None),
        ("allow_always-2", "done (allow_once-1)", True),
        ("reject_once-3", "rejected", None),
        ("reject_always-4", "rejected", False),
    ],
)
async def test_all_four_kinds(talk: Talk, chosen: str, told: str, allowed: bool | None) -> None:
    """The agent is told `once`, so that it asks again and the answer can be revoked here."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    assert await outcome(talk, channel, f"!choose(execute, {FOUR})", chosen) == told
    if allowed is None:
        assert talk.channels.rules() == ()
        assert talk.recorder.of(RulesChanged) == []
        return
    rule = PermissionRule(agent="ada", kind="execute", allowed=allowed)
    assert talk.channels.rules() == (rule,)
    assert talk.recorder.of(RulesChanged) == [RulesChanged(rules=(rule,))]
    assert await outcome(talk, channel, f"!choose(execute, {FOUR})") == told  # nobody is asked
    await talk.channels.forget_rule("ada", "execute")
    assert talk.recorder.of(RulesChanged)[-1] == RulesChanged(rules=())
    assert await outcome(talk, channel, f"!choose(execute, {FOUR})", "allow_once-1") == "done (allow_once-1)"


async def test_another_agent_and_another_kind_ask(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await outcome(talk, channel, "@ada !ask", "always")
    await outcome(talk, channel, "@ada !ask(edit)", "yes")
    await outcome(talk, channel, "@bob !ask", "yes")
    other = await talk.channel("ada", name="other")
    assert await outcome(talk, other, "!ask") == "done (yes)"  # it is for the agent, in whatever channel


async def test_what_the_agent_does_not_offer_once_it_is_told_as_chosen(talk: Talk) -> None:
    """It remembers by itself; when it asks all the same, the user is asked."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    text = "!choose(fetch, allow_always, reject_once)"
    assert await outcome(talk, channel, text, "allow_always-1") == "done (allow_always-1)"
    assert [rule.kind for rule in talk.channels.rules()] == ["fetch"]
    assert await outcome(talk, channel, text, "allow_always-1") == "done (allow_always-1)"


@pytest.mark.parametrize(
    "directive",
    [
        "!choose(switch_mode, allow_always, allow_once, reject_once)",
        "!choose(execute, allow_always, allow_always, reject_once)",
        "!choose(execute, allow_always, allow_once, allow_once)",
    ],
    ids=["another mode", "two always", "two once"],
)
async def test_a_real_choice_goes_to_the_agent_as_it_is(talk: Talk, directive: str) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    assert await outcome(talk, channel, directive, "allow_always-1") == "done (allow_always-1)"
    assert talk.channels.rules() == ()


NARROW = "Yes, and don't ask again for commands that start with `npm test`"


async def test_a_narrow_always_is_for_the_agent_alone_to_remember(talk: Talk) -> None:
    """What was read is what is allowed: no other command of the agent runs unasked because of it."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    assert await outcome(talk, channel, f"!offer(execute, {NARROW})", "always") == "done (always)"
    assert await outcome(talk, channel, f"!offer(execute, {NARROW})", "never") == "done (never)"
    assert talk.channels.rules() == ()
    assert await outcome(talk, channel, "!ask", "yes") == "done (yes)"


async def test_whoever_answers_is_told_what_will_be_and_was_remembered(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    rule = PermissionRule(agent="ada", kind="execute", allowed=True)
    for directive, remembered in ((f"!offer(execute, {NARROW})", None), ("!offer(execute, Always)", rule)):
        since = len(talk.recorder.events)
        await talk.channels.send(channel, directive)
        request = await asked(talk, since)
        marks = {option.option_id: option.remembered for option in request.options}
        assert marks == {"always": bool(remembered), "never": bool(remembered), "yes": False, "no": False}
        assert await talk.channels.answer_permission(request.id, "always") == remembered
        await talk.free(channel, since)


@pytest.mark.parametrize(
    "name",
    ["Always", "allow_always", "Always allow", "Yes, and don't ask again", "Yes, don’t ask again.", ""],
)
def test_words_that_say_no_more(name: str) -> None:
    assert says_no_more(name)


@pytest.mark.parametrize(
    "name",
    [
        NARROW,
        "Allow for this session",
        "Yes, and don't ask again for these files",
        "Always allow in this session",
        "Always allow `rm`",
        "Toujours",
    ],
)
def test_words_that_may_say_more(name: str) -> None:
    assert not says_no_more(name)


async def test_a_rule_does_not_answer_a_real_choice(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await outcome(talk, channel, "!ask", "always")
    text = "!choose(execute, allow_once, allow_once, reject_once)"
    assert await outcome(talk, channel, text, "allow_once-2") == "done (allow_once-2)"


async def test_what_waits_elsewhere_is_answered_too(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    one, two = await talk.channel("ada", name="one"), await talk.channel("bob", name="two")
    for channel in (one, two):
        await talk.channels.send(channel, "!ask")
    first = await talk.recorder.until(PermissionRequested, lambda event: event.agent == "ada")
    await talk.recorder.until(PermissionRequested, lambda event: event.agent == "bob")
    await talk.channels.answer_permission(first.id, "always")
    await talk.free(one)
    assert len((await talk.channels.conversation(two)).permissions) == 1  # that is bob's
    await talk.channels.cancel(two)


@pytest.mark.parametrize("policy", ["ask", "read-only-free", "all-free"])
async def test_a_remembered_refusal_is_stronger_than_the_definition(talk: Talk, policy: str) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await outcome(talk, channel, f"!choose(read, {FOUR})", "reject_always-4")
    talk.configure(scripted("ada", permissions=policy))
    assert await outcome(talk, channel, "!ask(read, it)") == "rejected"


async def test_rules_outlive_a_restart_and_a_missing_agent(new_talk: NewTalk) -> None:
    talk = await new_talk()
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await outcome(talk, channel, "!ask", "always")
    await outcome(talk, channel, f"!choose(edit, {FOUR})", "reject_always-4")
    kept = talk.channels.rules()
    await talk.close()
    talk = await new_talk()
    talk.configure()
    assert talk.channels.rules() == kept
    talk.configure(scripted("ada"))
    assert await outcome(talk, channel, "!ask") == "done (yes)"
    await talk.channels.forget_rule("ada", "edit")
    await talk.close()
    talk = await new_talk()
    assert [rule.kind for rule in talk.channels.rules()] == ["execute"]


class Full(MemoryHistory):
    """No rule can be written."""

    async def put_rule(self, rule: PermissionRule) -> None:
        raise HistoryError("The disk is full.")


async def test_an_answer_that_cannot_be_remembered_counts_once_and_says_so() -> None:
    async with parts(scripted_part("ada"), history=Full()) as found:
        channel = (await found.channels.direct("ada")).id
        await found.channels.send(channel, "!ask")
        request = await found.events.until(lambda event: isinstance(event, PermissionRequested))
        assert isinstance(request, PermissionRequested)
        with pytest.raises(ChannelError, match=r"counts this once.*disk is full"):
            await found.channels.answer_permission(request.id, "always")
        await found.free(channel)
        assert found.channels.rules() == ()
        [tool] = (await found.channels.conversation(channel)).messages[-1].parts
        assert isinstance(tool, ToolPart)
        assert tool.output == "done (yes)"
