"""A permission is given to the very call that was shown."""

from __future__ import annotations

import pytest

from sidekicks.events import PermissionRequested, PermissionResolved
from sidekicks.models import Message, PermissionRequest, ToolPart
from tests.agents import scripted
from tests.talk import Talk

CHANGES = ["title", "input", "locations", "diff"]


def details(request: PermissionRequest) -> tuple[object, ...]:
    tool = request.tool_call
    return (tool.title, tool.kind, tool.input, tool.locations, tool.diffs)


def notices(messages: tuple[Message, ...]) -> list[str]:
    return [message.error for message in messages if message.code == "notice"]


@pytest.mark.parametrize(("field", "value"), [*((field, "rm") for field in CHANGES), ("kind", "delete")])
async def test_a_call_that_changes_while_it_waits_is_asked_anew(talk: Talk, field: str, value: str) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, f"!ask-changing({field}, {value})")
    first = await talk.recorder.until(PermissionRequested)
    second = await talk.recorder.until(PermissionRequested, lambda event: event.id != first.id)
    assert talk.recorder.of(PermissionResolved) == [PermissionResolved(id=first.id, channel=channel)]
    assert [request.id for request in (await talk.channels.conversation(channel)).permissions] == [second.id]
    assert details(first) != details(second)
    assert value in str(details(second))
    assert second.tool_call.id == first.tool_call.id
    await talk.channels.answer_permission(second.id, "yes")
    await talk.free(channel)
    messages = await talk.messages(channel)
    [tool] = messages[-1].parts
    assert isinstance(tool, ToolPart)
    assert tool.output == "done (yes)"
    assert notices(messages) == []


async def test_what_is_free_as_one_kind_is_asked_about_as_another(talk: Talk) -> None:
    """The definition frees reading; the call becomes one that deletes."""
    talk.configure(scripted("ada", permissions="read-only-free"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask-changing(kind, delete)")
    first = await talk.recorder.until(PermissionRequested)
    second = await talk.recorder.until(PermissionRequested, lambda event: event.id != first.id)
    assert (first.tool_call.kind, second.tool_call.kind) == ("execute", "delete")
    await talk.channels.cancel(channel)


async def test_output_does_not_change_the_call(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask-changing(output, still waiting)")
    first = await talk.recorder.until(PermissionRequested)
    await talk.recorder.until(
        object, lambda event: getattr(getattr(event, "part", None), "output", "") == "still waiting"
    )
    await talk.channels.answer_permission(first.id, "yes")
    await talk.free(channel)
    assert len(talk.recorder.of(PermissionRequested)) == 1


@pytest.mark.parametrize("status", ["pending", "in_progress", "completed"])
async def test_an_allowed_call_that_becomes_another_is_marked(talk: Talk, status: str) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, f"!ask-then-change(input, rm -rf, {status})")
    await talk.channels.answer_permission((await talk.recorder.until(PermissionRequested)).id, "yes")
    await talk.free(channel)
    assert notices(await talk.messages(channel)) == ["it changed the call “make” after it was allowed"]


@pytest.mark.parametrize("field", CHANGES)
async def test_before_it_runs_no_change_goes_unmarked(talk: Talk, field: str) -> None:
    talk.configure(scripted("ada", permissions="all-free"))  # not even of what nobody was asked about
    channel = await talk.channel("ada")
    await talk.ask(channel, f"!ask-then-change({field}, rm, pending)")
    assert len(notices(await talk.messages(channel))) == 1


@pytest.mark.parametrize(
    ("field", "status"),
    [
        ("diff", "completed"),
        ("locations", "in_progress"),
        ("title", "completed"),
        ("more-input", "in_progress"),
    ],
)
async def test_what_is_told_of_a_call_that_runs_is_no_change_of_it(
    talk: Talk, field: str, status: str
) -> None:
    """Claude tells the diff when it is done; Codex tells more of the input when a command begins."""
    talk.configure(scripted("ada", permissions="all-free"))
    channel = await talk.channel("ada")
    await talk.ask(channel, f"!ask-then-change({field}, zsh, {status})")
    assert notices(await talk.messages(channel)) == []


async def test_a_refused_call_may_change(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask-then-change(input, ls, pending)")
    await talk.channels.answer_permission((await talk.recorder.until(PermissionRequested)).id, "no")
    await talk.free(channel)
    assert notices(await talk.messages(channel)) == []
