"""What agents that nobody here wrote were seen to do, each imitated by the scripted agent.

`docs/agent-behaviour.md` says which agent does it, in which version.
"""

from __future__ import annotations

from sidekicks.events import MessageDelta, PermissionRequested
from sidekicks.models import Message, ToolPart
from tests.agents import scripted
from tests.talk import Talk


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
