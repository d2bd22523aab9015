"""Questions of agents: who answers them, and what happens to those that nobody answers."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from typing import get_args

import pytest

from sidekicks.acp.changes import PermissionAsked, ToolChanged
from sidekicks.bus import Bus
from sidekicks.channels.asking import Asking
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.permissions import Permissions, Policy, answer_of
from sidekicks.channels.turns import TOOL_LIMIT, Turn
from sidekicks.events import PermissionRequested, PermissionResolved
from sidekicks.models import (
    Message,
    PermissionOption,
    PermissionRequest,
    PermissionRule,
    ToolKind,
    ToolPart,
)
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


async def test_a_new_rule_answers_what_waits_of_its_kind() -> None:
    permissions = Permissions(Bus())
    asking = [asyncio.create_task(permissions.ask(request(number))) for number in ("1", "2")]
    await asyncio.sleep(0)
    rule = permissions.answer("1", "a")
    assert rule == PermissionRule(agent="ada", kind="other", allowed=True)
    permissions.apply(PermissionRule(agent="bob", kind="other", allowed=True))
    permissions.apply(PermissionRule(agent="ada", kind="edit", allowed=True))
    assert await asking[0] == "y"
    assert not asking[1].done()
    permissions.apply(rule)
    assert await asking[1] == "y"


class Undecided:
    """Nothing is decided without asking."""

    def __init__(self) -> None:
        self.bus = Bus()
        self.permissions = Permissions(self.bus)
        self.asked = 0

    def new_id(self) -> str:
        self.asked += 1
        return str(self.asked)

    def policy(self, agent: str) -> Policy:
        del agent
        return "ask"

    def remembered(self, agent: str, kind: ToolKind) -> bool | None:
        del agent, kind


def answering(call: ToolChanged) -> Turn:
    """A turn in which there is a call."""
    now = datetime(2026, 1, 1, tzinfo=UTC)
    message = Message(id="m", channel="c", created_at=now, role="agent", agent="ada", done=False)
    turn = Turn(message, clock=lambda: 0.0, now=lambda: now)
    turn.apply(call)
    return turn


async def test_a_change_right_after_the_click_is_asked_about() -> None:
    """The agent changed the call before it could know of the answer."""
    judge, call = Undecided(), ToolChanged(id="t", title="make", kind="execute")
    turn, session, recorder = answering(call), Asking("c", "ada", judge), Recorder(judge.bus)
    question = PermissionAsked(tool=call, options=(YES, NO))
    asking = asyncio.create_task(session.ask(turn, question, lambda: False))
    await recorder.until(PermissionRequested)
    judge.permissions.answer("1", "y")
    turn.apply(ToolChanged(id="t", title="make install"))
    changed = turn.tool("t")
    assert changed is not None
    assert session.changed(changed, None) == ""
    again = await recorder.until(PermissionRequested, lambda event: event.id == "2")
    assert again.tool_call.title == "make install"
    judge.permissions.answer("2", "y")
    assert await asking == "y"


async def test_a_request_shows_a_call_whole_that_a_full_turn_keeps_little_of() -> None:
    judge = Undecided()
    call = ToolChanged(id="t", title="make", input="x" * (TOOL_LIMIT + 1), kind="execute")
    turn, session = answering(call), Asking("c", "ada", judge)
    question = PermissionAsked(tool=call, options=(YES, NO))
    asking = asyncio.create_task(session.ask(turn, question, lambda: False))
    await asyncio.sleep(0)
    [shown] = judge.permissions.of("c")
    assert shown.tool_call.input == call.input
    judge.permissions.answer("1", "n")
    assert await asking == "n"
