"""Tool calls and the question whether one may run."""

from __future__ import annotations

from typing import Literal, TypeAlias

from minime_agent.acp.wire.base import Params, Unknown, Wire
from minime_agent.acp.wire.content import ContentBlock

# On the line these are open sets: a newer peer may send other words, so the fields are plain strings.
ToolKind: TypeAlias = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
]
ToolStatus: TypeAlias = Literal["pending", "in_progress", "completed", "failed"]
PermissionKind: TypeAlias = Literal["allow_once", "allow_always", "reject_once", "reject_always"]


class Content(Wire, frozen=True, tag_field="type", tag="content"):
    """A content block as a tool's output."""

    content: ContentBlock


class Diff(Wire, frozen=True, tag_field="type", tag="diff"):
    """A change to one file (absolute `path`); `old_text` is None for a new file."""

    path: str
    new_text: str
    old_text: str | None = None


class Terminal(Wire, frozen=True, tag_field="type", tag="terminal"):
    """The live output of a terminal made with `terminal/create`, or one that the agent owns."""

    terminal_id: str


class UnknownToolContent(Unknown, frozen=True, tag_field="type", tag="?"):
    """Output of a kind that this version doesn't know."""


ToolCallContent: TypeAlias = Content | Diff | Terminal | UnknownToolContent


class ToolCallLocation(Wire, frozen=True):
    """A file that a call works on; `line` is 1-based."""

    path: str
    line: int | None = None


class ToolCallFields(Wire, frozen=True):
    """What is known, or has changed, of a tool call; None means: not said. Lists replace the former ones."""

    tool_call_id: str
    title: str | None = None
    name: str | None = None
    kind: str | None = None
    status: str | None = None
    content: tuple[ToolCallContent, ...] | None = None
    locations: tuple[ToolCallLocation, ...] | None = None
    raw_input: object = None
    raw_output: object = None


class PermissionOption(Wire, frozen=True):
    """One answer to choose; `kind` is one of `PermissionKind`."""

    option_id: str
    name: str
    kind: str


class RequestPermissionRequest(Params, frozen=True):
    """`session/request_permission`: may this call run?"""

    session_id: str
    tool_call: ToolCallFields
    options: tuple[PermissionOption, ...]


class PermissionOutcome(Wire, frozen=True):
    """`selected` with an `option_id`, or `cancelled` (the turn was stopped before an answer)."""

    outcome: str
    option_id: str | None = None


class RequestPermissionResponse(Wire, frozen=True):
    """The person's answer."""

    outcome: PermissionOutcome

    @classmethod
    def selected(cls, option_id: str) -> RequestPermissionResponse:
        """The answer that chooses an option."""
        return cls(PermissionOutcome("selected", option_id))

    @classmethod
    def cancelled(cls) -> RequestPermissionResponse:
        """The answer of a stopped turn."""
        return cls(PermissionOutcome("cancelled"))
