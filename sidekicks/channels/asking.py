"""The calls of one session that need a permission: asked about as they are, and anew when they change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, cast

import msgspec

from sidekicks.acp.changes import PermissionAsked
from sidekicks.channels.permissions import (
    CallChangedError,
    Options,
    Permissions,
    answer_of,
    marked,
    remembered_answer,
)
from sidekicks.channels.tool_calls import merged
from sidekicks.channels.turns import Turn
from sidekicks.models import PermissionRequest, Policy, ToolKind, ToolPart, ToolStatus

NAMED = 200
"""Characters of a call's title that name it in a sentence."""


class Judge(Protocol):
    """Who knows what may be done without asking, and where the user is asked."""

    permissions: Permissions

    def new_id(self) -> str:
        """A fresh id."""
        ...

    def policy(self, agent: str) -> Policy:
        """What the agent may do without asking."""
        ...

    def remembered(self, agent: str, kind: ToolKind) -> bool | None:
        """What is remembered for the agent's tools of a kind."""
        ...


class Asking:
    """A permission is given to the very call that was shown, and to no other."""

    def __init__(self, channel: str, agent: str, judge: Judge) -> None:
        self._channel = channel
        self._agent = agent
        self._judge = judge
        self._rejections = 0
        self._pending: dict[str, ToolPart] = {}
        self._allowed: dict[str, ToolPart] = {}
        self._running: set[str] = set()

    def begin(self) -> None:
        """Another turn begins."""
        self._rejections = 0
        self._allowed.clear()
        self._running.clear()

    async def ask(self, turn: Turn, question: PermissionAsked, is_over: Callable[[], bool]) -> str | None:
        """The id of the option for a call of `turn`, None for `cancelled`, as also when it `is_over`."""
        kinds = {option.option_id: option.kind for option in question.options}
        tool = turn.tool(question.tool.id)
        # A turn that is full keeps little of a call: whoever is asked sees all of what was asked.
        shown = merged(tool, question.tool) if tool is not None else None
        while tool is not None and shown is not None and not is_over():
            try:
                chosen = await self._answer(turn, tool, shown, question.options)
            except CallChangedError:
                tool = shown = turn.tool(tool.id)
                continue
            if chosen is None:
                return None
            if kinds[chosen].startswith("reject"):
                self._rejections += 1
                return chosen
            now = turn.tool(tool.id)
            if now is not None and not is_altered(tool, now):
                self._allowed[tool.id] = tool
                self._running.discard(tool.id)
                return chosen
            tool = shown = now  # between the user's click and now
        return None

    def is_allowed(self, call: str) -> bool:
        """Whether a call has its permission and is not over."""
        return call in self._allowed

    def changed(self, now: ToolPart, status: ToolStatus | None) -> str:
        """Takes a call as it is `now`, and the `status` that the agent told with the change.

        Returns what to tell the user when it was allowed as another one, else nothing.
        """
        for request, shown in tuple(self._pending.items()):
            if shown.id == now.id and is_altered(shown, now):
                self._judge.permissions.withdraw(request)
        allowed = self._allowed.get(now.id)
        if allowed is None:
            return ""
        if status not in (None, "pending"):
            self._running.add(now.id)
        if now.id in self._running:
            # Agents tell more of a call as it runs, and of what came of it.
            is_other = bool(allowed.input) and _contradicts(allowed.input, now.input)
        else:
            is_other = is_altered(allowed, now)
        if is_other or status in ("completed", "failed"):
            del self._allowed[now.id]
        if not is_other:
            return ""
        title = " ".join(allowed.title.split())[:NAMED]
        return f"it changed the call “{title}” after it was allowed"

    async def _answer(self, turn: Turn, tool: ToolPart, shown: ToolPart, options: Options) -> str | None:
        known = self._judge.remembered(self._agent, tool.kind)
        by_itself = remembered_answer(known, tool.kind, options)
        if by_itself is None:
            by_itself = answer_of(self._judge.policy(self._agent), tool.kind, options)
        if by_itself is not None:
            return by_itself
        request = PermissionRequest(
            id=self._judge.new_id(),
            channel=self._channel,
            agent=self._agent,
            message_id=turn.id,
            tool_call=shown,
            options=marked(shown.kind, options),
            rejections=self._rejections,
        )
        self._pending[request.id] = tool
        try:
            return await self._judge.permissions.ask(request)
        finally:
            del self._pending[request.id]


def is_altered(shown: ToolPart, now: ToolPart) -> bool:
    """Whether it is not the same call any more: what it does, to what, or what it is called."""
    return any(
        getattr(shown, field) != getattr(now, field)
        for field in ("title", "kind", "input", "diffs", "locations")
    )


def _contradicts(shown: str, now: str) -> bool:
    """Whether two inputs can't be of one call; some agents add fields when it runs, or leave some out."""
    if shown == now:
        return False
    try:
        before, after = msgspec.json.decode(shown), msgspec.json.decode(now)
    except msgspec.DecodeError:
        return True
    if not isinstance(before, dict) or not isinstance(after, dict):
        return True
    former, latter = cast("dict[str, Any]", before), cast("dict[str, Any]", after)
    return any(former[key] != latter[key] for key in former.keys() & latter.keys())
