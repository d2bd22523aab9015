"""Every message that the wire knows, fully filled, with each variant of each union at least once."""

from __future__ import annotations

from collections.abc import Iterator
from types import UnionType
from typing import Any, Union, get_args, get_origin

import msgspec

from minime_agent.acp.wire import content, handshake, options, services, sessions, tools, updates
from minime_agent.acp.wire.base import Unknown

# What the protocol allows only certain words or combinations for.
WORDS: dict[str, object] = {
    "ToolCall.kind": "edit",
    "ToolCallUpdate.kind": "execute",
    "ToolCallFields.kind": "search",
    "ToolCall.status": "in_progress",
    "ToolCallUpdate.status": "failed",
    "ToolCallFields.status": "pending",
    "PermissionOption.kind": "allow_always",
    "PlanEntry.priority": "high",
    "PlanEntry.status": "in_progress",
    "Annotations.audience": ("user", "assistant"),
    "PromptResponse.stop_reason": "max_tokens",
    "StringProperty.format": "email",
    "CompactionUpdate.status": "in_progress",
    "SessionStatus.status": "open",
    "InitializeRequest.protocol_version": 1,
    "InitializeResponse.protocol_version": 1,
    "ResourceLink.size": 12,
    "ConfigBoolean.category": "thought_level",
}

_FORM = services.ElicitationSchema(
    title="t",
    description="d",
    properties={
        "a": services.StringProperty("t", "d", 1, 9, "p", "email", "x"),
        "b": services.NumberProperty("t", "d", 1.5, 2.5, 2.0),
        "c": services.IntegerProperty("t", "d", 1, 3, 2),
        "d": services.BooleanProperty("t", "d", True),
        "e": services.MultiSelectProperty(
            services.MultiSelectItems("string", enum=("x", "y")), "t", "d", 1, 2, ("x",)
        ),
        "f": services.MultiSelectProperty(services.MultiSelectItems(any_of=(services.EnumOption("x", "X"),))),
        "g": services.StringProperty(one_of=(services.EnumOption("x", "X"),)),
        "h": services.StringProperty(enum=("x",)),
    },
    required=("a",),
)
_CHOICES = (options.ConfigChoice("One", value="1", description="d"),)

FIXED: dict[type, list[object]] = {
    sessions.McpServer: [
        sessions.McpServer("m", command="cmd", args=("-x",), env=(sessions.NameValue("A", "b"),)),
        sessions.McpServer("m", command="cmd", args=(), env=()),
        sessions.McpServer("m", type="http", url="http://x", headers=(sessions.NameValue("A", "b"),)),
        sessions.McpServer("m", type="sse", url="http://x", headers=()),
    ],
    content.ResourceContents: [
        content.ResourceContents("file:///a", text="x", mime_type="text/plain"),
        content.ResourceContents("file:///a", blob="eA==", mime_type="image/png"),
    ],
    tools.PermissionOutcome: [
        tools.PermissionOutcome("selected", "yes"),
        tools.PermissionOutcome("cancelled"),
    ],
    options.ConfigSelect: [
        options.ConfigSelect(
            id="m", name="M", description="d", category="model", current_value="1", options=_CHOICES
        ),
        options.ConfigSelect(
            id="m",
            name="M",
            current_value="1",
            options=(options.ConfigChoice("G", group="g", options=_CHOICES),),
        ),
    ],
    handshake.AuthMethod: [
        handshake.AuthMethod("a", "A", "d"),
        handshake.AuthMethod("a", "A", "d", "terminal", ("--login",), {"X": "y"}),
    ],
    options.SetSessionConfigOptionRequest: [
        options.SetSessionConfigOptionRequest("s", "c", "v"),
        options.SetSessionConfigOptionRequest("s", "c", True, "boolean"),
    ],
    services.CreateElicitationRequest: [
        services.CreateElicitationRequest("form", "m", "s", "t", requested_schema=_FORM),
        services.CreateElicitationRequest("url", "m", request_id=3, elicitation_id="e", url="http://x/"),
    ],
    services.CreateElicitationResponse: [
        services.CreateElicitationResponse("accept", {"a": "x", "b": 1, "c": True, "d": ("x",)}),
        services.CreateElicitationResponse("decline"),
        services.CreateElicitationResponse("cancel"),
    ],
    updates.SubagentState: [
        updates.SubagentState("running"),
        updates.SubagentState("idle", "end_turn"),
    ],
    options.SessionModelState: [],
}


def samples(kind: Any) -> Iterator[Any]:
    """Filled instances of a struct, or values of any type that a field has."""
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        yield from FIXED[kind] if kind in FIXED else _structs(kind)
    elif get_origin(kind) in (Union, UnionType):
        yield from (s for k in get_args(kind) if k is not type(None) for s in samples(k))
    elif get_origin(kind) is tuple:
        yield tuple(samples(get_args(kind)[0]))
    elif get_origin(kind) is dict:
        yield {"key": next(samples(get_args(kind)[1]))}
    else:
        yield {str: "text", int: 7, float: 0.5, bool: True, object: {"any": [1]}}[kind]


def _structs(kind: type[msgspec.Struct]) -> Iterator[msgspec.Struct]:
    if issubclass(kind, Unknown):
        return
    values: dict[str, list[object]] = {}
    for field in msgspec.structs.fields(kind):
        word = WORDS.get(f"{kind.__name__}.{field.name}")
        found = [word] if word is not None else list(samples(field.type))
        if found:
            values[field.name] = found
    for n in range(max((len(v) for v in values.values()), default=1)):
        yield kind(**{name: found[min(n, len(found) - 1)] for name, found in values.items()})
