"""A turn's events as updates of the protocol, and the question whether a tool may run."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
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
    """The sink of one turn of one session. `notices`, `compactions`: the client understands these
    updates.

    `numbers` counts the session's calls: ids of the model's server may come again (`call_0` in each reply),
    those of the protocol may not.
    """

    def __init__(
        self,
        client: RemoteClient,
        session_id: str,
        permissions: Permissions,
        numbers: Iterator[int],
        *,
        notices: bool,
        compactions: bool,
    ) -> None:
        self._client = client
        self._session_id = session_id
        self._permissions = permissions
        self._numbers = numbers
        self._ids: dict[str, str] = {}
        self._notices = notices
        self._compactions = compactions
        self._compaction_id = ""

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
            await self._tell_status(self._id(call.id), "in_progress")
        return answer

    async def _tell_status(self, call_id: str, status: tools.ToolStatus) -> None:
        await self._client.session_update(self._session_id, updates.ToolCallUpdate(call_id, status=status))

    def _id(self, engine_id: str) -> str:
        """The protocol's id of the call that began last under this id."""
        if engine_id not in self._ids:
            self._ids[engine_id] = f"call-{next(self._numbers)}"
        return self._ids[engine_id]

    async def _ask(self, call: events.ToolStart) -> events.Permission:
        fields = tools.ToolCallFields(
            self._id(call.id),
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
                self._ids.pop(event.id, None)
                return _started(event, self._id(event.id))
            case events.ToolRunning(id=id_, output=output):
                return updates.ToolCallUpdate(self._id(id_), status="in_progress", content=_output(output))
            case events.ToolEnd():
                return _ended(event, self._id(event.id))
            case events.PlanChanged(entries=entries):
                return updates.Plan(tuple(updates.PlanEntry(e.content, "medium", e.status) for e in entries))
            case events.UsageReport():
                return updates.UsageUpdate(event.prompt_tokens + event.completion_tokens, event.window)
            case events.CompactionStart() | events.CompactionEnd():
                return self._compaction(event)
            case events.Notice(text=text, severity=severity):
                return notice(text, severity, understood=self._notices)
            case events.PromptProgress() | events.ComposingTool() | events.Steered():
                return None  # the protocol has no word for these
        assert_never(event)

    def _compaction(
        self, event: events.CompactionStart | events.CompactionEnd
    ) -> updates.SessionUpdate | None:
        """A summary as the protocol tells it where the client understands that, all else as a notice."""
        if isinstance(event, events.CompactionStart):
            if not event.summarising:
                return None
            if not self._compactions:
                return notice(event.sentence, "info", understood=self._notices)
            self._compaction_id = f"compaction-{next(self._numbers)}"
            return updates.CompactionUpdate(self._compaction_id, "in_progress")
        identity, self._compaction_id = self._compaction_id, ""
        if not identity:
            return notice(event.sentence, "info", understood=self._notices)
        if event.error:
            return updates.CompactionUpdate(identity, "failed", error=event.sentence)
        return updates.CompactionUpdate(identity, "completed", (TextContent(event.summary),))


def notice(text: str, severity: str, *, understood: bool) -> updates.SessionUpdate:
    """A sentence beside the answer; as a thought where the client doesn't know notices."""
    if understood:
        return updates.Notice(severity, text)
    return updates.AgentThoughtChunk(TextContent(text + "\n\n"))


def _started(call: events.ToolStart, call_id: str) -> updates.ToolCall:
    return updates.ToolCall(
        call_id,
        call.title,
        kind=call.kind,
        status="pending",
        content=_diffs(call.diffs),
        locations=_locations(call.locations),
        raw_input=call.input,
    )


def _ended(call: events.ToolEnd, call_id: str) -> updates.ToolCallUpdate:
    raw: dict[str, object] = {"output": call.output}
    if call.exit_code is not None:
        raw["exitCode"] = call.exit_code
    return updates.ToolCallUpdate(
        call_id,
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
