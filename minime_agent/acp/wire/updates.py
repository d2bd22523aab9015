"""`session/update`: everything that an agent tells while it works, one struct per kind."""

from __future__ import annotations

from typing import TypeAlias

from minime_agent.acp.wire.base import Empty, Params, Unknown, Wire
from minime_agent.acp.wire.content import ContentBlock
from minime_agent.acp.wire.options import ConfigOption
from minime_agent.acp.wire.tools import ToolCallContent, ToolCallFields, ToolCallLocation


class _Chunk(Wire, frozen=True):
    content: ContentBlock
    message_id: str | None = None


class UserMessageChunk(_Chunk, frozen=True, tag_field="sessionUpdate", tag="user_message_chunk"):
    """More of what the person said (replayed by `session/load`)."""


class AgentMessageChunk(_Chunk, frozen=True, tag_field="sessionUpdate", tag="agent_message_chunk"):
    """More of the answer."""


class AgentThoughtChunk(_Chunk, frozen=True, tag_field="sessionUpdate", tag="agent_thought_chunk"):
    """More of the reasoning."""


class ToolCall(Wire, frozen=True, tag_field="sessionUpdate", tag="tool_call"):
    """A tool call begins; kind defaults to `other`, status to `pending`."""

    tool_call_id: str
    title: str
    name: str | None = None
    kind: str | None = None
    status: str | None = None
    content: tuple[ToolCallContent, ...] | None = None
    locations: tuple[ToolCallLocation, ...] | None = None
    raw_input: object = None
    raw_output: object = None


class ToolCallUpdate(ToolCallFields, frozen=True, tag_field="sessionUpdate", tag="tool_call_update"):
    """A tool call has changed."""


class PlanEntry(Wire, frozen=True):
    """A step; priority: high, medium, low; status: pending, in_progress, completed."""

    content: str
    priority: str
    status: str


class Plan(Wire, frozen=True, tag_field="sessionUpdate", tag="plan"):
    """The plan, whole; it replaces the former one."""

    entries: tuple[PlanEntry, ...]


class PlanItems(Wire, frozen=True, tag_field="type", tag="items"):
    """A named plan as steps."""

    plan_id: str
    entries: tuple[PlanEntry, ...]


class PlanFile(Wire, frozen=True, tag_field="type", tag="file"):
    """A named plan in a file."""

    plan_id: str
    uri: str


class PlanMarkdown(Wire, frozen=True, tag_field="type", tag="markdown"):
    """A named plan as text."""

    plan_id: str
    content: str


class UnknownPlan(Unknown, frozen=True, tag_field="type", tag="?"):
    """A plan of a kind that this version doesn't know."""


class PlanUpdate(Wire, frozen=True, tag_field="sessionUpdate", tag="plan_update"):
    """One of several plans, whole (unstable)."""

    plan: PlanItems | PlanFile | PlanMarkdown | UnknownPlan


class PlanRemoved(Wire, frozen=True, tag_field="sessionUpdate", tag="plan_removed"):
    """One of several plans is gone (unstable)."""

    plan_id: str


class CommandInput(Wire, frozen=True):
    """What may follow a command's name."""

    hint: str


class AvailableCommand(Wire, frozen=True):
    """A slash command, its name without the slash."""

    name: str
    description: str
    input: CommandInput | None = None


class AvailableCommandsUpdate(Wire, frozen=True, tag_field="sessionUpdate", tag="available_commands_update"):
    """All commands; they replace the former ones."""

    available_commands: tuple[AvailableCommand, ...]


class CurrentModeUpdate(Wire, frozen=True, tag_field="sessionUpdate", tag="current_mode_update"):
    """The agent changed its mode by itself."""

    current_mode_id: str


class ConfigOptionUpdate(Wire, frozen=True, tag_field="sessionUpdate", tag="config_option_update"):
    """All options with their values."""

    config_options: tuple[ConfigOption, ...]


class SessionInfoUpdate(Wire, frozen=True, tag_field="sessionUpdate", tag="session_info_update"):
    """A new title, or a new time (ISO 8601)."""

    title: str | None = None
    updated_at: str | None = None


class Cost(Wire, frozen=True):
    """Money spent on the session so far; `currency` as in ISO 4217."""

    amount: float
    currency: str


class UsageUpdate(Wire, frozen=True, tag_field="sessionUpdate", tag="usage_update"):
    """Tokens in the context window, and its size."""

    used: int
    size: int
    cost: Cost | None = None


class Notice(Wire, frozen=True, tag_field="sessionUpdate", tag="notice"):
    """Something to know beside the answer; severity: info, warning, error."""

    severity: str
    title: str
    description: str | None = None


class CompactionUpdate(Wire, frozen=True, tag_field="sessionUpdate", tag="compaction_update"):
    """The conversation is being summarised; status: in_progress, completed, failed, cancelled."""

    compaction_id: str
    status: str
    summary: tuple[ContentBlock, ...] | None = None
    error: str | None = None


class CompactionSummaryChunk(Wire, frozen=True, tag_field="sessionUpdate", tag="compaction_summary_chunk"):
    """More of the summary."""

    compaction_id: str
    content: ContentBlock


class SubagentCapabilities(Wire, frozen=True):
    """What can be asked of a subagent."""

    cancel: Empty | None = None


class SubagentState(Wire, frozen=True):
    """running, idle (with a stop reason) or requires_action."""

    state: str
    stop_reason: str | None = None
    error: dict[str, object] | None = None
    usage: dict[str, object] | None = None


class SubagentUpdate(Wire, frozen=True, tag_field="sessionUpdate", tag="subagent_update"):
    """A session that the agent runs below this one was made, or has changed (unstable)."""

    session_id: str
    title: str | None = None
    description: str | None = None
    capabilities: SubagentCapabilities | None = None
    state: SubagentState | None = None
    cwd: str | None = None
    additional_directories: tuple[str, ...] | None = None


class UnknownUpdate(Unknown, frozen=True, tag_field="sessionUpdate", tag="?"):
    """An update of a kind that this version doesn't know."""


SessionUpdate: TypeAlias = (
    UserMessageChunk
    | AgentMessageChunk
    | AgentThoughtChunk
    | ToolCall
    | ToolCallUpdate
    | Plan
    | PlanUpdate
    | PlanRemoved
    | AvailableCommandsUpdate
    | CurrentModeUpdate
    | ConfigOptionUpdate
    | SessionInfoUpdate
    | UsageUpdate
    | Notice
    | CompactionUpdate
    | CompactionSummaryChunk
    | SubagentUpdate
    | UnknownUpdate
)


class SessionNotification(Params, frozen=True):
    """`session/update`."""

    session_id: str
    update: SessionUpdate
