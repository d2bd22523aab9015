"""`plan`: the steps of a longer task, shown to the person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from minime_agent.tools.arguments import parse
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.workspace import Workspace
from minime_agent.ui.events import PlanChanged, PlanEntry, Sink

_STATUSES = {
    "complete": "completed",
    "done": "completed",
    "finished": "completed",
    "active": "in_progress",
    "doing": "in_progress",
    "current": "in_progress",
    "running": "in_progress",
    "started": "in_progress",
    "not_started": "pending",
    "open": "pending",
    "todo": "pending",
    "to_do": "pending",
}
"""What small models write for the three."""


class _Step(msgspec.Struct):
    content: str
    status: str = "pending"


class _Arguments(msgspec.Struct):
    steps: list[_Step | str]


class Plan:
    """Keeps nothing: each call replaces the plan."""

    name = "plan"
    description = "For tasks of 3 or more steps: show the plan. Send all steps each time, one in_progress."
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {
            "steps": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "content": {"type": "string"},
                        "status": {"type": "string", "enum": ["pending", "in_progress", "completed"]},
                    },
                    "required": ["content", "status"],
                },
            }
        },
        "required": ["steps"],
    }

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Takes steps as objects or as plain text."""
        wanted = parse(_Arguments, arguments, self.name, self.schema)
        if not wanted.steps:
            raise ToolFailure("[error: the plan has no steps; send all of them, also those that are done]")
        steps = tuple(_entry(step) for step in wanted.steps)

        async def run(sink: Sink, _call_id: str) -> ToolResult:
            await sink.emit(PlanChanged(steps))
            done = sum(step.status == "completed" for step in steps)
            return ToolResult(f"[plan shown: {done} of {len(steps)} done]")

        return PreparedCall("Plan", "think", run)


def _entry(step: _Step | str) -> PlanEntry:
    if isinstance(step, str):
        return PlanEntry(step)
    word = step.status.strip().lower().replace(" ", "_").replace("-", "_")
    try:
        return msgspec.convert({"content": step.content, "status": _STATUSES.get(word, word)}, PlanEntry)
    except msgspec.ValidationError:
        raise ToolFailure(
            f"[error: {step.status!r} is no status of a step; there are pending, in_progress, completed]"
        ) from None
