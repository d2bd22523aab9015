"""Questions of agents that wait for the user, and the answers that a definition gives by itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from sidekicks.bus import Bus
from sidekicks.channels.errors import ChannelError
from sidekicks.events import PermissionRequested, PermissionResolved
from sidekicks.models import PermissionOption, PermissionRequest, Policy, ToolKind

READING: tuple[ToolKind, ...] = ("read", "search", "think")
"""Kinds of tools that change nothing and reach nothing outside."""


def answer_of(policy: Policy, kind: ToolKind, options: tuple[PermissionOption, ...]) -> str | None:
    """The option that a definition's `permissions` chooses without asking, else None.

    Only `allow_once` is ever chosen: an agent that remembers would no longer follow the configuration.
    """
    free = policy == "all-free" or (policy == "read-only-free" and kind in READING)
    return next((option.option_id for option in options if free and option.kind == "allow_once"), None)


class Permissions:
    """The pending requests of all channels, oldest first."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._pending: dict[str, tuple[PermissionRequest, asyncio.Future[str | None]]] = {}

    def of(self, channel: str) -> tuple[PermissionRequest, ...]:
        """The requests of a channel that wait for an answer."""
        return tuple(request for request, _ in self._pending.values() if request.channel == channel)

    async def ask(self, request: PermissionRequest) -> str | None:
        """The id of the option that the user chose, None for `cancelled`; withdrawn when cancelled."""
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

    def answer(self, request: str, option: str) -> None:
        """Answers a request with one of its options.

        Raises:
            ChannelError: there is no such request, or no such option.
        """
        pending = self._pending.get(request)
        if pending is None or pending[1].done():
            raise ChannelError("the question was answered already, or its turn is over")
        if all(option != offered.option_id for offered in pending[0].options):
            raise ChannelError(f"the question has no answer {option}")
        pending[1].set_result(option)

    def cancel(self, is_meant: Callable[[PermissionRequest], bool]) -> None:
        """Answers `cancelled` to the requests that are meant."""
        for request, future in tuple(self._pending.values()):
            if is_meant(request) and not future.done():
                future.set_result(None)
