"""A turn's events as updates of the protocol, and the question whether a tool may run."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import assert_never

from minime_agent.acp.blocks import fenced
from minime_agent.acp.permission import OPTIONS, Permissions
from minime_agent.acp.wire import tools, updates
from minime_agent.acp.wire.agent_side import RemoteClient
from minime_agent.acp.wire.content import TextContent
from minime_agent.acp.wire.errors import RequestError
from minime_agent.ui import events

log = logging.getLogger(__name__)


class TurnSink:
    """The sink of one turn of one session. `notices`: the client understands the update of that name."""

    def __init__(
        self, client: RemoteClient, session_id: str, permissions: Permissions, *, notices: bool
    ) -> None:
        self._client = client
        self._session_id = session_id
        self._permissions = permissions
        self._notices = notices

    async def emit(self, event: events.Event) -> None:
        """Tells the client, where the protocol has a word for it; waits while the client doesn't read."""
        update = self._update(event)
        if update is not None:
            await self._client.session_update(self._session_id, update)

    async def allow(self, call: events.ToolStart) -> events.Permission:
        """By the mode and what the person said before; else asks the client and waits."""
        verdict = self._permissions.verdict(call.name, call.kind)
        if verdict == "ask":
            answer = await self._ask(call)
        else:
            answer = verdict
        if answer == "allow":
            await self.emit_status(call.id, "in_progress")
        return answer

    async def emit_status(self, call_id: str, status: tools.ToolStatus) -> None:
        """Tells a new status of a call and nothing else."""
        await self._client.session_update(self._session_id, updates.ToolCallUpdate(call_id, status=status))

    async def _ask(self, call: events.ToolStart) -> events.Permission:
        fields = tools.ToolCallFields(
            call.id,
            title=call.title,
            kind=call.kind,
            status="pending",
            content=_diffs(call.diffs),
            locations=_locations(call.locations),
            raw_input=call.input,
        )
        request = tools.RequestPermissionRequest(self._session_id, fields, OPTIONS)
        try:
            outcome = (await self._client.request_permission(request)).outcome
        except RequestError as error:
            log.warning("the client could not answer whether %s may run: %s", call.name, error)
            return "reject"
        if outcome.outcome != "selected":
            return "cancelled"
        if outcome.option_id == "allow-always":
            self._permissions.remember(call.name)
        return "allow" if outcome.option_id in ("allow-once", "allow-always") else "reject"

    def _update(self, event: events.Event) -> updates.SessionUpdate | None:
        match event:
            case events.TextDelta(text=text):
                return updates.AgentMessageChunk(TextContent(text))
            case events.ReasoningDelta(text=text):
                return updates.AgentThoughtChunk(TextContent(text))
            case events.ToolStart():
                return _started(event)
            case events.ToolRunning(id=call_id, output=output):
                return updates.ToolCallUpdate(call_id, status="in_progress", content=_output(output))
            case events.ToolEnd():
                return _ended(event)
            case events.PlanChanged(entries=entries):
                return updates.Plan(tuple(updates.PlanEntry(e.content, "medium", e.status) for e in entries))
            case events.UsageReport():
                return updates.UsageUpdate(event.prompt_tokens + event.completion_tokens, event.window)
            case events.Notice(text=text):
                return notice(text, understood=self._notices)
            case events.PromptProgress() | events.ComposingTool():
                return None  # the protocol has no word for these
        assert_never(event)


def notice(text: str, *, understood: bool) -> updates.SessionUpdate:
    """A sentence beside the answer; as a thought where the client doesn't know notices."""
    if understood:
        return updates.Notice("info", text)
    return updates.AgentThoughtChunk(TextContent(text + "\n\n"))


def _started(call: events.ToolStart) -> updates.ToolCall:
    return updates.ToolCall(
        call.id,
        call.title,
        kind=call.kind,
        status="pending",
        content=_diffs(call.diffs),
        locations=_locations(call.locations),
        raw_input=call.input,
    )


def _ended(call: events.ToolEnd) -> updates.ToolCallUpdate:
    raw: dict[str, object] = {"output": call.output}
    if call.exit_code is not None:
        raw["exitCode"] = call.exit_code
    return updates.ToolCallUpdate(
        call.id,
        status="failed" if call.failed else "completed",
        content=_diffs(call.diffs) or _output(call.output),
        locations=_locations(call.locations),
        raw_output=raw,
    )


def _output(text: str) -> tuple[tools.ToolCallContent, ...]:
    return (tools.Content(TextContent(fenced(text))),) if text else ()


def _diffs(diffs: Sequence[events.Diff]) -> tuple[tools.ToolCallContent, ...] | None:
    return tuple(tools.Diff(d.path, d.new_text, d.old_text) for d in diffs) or None


def _locations(places: Sequence[events.Location]) -> tuple[tools.ToolCallLocation, ...] | None:
    return tuple(tools.ToolCallLocation(p.path, p.line) for p in places) or None
