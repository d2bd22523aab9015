"""What agents that nobody here wrote were seen to do, each imitated by the scripted agent.

`docs/agent-behaviour.md` says which agent does it, in which version.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable

from sidekicks.events import AgentLog, MessageDelta, PermissionRequested, TitleChanged
from sidekicks.models import Message, ToolPart
from tests.agents import scripted
from tests.sessions_parts import able
from tests.talk import Talk, text_of

NewTalk = Callable[[], Awaitable[Talk]]


def tool_of(message: Message) -> ToolPart:
    [tool] = [part for part in message.parts if isinstance(part, ToolPart)]
    return tool


# -- tool calls and permissions ----------------------------------------------------------------------


async def test_a_call_that_was_allowed_is_under_way(talk: Talk) -> None:
    """Codex calls it pending while it asks; Claude too, and tells nothing more until its end."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask-again")
    request = await talk.recorder.until(PermissionRequested)
    assert request.tool_call.status == "pending"
    await talk.channels.answer_permission(request.id, "yes")
    await talk.free(channel)
    states = [
        delta.part.status for delta in talk.recorder.of(MessageDelta) if isinstance(delta.part, ToolPart)
    ]
    assert states[states.index("pending", 1) :][:3] == ["pending", "in_progress", "completed"]


async def test_a_call_that_was_refused_is_not_under_way(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask-again")
    request = await talk.recorder.until(PermissionRequested)
    seen = len(talk.recorder.events)
    await talk.channels.answer_permission(request.id, "no")
    await talk.free(channel)
    parts = [event.part for event in talk.recorder.events[seen:] if isinstance(event, MessageDelta)]
    assert [part.status for part in parts if isinstance(part, ToolPart)] == ["failed"] * len(parts)


async def test_the_tools_name_does_not_replace_the_title(talk: Talk) -> None:
    """Codex ends a call with `name: exec_command` and no title: the command stays readable."""
    talk.configure(scripted("ada", permissions="all-free"))
    tool = tool_of(await talk.ask(await talk.channel("ada"), "!ask-again(execute, rm notes.txt)"))
    assert (tool.title, tool.status, tool.output) == ("rm notes.txt", "completed", "done (yes)made\n")


# -- what is no part of an answer --------------------------------------------------------------------


async def test_a_warning_is_shown_once_beside_the_answers(talk: Talk) -> None:
    """Codex warns of an unknown model in every turn, before its first word; others are not told of it."""
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    for _ in range(2):
        await talk.ask(channel, "@ada !notice(warning, No metadata) !text(well)")
    answer = await talk.ask(channel, "@bob !prompt")
    messages = await talk.messages(channel)
    assert [(m.agent, m.error) for m in messages if m.code == "notice"] == [("ada", "No metadata")]
    assert [text_of(m) for m in messages if m.agent == "ada" and m.role == "agent"] == ["well", "well"]
    assert text_of(answer).count('<message from="ada">\nwell\n</message>') == 2


async def test_information_is_for_the_log_alone(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    answer = await talk.ask(await talk.channel("ada"), "!notice(info, Cache is warm) !text(well)")
    assert text_of(answer) == "well"
    await talk.recorder.until(AgentLog, lambda event: event.line == "Cache is warm")


async def test_what_a_session_says_in_its_own_words_changes_nothing(talk: Talk) -> None:
    """Codex and pi tell in `session_info_update` that they work, without a title; it stays as it is."""
    talk.configure(scripted("ada", "auth-status"))
    channel = await talk.channel("ada")
    answer = await talk.ask(channel, "!title(Plans) !status !text(well)")
    assert (text_of(answer), answer.error) == ("well", "")
    assert [event.title for event in talk.recorder.of(TitleChanged)] == ["Plans"]
    assert (await talk.channels.conversation(channel)).titles == {"ada": "Plans"}
    assert talk.agents.logs("ada") == ()


async def test_what_was_said_before_is_no_title(talk: Talk) -> None:
    """Codex calls a session by its first words, which are not the user's where there is a past to tell."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "!title(Plans) !title(Said in this channel before, for your information: hm)")
    assert (await talk.channels.conversation(channel)).titles == {"ada": "Plans"}


async def test_modes_that_are_an_option_already_are_shown_once(talk: Talk) -> None:
    """pi offers its thinking levels as modes and as a config option."""
    levels = [{"value": value, "name": value.title()} for value in ("ask", "code", "plan")]
    thinking = {"id": "level", "name": "Thinking", "category": "thought_level", "type": "select"}
    options = json.dumps([{**thinking, "currentValue": "ask", "options": levels}])
    talk.configure(able("ada", "modes", f"options={options}"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "hello")
    assert [option.id for option in talk.channels.options(channel)["ada"]] == ["level"]


# -- sessions after a restart ------------------------------------------------------------------------


async def test_a_session_that_was_loaded_empty_is_lost(new_talk: NewTalk) -> None:
    """pi takes up any session: one that it has no file of is a new one, and nothing says so."""
    first = await new_talk()
    first.configure(scripted("ada", "load-forgets"))
    channel = await first.channel("ada")
    await first.ask(channel, "remember the heron")
    await first.close()
    second = await new_talk()
    second.configure(scripted("ada", "load-forgets"))
    prompt = text_of(await second.ask(channel, "which bird? !prompt"))
    assert "remember the heron" in prompt
    assert 'from="ada (you)"' in prompt
    assert "session-lost" in {message.code for message in await second.messages(channel)}
    assert "heron" not in text_of(await second.ask(channel, "once more !prompt"))


async def test_a_session_that_fails_with_its_prompt_is_replaced_by_another(new_talk: NewTalk) -> None:
    """Codex resumes a session whose file is gone, and cannot find it when it is asked something."""
    first = await new_talk()
    first.configure(scripted("ada", "resume"))
    channel = await first.channel("ada")
    lost = text_of(await first.ask(channel, "remember the heron !session"))
    await first.close()
    second = await new_talk()
    second.configure(scripted("ada", "resume"))
    failed = await second.ask(channel, "which bird? !lost")
    assert failed.error.endswith("; its session is lost, so the next message begins another one")
    answer = text_of(await second.ask(channel, "well? !session !prompt"))
    assert "remember the heron" in answer
    assert not answer.startswith(lost)
    assert "heron" not in text_of(await second.ask(channel, "once more !prompt"))


async def test_a_past_that_is_told_after_the_load_is_not_shown_again(new_talk: NewTalk) -> None:
    """Gemini answers `session/load` first and tells the past then."""
    first = await new_talk()
    first.configure(scripted("ada", "load-late"))
    channel = await first.channel("ada")
    await first.ask(channel, "old question")
    await first.close()
    second = await new_talk()
    second.configure(scripted("ada", "load-late"))
    assert text_of(await second.ask(channel, "and now?")) == "echo: and now?"
    assert "session-lost" not in {message.code for message in await second.messages(channel)}


# -- how turns end -----------------------------------------------------------------------------------


async def test_a_refusal_that_ends_the_turn_is_no_stop(talk: Talk) -> None:
    """Codex calls its turn cancelled when the user rejects a call: whoever is next still answers."""
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.channels.send(channel, "@ada @bob !ask-or-stop !text(done)")
    first = await talk.recorder.until(PermissionRequested)
    await talk.channels.answer_permission(first.id, "no")
    second = await talk.recorder.until(PermissionRequested, lambda event: event.agent == "bob")
    await talk.channels.answer_permission(second.id, "yes")
    await talk.free(channel)
    answers = [message for message in await talk.messages(channel) if message.role == "agent"]
    assert [(m.agent, m.stop_reason, m.error) for m in answers] == [
        ("ada", "cancelled", ""),
        ("bob", "end_turn", ""),
    ]


async def test_a_login_may_be_asked_for_by_the_first_prompt(talk: Talk) -> None:
    """Claude makes a session for whoever is not logged in, offers no way to, and refuses the prompt."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    answer = await talk.ask(channel, "!error(-32000, Authentication required)")
    assert "log in" in answer.error
    again = await talk.ask(channel, "and now? !prompt")
    assert again.stop_reason == "end_turn"
    assert "!error" in text_of(again)  # it has not taken in the question that it refused


async def test_a_command_may_begin_with_another_sign(talk: Talk) -> None:
    """Codex announces its skills as `$name`."""
    talk.configure(scripted("ada"))
    answer = await talk.ask(await talk.channel("ada"), "/ada:$pdf make one !prompt")
    assert text_of(answer) == "/$pdf make one !prompt"


async def test_an_agent_that_was_killed_is_told_what_it_had_said(talk: Talk) -> None:
    """Agents keep an answer when it is whole: after a crash the user sees one that they know nothing of."""
    talk.configure(scripted("ada", "resume"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "hello")
    assert "SIGKILL" in (await talk.ask(channel, "count !text(one and two) !kill")).error
    prompt = text_of(await talk.ask(channel, "go on !prompt"))
    assert '<message from="ada (you)">\none and two\n</message>' in prompt
    assert "hello" not in prompt


async def test_an_agent_that_was_stopped_is_told_what_it_had_said(talk: Talk) -> None:
    """Codex and pi keep nothing of an answer that was stopped; the user has seen it all the same."""
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.begun(channel, "count !text(one and two) !wait(20)")
    await talk.channels.cancel(channel)
    prompt = text_of(await talk.ask(channel, "go on !prompt"))
    assert prompt.count('<message from="ada (you)">\none and two\n</message>') == 1
    assert "count" not in prompt  # it has the question
    assert "one and two" not in text_of(await talk.ask(channel, "and now !prompt"))
