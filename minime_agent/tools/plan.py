"""`plan`: the steps of a longer task, shown to the person."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from minime_agent.tools.arguments import parse
from minime_agent.tools.tool import PreparedCall, ToolResult
from minime_agent.tools.workspace import Workspace
from minime_agent.ui.events import PlanChanged, PlanEntry, Sink


class _Arguments(msgspec.Struct):
    steps: list[PlanEntry | str]


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
        steps = tuple(PlanEntry(step) if isinstance(step, str) else step for step in wanted.steps)

        async def run(sink: Sink, _call_id: str) -> ToolResult:
            await sink.emit(PlanChanged(steps))
            done = sum(step.status == "completed" for step in steps)
            return ToolResult(f"[plan shown: {done} of {len(steps)} done]")

        return PreparedCall("Plan", "think", run)
