"""Questions of agents that wait for the user, and the answers that are given without asking."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec

from sidekicks.bus import Bus
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.rules import says_no_more
from sidekicks.events import PermissionRequested, PermissionResolved
from sidekicks.models import (
    PermissionKind,
    PermissionOption,
    PermissionRequest,
    PermissionRule,
    Policy,
    ToolKind,
)

READING: tuple[ToolKind, ...] = ("read", "search", "think")
"""Kinds of tools that change nothing and reach nothing outside."""

Options = tuple[PermissionOption, ...]


class CallChangedError(Exception):
    """The agent changed the call while its question waited: it must be asked anew."""


def answer_of(policy: Policy, kind: ToolKind, options: Options) -> str | None:
    """The option that a definition's `permissions` chooses without asking, else None.

    Only `allow_once` is ever chosen: an agent that remembers would no longer follow the configuration.
    """
    free = policy == "all-free" or (policy == "read-only-free" and kind in READING)
    return _option_of("allow_once", options) if free else None


def remembered_answer(allowed: bool | None, kind: ToolKind, options: Options) -> str | None:
    """The option that a remembered answer chooses without asking, else None: `allowed` None is none."""
    if allowed is None or not _may_be_remembered(kind, options):
        return None
    return _option_of("allow_once" if allowed else "reject_once", options)


def given_answer(request: PermissionRequest, option: PermissionOption) -> tuple[str, PermissionRule | None]:
    """What the agent is told when the user chooses `option`, and what is remembered.

    For an `always` that is remembered here the agent is told `once` where it offers that: it asks again, so
    that the answer can be revoked. Any other answer it gets as it is.
    """
    kind = request.tool_call.kind
    if not _is_remembered(option, kind, request.options):
        return option.option_id, None
    allowed = option.kind == "allow_always"
    once = _option_of("allow_once" if allowed else "reject_once", request.options)
    return once or option.option_id, PermissionRule(agent=request.agent, kind=kind, allowed=allowed)


def marked(kind: ToolKind, options: Options) -> Options:
    """The options, each with whether it is remembered here when it is chosen."""
    return tuple(
        msgspec.structs.replace(option, remembered=_is_remembered(option, kind, options))
        for option in options
    )


def _is_remembered(option: PermissionOption, kind: ToolKind, options: Options) -> bool:
    """Whether an answer is for all tools of a kind: an `always` whose words say nothing narrower.

    "Commands that start with npm test" is a promise that only the agent can keep. Where it offers several
    answers of one kind, or another mode, they mean more than their kind says, too.
    """
    is_always = option.kind in ("allow_always", "reject_always")
    return is_always and says_no_more(option.name) and _may_be_remembered(kind, options)


def _may_be_remembered(kind: ToolKind, options: Options) -> bool:
    kinds = [option.kind for option in options]
    return kind != "switch_mode" and len(kinds) == len(set(kinds))


def _option_of(kind: PermissionKind, options: Options) -> str | None:
    return next((option.option_id for option in options if option.kind == kind), None)


class Permissions:
    """The pending requests of all channels, oldest first."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._pending: dict[str, tuple[PermissionRequest, asyncio.Future[str | None]]] = {}

    def of(self, channel: str) -> tuple[PermissionRequest, ...]:
        """The requests of a channel that wait for an answer."""
        return tuple(request for request, _ in self._pending.values() if request.channel == channel)

    async def ask(self, request: PermissionRequest) -> str | None:
        """The id of the option that the agent is told, None for `cancelled`; withdrawn when cancelled.

        Raises:
            CallChangedError: it was withdrawn, because the call is another one now.
        """
        future: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._pending[request.id] = (request, future)
        self._bus.publish(
            PermissionRequested(
                id=request.id,
                channel=request.channel,
                agent=request.agent,
                message_id=request.message_id,
                tool_call=request.tool_call,
                options=request.options,
                rejections=request.rejections,
            )
        )
        try:
            return await future
        finally:
            self._pending.pop(request.id, None)
            self._bus.publish(PermissionResolved(id=request.id, channel=request.channel))

    def answer(self, request_id: str, option_id: str) -> PermissionRule | None:
        """Answers a request with one of its options; what is to be remembered.

        Raises:
            ChannelError: there is no such request, or no such option.
        """
        pending = self._pending.get(request_id)
        if pending is None or pending[1].done():
            raise ChannelError("the question was answered already, or its turn is over")
        request, future = pending
        option = next((offered for offered in request.options if offered.option_id == option_id), None)
        if option is None:
            raise ChannelError(f"the question has no answer {option_id}")
        given, rule = given_answer(request, option)
        future.set_result(given)
        return rule

    def apply(self, rule: PermissionRule) -> None:
        """Answers what waits already and is covered by a new rule."""
        for request, future in tuple(self._pending.values()):
            kind = request.tool_call.kind
            if (request.agent, kind) == (rule.agent, rule.kind) and not future.done():
                answer = remembered_answer(rule.allowed, kind, request.options)
                if answer is not None:
                    future.set_result(answer)

    def withdraw(self, request_id: str) -> None:
        """The call that a request shows is another one now."""
        pending = self._pending.get(request_id)
        if pending is not None and not pending[1].done():
            pending[1].set_exception(CallChangedError())

    def cancel(self, is_meant: Callable[[PermissionRequest], bool]) -> None:
        """Answers `cancelled` to the requests that are meant."""
        for request, future in tuple(self._pending.values()):
            if is_meant(request) and not future.done():
                future.set_result(None)
