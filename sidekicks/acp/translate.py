"""An update of the protocol to what has changed: pure, and tolerant of words that it doesn't know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias, cast, get_args

from minime_agent.acp.wire import tools, updates
from sidekicks.acp.changes import (
    Change,
    CommandsReplaced,
    NoticeTold,
    PermissionAsked,
    PlanReplaced,
    TextAdded,
    ThoughtAdded,
    ToolChanged,
    UsageReported,
)
from sidekicks.acp.text import DIFF_LIMIT, block_text, compact_json, cut, output_text, raw_output_text
from sidekicks.models import (
    Command,
    Diff,
    Location,
    PermissionKind,
    PermissionOption,
    PlanEntry,
    ToolKind,
    ToolStatus,
    Usage,
)

_KINDS = frozenset(get_args(ToolKind))
_STATUSES = frozenset(get_args(ToolStatus))
_PERMISSIONS = frozenset(get_args(PermissionKind))
_PRIORITIES = frozenset(("high", "medium", "low"))
_STEPS = frozenset(("pending", "in_progress", "completed"))

MAX_PLAN = 200
"""Steps of a plan that are kept."""
MAX_PLACES = 1_000
"""Locations of a tool call that are kept."""
MAX_DIFFS = 200
"""Diffs of a tool call that are kept."""
MAX_TITLE = 10_000
"""Characters of a title or a step."""

_Fields: TypeAlias = updates.ToolCall | tools.ToolCallFields


def translate(update: updates.SessionUpdate) -> Change | None:
    """What the update changes; None when it is nothing that is shown in a conversation."""
    translator = _TRANSLATORS.get(type(update))
    return None if translator is None else translator(update)


def permission(request: tools.RequestPermissionRequest) -> PermissionAsked:
    """The question that an agent asks. An answer of a kind that nobody knows counts as a refusal."""
    options = tuple(
        PermissionOption(
            option_id=option.option_id,
            name=option.name,
            kind=cast("PermissionKind", option.kind if option.kind in _PERMISSIONS else "reject_once"),
        )
        for option in request.options
    )
    return PermissionAsked(tool=tool_changed(request.tool_call), options=options)


def tool_changed(fields: _Fields) -> ToolChanged:
    """What a tool call's fields say. Content replaces what was there before."""
    meta = fields.meta or {}
    raw_input, raw_output = fields.raw_input, fields.raw_output
    return ToolChanged(
        id=fields.tool_call_id,
        title=cut(fields.title, MAX_TITLE) if fields.title is not None else None,
        name=cut(fields.name or "", MAX_TITLE),
        kind=_known_kind(fields.kind),
        status=cast("ToolStatus", fields.status) if fields.status in _STATUSES else None,
        input=compact_json(raw_input) or None,
        output=_output(fields.content, raw_output),
        appended=_terminal_data(meta),
        locations=_locations(fields.locations),
        diffs=_diffs(fields.content),
        exit_code=_exit_code(meta, raw_output),
    )


def _known_kind(kind: str | None) -> ToolKind | None:
    if kind is None:
        return None
    return cast("ToolKind", kind) if kind in _KINDS else "other"


def _output(content: tuple[tools.ToolCallContent, ...] | None, raw_output: object) -> str | None:
    text = output_text(content) if content is not None else ""
    if text:
        return text
    if content is not None and any(isinstance(item, tools.Diff | tools.Terminal) for item in content):
        return None
    if raw_output is not None:
        return raw_output_text(raw_output)
    return None if content is None else ""


def _diffs(content: tuple[tools.ToolCallContent, ...] | None) -> tuple[Diff, ...] | None:
    if content is None:
        return None
    diffs = [item for item in content if isinstance(item, tools.Diff)]
    return tuple(
        Diff(
            path=item.path,
            old_text=cut(item.old_text or "", DIFF_LIMIT),
            new_text=cut(item.new_text, DIFF_LIMIT),
            new_file=item.old_text is None,
        )
        for item in diffs[:MAX_DIFFS]
    )


def _locations(locations: tuple[tools.ToolCallLocation, ...] | None) -> tuple[Location, ...] | None:
    if locations is None:
        return None
    return tuple(Location(path=location.path, line=location.line) for location in locations[:MAX_PLACES])


def _terminal_data(meta: dict[str, object]) -> str:
    """What an agent that owns the terminal adds to its output."""
    for key in ("terminal_output_delta", "terminal_output"):
        found = meta.get(key)
        if isinstance(found, dict) and isinstance(data := cast("dict[str, object]", found).get("data"), str):
            return data
    return ""


def _exit_code(meta: dict[str, object], raw_output: object) -> int | None:
    for source in (meta.get("terminal_exit"), raw_output):
        if isinstance(source, dict):
            fields = cast("dict[str, object]", source)
            code = fields.get("exit_code", fields.get("exitCode"))
            if isinstance(code, int) and not isinstance(code, bool):
                return code
    return None


def _text(update: updates.AgentMessageChunk) -> TextAdded:
    return TextAdded(text=block_text(update.content), message_id=update.message_id)


def _thought(update: updates.AgentThoughtChunk) -> ThoughtAdded:
    return ThoughtAdded(text=block_text(update.content), message_id=update.message_id)


def _plan(update: updates.Plan) -> PlanReplaced:
    return PlanReplaced(entries=tuple(_step(entry) for entry in update.entries[:MAX_PLAN]))


def _step(entry: updates.PlanEntry) -> PlanEntry:
    status: Any = entry.status if entry.status in _STEPS else "pending"
    priority: Any = entry.priority if entry.priority in _PRIORITIES else "medium"
    return PlanEntry(content=cut(entry.content, MAX_TITLE), status=status, priority=priority)


def _commands(update: updates.AvailableCommandsUpdate) -> CommandsReplaced:
    return CommandsReplaced(
        commands=tuple(
            Command(
                name=command.name,
                description=command.description,
                hint=command.input.hint if command.input is not None else "",
            )
            for command in update.available_commands
        )
    )


def _notice(update: updates.Notice) -> NoticeTold:
    text = f"{update.title}: {update.description}" if update.description else update.title
    return NoticeTold(text=text, warning=update.severity != "info")


def _usage(update: updates.UsageUpdate) -> UsageReported:
    return UsageReported(usage=Usage(used=max(0, update.used), size=max(0, update.size)))


_TRANSLATORS: dict[type, Callable[[Any], Change]] = {
    updates.AgentMessageChunk: _text,
    updates.AgentThoughtChunk: _thought,
    updates.ToolCall: tool_changed,
    updates.ToolCallUpdate: tool_changed,
    updates.Plan: _plan,
    updates.AvailableCommandsUpdate: _commands,
    updates.UsageUpdate: _usage,
    updates.Notice: _notice,
}
