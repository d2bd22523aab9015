"""An update of the protocol to what has changed: pure, and tolerant of words that it doesn't know."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, TypeAlias, cast, get_args

from minime_agent.acp.wire import tools, updates
from sidekicks.acp.changes import (
    Change,
    CommandsReplaced,
    ImageAdded,
    NoticeTold,
    PermissionAsked,
    PlanReplaced,
    TextAdded,
    ThoughtAdded,
    Titled,
    ToolChanged,
    UsageReported,
    UserSaid,
)
from sidekicks.acp.images import image_of, output_of
from sidekicks.acp.plans import entries_of, plan_entries
from sidekicks.acp.text import DIFF_LIMIT, block_text, compact_json, cut, raw_output_text, short
from sidekicks.models import (
    Command,
    Cost,
    Diff,
    ImagePart,
    Location,
    PermissionKind,
    PermissionOption,
    ToolKind,
    ToolStatus,
    Usage,
)

_KINDS = frozenset(get_args(ToolKind))
_STATUSES = frozenset(get_args(ToolStatus))
_PERMISSIONS = frozenset(get_args(PermissionKind))
_SUBAGENT: dict[str, ToolStatus] = {"running": "in_progress", "requires_action": "in_progress"}

MAX_PLACES = 1_000
"""Locations of a tool call that are kept."""
MAX_DIFFS = 200
"""Diffs of a tool call that are kept."""
MAX_TITLE = 10_000
"""Characters of a tool call's title or a notice."""
MAX_COMMANDS = 5_000
"""Slash commands of an agent that are kept."""
MAX_ANSWERS = 50
"""Answers that a permission request may offer."""
MAX_NAME = 200
"""Characters of a name: of a command, a session, an answer."""
MAX_DESCRIPTION = 1_000
"""Characters of a command's description; lists of some 600 KB were seen, in a few hundred commands."""

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
            name=short(option.name, MAX_NAME),
            kind=cast("PermissionKind", option.kind if option.kind in _PERMISSIONS else "reject_once"),
        )
        for option in request.options[:MAX_ANSWERS]
    )
    return PermissionAsked(tool=tool_changed(request.tool_call), options=options)


def tool_changed(fields: _Fields) -> ToolChanged:
    """What a tool call's fields say. Content replaces what was there before."""
    meta = fields.meta or {}
    raw_input, raw_output = fields.raw_input, fields.raw_output
    text, images = output_of(fields.content or ())
    output, only_raw = (text, False) if images else _output(fields.content, text, raw_output)
    return ToolChanged(
        id=fields.tool_call_id,
        title=cut(fields.title, MAX_TITLE) if fields.title is not None else None,
        name=cut(fields.name or "", MAX_TITLE),
        kind=_known_kind(fields.kind),
        status=cast("ToolStatus", fields.status) if fields.status in _STATUSES else None,
        input=compact_json(raw_input) or None,
        output=output,
        only_raw=only_raw,
        shows_terminal=any(isinstance(item, tools.Terminal) for item in fields.content or ()),
        appended=_terminal_data(meta),
        locations=_locations(fields.locations),
        diffs=_diffs(fields.content),
        exit_code=_exit_code(meta, raw_output),
        signal=_signal(meta),
        images=images if fields.content is not None else None,
    )


def _known_kind(kind: str | None) -> ToolKind | None:
    if kind is None:
        return None
    return cast("ToolKind", kind) if kind in _KINDS else "other"


def shown_terminals(fields: object) -> Iterator[tuple[str, str]]:
    """The terminals that a tool call shows, with the call's id: (call, terminal)."""
    if isinstance(fields, updates.ToolCall | tools.ToolCallFields):
        for item in fields.content or ():
            if isinstance(item, tools.Terminal):
                yield fields.tool_call_id, item.terminal_id


def _output(
    content: tuple[tools.ToolCallContent, ...] | None, text: str, raw_output: object
) -> tuple[str | None, bool]:
    """The output's text, if it is said, and whether it is only the raw one."""
    if text:
        return text, False
    if content is not None and any(isinstance(item, tools.Diff | tools.Terminal) for item in content):
        return None, False
    if raw_output is not None:
        return raw_output_text(raw_output), True
    return (None if content is None else ""), False


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


def _signal(meta: dict[str, object]) -> str | None:
    ended = meta.get("terminal_exit")
    if isinstance(ended, dict) and isinstance(name := cast("dict[str, object]", ended).get("signal"), str):
        return cut(name, MAX_NAME)
    return None


def _text(update: updates.AgentMessageChunk) -> TextAdded | ImageAdded:
    image = image_of(update.content)
    if isinstance(image, ImagePart):
        return ImageAdded(image=image)
    return TextAdded(
        text=block_text(update.content) if image is None else image, message_id=update.message_id
    )


def _thought(update: updates.AgentThoughtChunk) -> ThoughtAdded:
    return ThoughtAdded(text=block_text(update.content), message_id=update.message_id)


def _user(update: updates.UserMessageChunk) -> UserSaid:
    image = image_of(update.content)
    if isinstance(image, ImagePart):
        return UserSaid(image=image, message_id=update.message_id)
    return UserSaid(text=block_text(update.content) if image is None else image, message_id=update.message_id)


def _plan(update: updates.Plan) -> PlanReplaced:
    return PlanReplaced(entries=plan_entries(update.entries))


def _named_plan(update: updates.PlanUpdate) -> PlanReplaced | None:
    return entries_of(update.plan)


def _no_plan(update: updates.PlanRemoved) -> PlanReplaced:
    return PlanReplaced(entries=(), plan_id=update.plan_id)


def _subagent(update: updates.SubagentUpdate) -> ToolChanged:
    """A session below this one looks like a tool call, which it is to the user."""
    state = update.state
    status = None if state is None else "failed" if state.error else _SUBAGENT.get(state.state, "completed")
    return ToolChanged(
        id=f"subagent {short(update.session_id, MAX_NAME)}",
        title=cut(update.title, MAX_TITLE) if update.title is not None else None,
        kind="think",
        status=status,
        output=cut(update.description, MAX_TITLE) if update.description is not None else None,
    )


def _commands(update: updates.AvailableCommandsUpdate) -> CommandsReplaced:
    return CommandsReplaced(
        commands=tuple(
            Command(
                name=command.name,
                description=short(command.description, MAX_DESCRIPTION),
                hint=short(command.input.hint, MAX_DESCRIPTION) if command.input is not None else "",
            )
            for command in update.available_commands[:MAX_COMMANDS]
            if 0 < len(command.name) <= MAX_NAME
        )
    )


def _notice(update: updates.Notice) -> NoticeTold:
    text = f"{update.title}: {update.description}" if update.description else update.title
    return NoticeTold(text=cut(text, MAX_TITLE), warning=update.severity != "info")


def _titled(update: updates.SessionInfoUpdate) -> Titled | None:
    return None if update.title is None else Titled(title=short(" ".join(update.title.split()), MAX_NAME))


def _usage(update: updates.UsageUpdate) -> UsageReported:
    cost = update.cost
    spent = None
    if cost is not None and math.isfinite(cost.amount) and cost.amount >= 0:
        spent = Cost(amount=cost.amount, currency=short(cost.currency, 10))
    return UsageReported(usage=Usage(used=max(0, update.used), size=max(0, update.size), cost=spent))


_TRANSLATORS: dict[type, Callable[[Any], Change | None]] = {
    updates.UserMessageChunk: _user,
    updates.AgentMessageChunk: _text,
    updates.AgentThoughtChunk: _thought,
    updates.ToolCall: tool_changed,
    updates.ToolCallUpdate: tool_changed,
    updates.Plan: _plan,
    updates.PlanUpdate: _named_plan,
    updates.PlanRemoved: _no_plan,
    updates.SubagentUpdate: _subagent,
    updates.AvailableCommandsUpdate: _commands,
    updates.SessionInfoUpdate: _titled,
    updates.UsageUpdate: _usage,
    updates.Notice: _notice,
}
