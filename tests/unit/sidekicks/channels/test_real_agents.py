"""What agents that nobody here wrote were seen to do, each imitated by the scripted agent.

`docs/agent-behaviour.md` says which agent does it, in which version.
"""

from __future__ import annotations

from sidekicks.events import AgentLog, MessageDelta, PermissionRequested
from sidekicks.models import Message, ToolPart
from tests.agents import scripted
from tests.talk import Talk, text_of


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
