"""Questions of agents: who answers them, and what happens to those that nobody answers."""

from __future__ import annotations

import asyncio
from typing import get_args

import pytest

from sidekicks.bus import Bus
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.permissions import Permissions, Policy, answer_of
from sidekicks.events import PermissionRequested, PermissionResolved
from sidekicks.models import PermissionOption, PermissionRequest, ToolKind, ToolPart
from tests.events import Recorder

YES = PermissionOption(option_id="y", name="Allow", kind="allow_once")
ALWAYS = PermissionOption(option_id="a", name="Always", kind="allow_always")
NO = PermissionOption(option_id="n", name="Reject", kind="reject_once")


def request(number: str = "1", channel: str = "c") -> PermissionRequest:
    return PermissionRequest(
        id=number,
        channel=channel,
        agent="ada",
        message_id="m",
        tool_call=ToolPart(id="t", title="rm"),
        options=(ALWAYS, YES, NO),
        rejections=2,
    )


@pytest.mark.parametrize("kind", get_args(ToolKind))
@pytest.mark.parametrize("policy", get_args(Policy))
def test_what_a_definition_answers(policy: Policy, kind: ToolKind) -> None:
    free = policy == "all-free" or (policy == "read-only-free" and kind in ("read", "search", "think"))
    assert answer_of(policy, kind, (ALWAYS, NO, YES)) == ("y" if free else None)


def test_only_a_single_permission_is_given_without_asking() -> None:
    assert answer_of("all-free", "read", (ALWAYS, NO)) is None


async def test_an_answer_reaches_who_asked() -> None:
    bus = Bus()
    recorder, permissions = Recorder(bus), Permissions(bus)
    asking = asyncio.create_task(permissions.ask(request()))
    event = await recorder.until(PermissionRequested)
    assert (event.id, event.rejections, event.options) == ("1", 2, (ALWAYS, YES, NO))
    assert permissions.of("c") == (request(),)
    assert permissions.of("other") == ()
    with pytest.raises(ChannelError, match="no answer maybe"):
        permissions.answer("1", "maybe")
    permissions.answer("1", "n")
    with pytest.raises(ChannelError, match="answered already"):
        permissions.answer("1", "y")
    assert await asking == "n"
    assert permissions.of("c") == ()
    assert recorder.of(PermissionResolved) == [PermissionResolved(id="1", channel="c")]
    with pytest.raises(ChannelError, match="answered already"):
        permissions.answer("nothing", "y")


async def test_a_stop_answers_cancelled_to_those_that_are_meant() -> None:
    bus = Bus()
    recorder, permissions = Recorder(bus), Permissions(bus)
    mine = asyncio.create_task(permissions.ask(request("1", "c")))
    other = asyncio.create_task(permissions.ask(request("2", "d")))
    await recorder.until(PermissionRequested, lambda event: event.id == "2")
    permissions.cancel(lambda asked: asked.channel == "c")
    assert await mine is None
    assert [asked.id for asked in permissions.of("d")] == ["2"]
    other.cancel()  # the agent withdraws it
    await asyncio.wait({other})
    assert permissions.of("d") == ()
    assert [event.id for event in recorder.of(PermissionResolved)] == ["1", "2"]
