"""Sessions: making, finding, ending them, and prompting."""

from __future__ import annotations

from typing import Literal, TypeAlias

from minime_agent.acp.wire.base import Params, Wire
from minime_agent.acp.wire.content import ContentBlock
from minime_agent.acp.wire.options import ConfigOption, SessionModelState, SessionModeState

StopReason: TypeAlias = Literal["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled"]


class NameValue(Wire, frozen=True):
    """An environment variable, or an HTTP header."""

    name: str
    value: str


class McpServer(Wire, frozen=True):
    """A server for the agent to use: a command (`type` stdio, never sent), or a URL (`type` http or sse).

    A command needs `args` and `env`, a URL needs `headers`, if only empty ones.
    """

    name: str
    type: str = "stdio"
    command: str | None = None
    args: tuple[str, ...] | None = None
    env: tuple[NameValue, ...] | None = None
    url: str | None = None
    headers: tuple[NameValue, ...] | None = None


class NewSessionRequest(Params, frozen=True):
    """`session/new`; `cwd` is absolute."""

    cwd: str
    mcp_servers: tuple[McpServer, ...]
    additional_directories: tuple[str, ...] = ()


class LoadSessionRequest(Params, frozen=True):
    """`session/load`: takes a session up again and replays it as updates."""

    session_id: str
    cwd: str
    mcp_servers: tuple[McpServer, ...]
    additional_directories: tuple[str, ...] = ()


class ResumeSessionRequest(Params, frozen=True):
    """`session/resume`: takes a session up again without a replay."""

    session_id: str
    cwd: str
    mcp_servers: tuple[McpServer, ...] = ()
    additional_directories: tuple[str, ...] = ()


class ForkSessionRequest(Params, frozen=True):
    """`session/fork` (unstable)."""

    session_id: str
    cwd: str
    mcp_servers: tuple[McpServer, ...] = ()
    additional_directories: tuple[str, ...] = ()


class SessionState(Wire, frozen=True):
    """Answer of `session/load` and `session/resume`; `models` is the former way to choose a model."""

    modes: SessionModeState | None = None
    config_options: tuple[ConfigOption, ...] | None = None
    models: SessionModelState | None = None


class NewSessionResponse(Wire, frozen=True):
    """Answer of `session/new` and `session/fork`; `models` is the former way to choose a model."""

    session_id: str
    modes: SessionModeState | None = None
    config_options: tuple[ConfigOption, ...] | None = None
    models: SessionModelState | None = None


class ListSessionsRequest(Params, frozen=True):
    """`session/list`; `cursor` is what the former page's `next_cursor` said."""

    cwd: str | None = None
    cursor: str | None = None


class SessionInfo(Wire, frozen=True):
    """A stored session; `updated_at` as in ISO 8601."""

    session_id: str
    cwd: str
    title: str | None = None
    updated_at: str | None = None
    additional_directories: tuple[str, ...] = ()


class ListSessionsResponse(Wire, frozen=True):
    """One page of sessions."""

    sessions: tuple[SessionInfo, ...]
    next_cursor: str | None = None


class SessionRequest(Params, frozen=True):
    """`session/close`, `session/delete`, `session/status`, `session/cancel`: a session and nothing else."""

    session_id: str


class SessionStatus(Wire, frozen=True):
    """Answer of `session/status` (unstable): `open`, `saved`, or another word."""

    status: str


class SetSessionTitleRequest(Params, frozen=True):
    """`session/set_title` (unstable)."""

    session_id: str
    title: str


class SetSessionTitleResponse(Wire, frozen=True):
    """The title as the agent stored it, which may differ from the one asked for."""

    title: str = ""


class PromptRequest(Params, frozen=True):
    """`session/prompt`."""

    session_id: str
    prompt: tuple[ContentBlock, ...]


class Usage(Wire, frozen=True):
    """Tokens of the session so far (unstable)."""

    total_tokens: int
    input_tokens: int
    output_tokens: int
    thought_tokens: int | None = None
    cached_read_tokens: int | None = None
    cached_write_tokens: int | None = None


class PromptResponse(Wire, frozen=True):
    """The end of a turn; `stop_reason` is one of `StopReason`, or a word of a newer version."""

    stop_reason: str
    usage: Usage | None = None
