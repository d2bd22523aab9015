"""Reference, "Événements" of the channels: when each is sent, and what is in it."""

from __future__ import annotations

import itertools
import json

from sidekicks.events import (
    ChannelsChanged,
    CommandsChanged,
    Event,
    MessageDelta,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
    UsageChanged,
    to_json,
)
from sidekicks.models import (
    Channel,
    Command,
    TextPart,
    ThoughtPart,
    ToolPart,
    Usage,
)
from tests.agents import scripted
from tests.core_parts import parts
from tests.talk import Talk


def keys(event: Event) -> set[str]:
    """The payload's fields, as JSON."""
    return set(json.loads(to_json(event))) - {"event"}


async def test_channels_changed_when_one_is_created_renamed_or_deleted_or_its_members_change(
    talk: Talk,
) -> None:
    talk.configure(scripted("ada"))
    changes: list[tuple[Channel, ...]] = []

    def told() -> tuple[Channel, ...]:
        found = [event.channels for event in talk.recorder.of(ChannelsChanged)]
        assert len(found) == len(changes) + 1
        changes.append(found[-1])
        return found[-1]

    channel = (await talk.channels.create("Plans")).id
    assert [each.name for each in told()] == ["Plans"]
    await talk.channels.rename(channel, "Ideas", "what comes")
    assert [(each.name, each.description) for each in told()] == [("Ideas", "what comes")]
    await talk.channels.add_member(channel, "ada")
    assert [each.members for each in told()] == [("ada",)]
    await talk.channels.remove_member(channel, "ada")
    assert [each.members for each in told()] == [()]
    await talk.channels.delete(channel)
    assert told() == ()
    assert keys(talk.recorder.of(ChannelsChanged)[-1]) == {"channels"}


async def test_message_updated_when_a_message_is_added_or_finished(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    since = len(talk.recorder.of(MessageUpdated))
    await talk.ask(channel, "!stream(5)")
    told = talk.recorder.of(MessageUpdated)[since:]
    assert [(e.channel, e.message.role, e.message.done) for e in told] == [
        (channel, "user", True),
        (channel, "agent", False),
        (channel, "agent", True),
    ]
    assert keys(told[0]) == {"channel", "message"}


async def test_turn_changed_when_it_begins_or_ends_and_when_another_agents_turn_begins(talk: Talk) -> None:
    talk.configure(scripted("ada"), scripted("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.channels.send(channel, "@ada @bob !ask")
    for name in ("ada", "bob"):
        request = await talk.recorder.until(PermissionRequested, lambda event, n=name: event.agent == n)
        if name == "ada":
            await talk.channels.send(channel, "@ada and then")
        await talk.channels.answer_permission(request.id, "yes")
    await talk.recorder.until(TurnChanged, lambda event: not event.busy)
    told = [(e.busy, e.queued, e.answering) for e in talk.recorder.of(TurnChanged)]
    assert [one for one, _ in itertools.groupby(told)] == [
        (True, 0, "ada"),
        (True, 1, "ada"),
        (True, 1, "bob"),
        (True, 0, "ada"),
        (False, 0, ""),
    ]
    assert keys(talk.recorder.of(TurnChanged)[0]) >= {"channel", "busy", "queued", "answering"}


async def test_permission_requested_and_resolved_by_an_answer_or_by_stop(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    for is_stopped in (False, True):
        since = len(talk.recorder.events)
        await talk.channels.send(channel, "!ask(execute, rm x)")
        request = await talk.recorder.until(PermissionRequested, since=since)
        assert keys(request) == {
            *("id", "channel", "agent", "messageId", "toolCall", "options", "rejections"),
        }
        assert (request.channel, request.agent, request.tool_call.title) == (channel, "ada", "rm x")
        assert request.message_id == (await talk.messages(channel))[-1].id
        if is_stopped:
            await talk.channels.cancel(channel)
        else:
            await talk.channels.answer_permission(request.id, "yes")
            await talk.free(channel, since)
        assert talk.recorder.of(PermissionResolved)[-1] == PermissionResolved(id=request.id, channel=channel)
    assert keys(talk.recorder.of(PermissionResolved)[0]) == {"id", "channel"}


async def test_usage_changed_with_size_0_when_it_is_unknown(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "!usage(10, 0)")
    told = json.loads(to_json(talk.recorder.of(UsageChanged)[-1]))
    assert (told["channel"], told["agent"]) == (channel, "ada")
    assert (told["usage"]["used"], told["usage"]["size"]) == (10, 0)


async def test_commands_changed_when_an_agent_announced_its_commands(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "!commands(review, plan)")
    [told] = talk.recorder.of(CommandsChanged)
    assert told.agent == "ada"
    assert told.commands == tuple(
        Command(name=name, description=f"Does {name}", hint="what") for name in ("review", "plan")
    )
    await talk.ask(channel, "!commands(plan)")  # the new ones replace them
    assert [command.name for command in talk.channels.commands("ada")] == ["plan"]


async def test_message_delta_adds_text_to_its_part_or_replaces_a_part() -> None:
    async with parts(scripted("ada")) as found:
        channel = await found.channels.direct("ada")
        answer = (await found.say(channel.id, "!stream(50) !thought(a) !thought(b) !tool !text(end) !plan"))[
            -1
        ]
        built: dict[int, str | object] = {}
        for event in found.events.all:
            if isinstance(event, MessageDelta):
                former = built.get(event.index, "")
                built[event.index] = f"{former}{event.text}" if event.part is None else event.part
        shown = [part.text if isinstance(part, TextPart | ThoughtPart) else part for part in answer.parts]
        assert list(built.values()) == shown


async def test_permission_requested_counts_the_refusals_of_the_turn(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask !askbare(edit, make) !ask")
    seen: list[PermissionRequested] = []
    for answer in ("no", "yes", "yes"):
        request = await talk.recorder.until(
            PermissionRequested, lambda event: event.id not in {one.id for one in seen}
        )
        seen.append(request)
        await talk.channels.answer_permission(request.id, answer)
    await talk.free(channel)
    assert [request.rejections for request in seen] == [0, 1, 1]
    assert seen[1].tool_call.title == "make"  # it was never announced by a tool_call
    tools = [p for p in (await talk.messages(channel))[-1].parts if isinstance(p, ToolPart)]
    assert [(t.status, t.output) for t in tools] == [
        ("failed", "rejected"),
        ("completed", "done (yes)"),
        ("completed", "done (yes)"),
    ]
    await talk.channels.send(channel, "!ask")
    request = await talk.recorder.until(
        PermissionRequested, lambda event: event.id not in {one.id for one in seen}
    )
    assert request.rejections == 0  # another turn


async def test_usage_changed_when_an_agent_said_how_full_its_window_is(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.ask(channel, "!usage(10, 100)")
    assert (await talk.channels.conversation(channel)).usage == {"ada": Usage(used=10, size=100)}
    assert talk.recorder.of(UsageChanged)[-1] == UsageChanged(
        channel=channel, agent="ada", usage=Usage(used=10, size=100)
    )
