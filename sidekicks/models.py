"""What the product talks about: channels, messages, their parts, agents. Frozen and typed.

As JSON the field names are camelCase (`to_json` in `events`).
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal, TypeAlias

import msgspec

AgentState: TypeAlias = Literal["stopped", "starting", "ready", "busy", "error"]
Role: TypeAlias = Literal["user", "agent", "system"]
StopReason: TypeAlias = Literal["end_turn", "cancelled", "max_tokens", "max_turn_requests", "refusal"]
SystemCode: TypeAlias = Literal[
    "agent-joined", "agent-left", "no-recipient", "agent-unavailable", "session-lost", "notice"
]
ToolKind: TypeAlias = Literal[
    "read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"
]
ToolStatus: TypeAlias = Literal["pending", "in_progress", "completed", "failed"]
PermissionKind: TypeAlias = Literal["allow_once", "allow_always", "reject_once", "reject_always"]
Policy: TypeAlias = Literal["ask", "read-only-free", "all-free"]
ThemeChoice: TypeAlias = Literal["system", "light", "dark"]
LanguageChoice: TypeAlias = Literal["system", "en", "fr"]


class Model(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of everything here: immutable, keyword-only, camelCase as JSON."""


class Location(Model, frozen=True):
    """A place in a file that a tool call reads or changes; `line` is 1-based."""

    path: str
    line: int | None = None


class Diff(Model, frozen=True):
    """A change to one file; `old_text` is empty for a new file."""

    path: str
    old_text: str
    new_text: str
    new_file: bool = False


class TextPart(Model, frozen=True, tag_field="type", tag="text"):
    """What the author said, in Markdown."""

    text: str


class ThoughtPart(Model, frozen=True, tag_field="type", tag="thought"):
    """Reasoning, in Markdown. `seconds` is how long it took, once it is over."""

    text: str
    seconds: float | None = None


class ImagePart(Model, frozen=True, tag_field="type", tag="image"):
    """An image: `data` are the bytes of the file (base64 as JSON); `name` is what to call it."""

    mime_type: str
    data: bytes
    name: str = ""


class FilePart(Model, frozen=True, tag_field="type", tag="file"):
    """A file that goes with a message, by its absolute path; agents read it, it is not kept here."""

    path: str
    mime_type: str = ""


class ToolPart(Model, frozen=True, tag_field="type", tag="tool"):
    """One tool call. `input` is compact JSON; `output` is text, cut to a bound with its end kept.

    `signal` is what ended its command, when it did not end by itself.
    """

    id: str
    title: str
    kind: ToolKind = "other"
    status: ToolStatus = "pending"
    input: str = ""
    output: str = ""
    locations: tuple[Location, ...] = ()
    diffs: tuple[Diff, ...] = ()
    exit_code: int | None = None
    signal: str = ""
    images: tuple[ImagePart, ...] = ()


class PlanEntry(Model, frozen=True):
    """One step of a plan."""

    content: str
    status: Literal["pending", "in_progress", "completed"] = "pending"
    priority: Literal["high", "medium", "low"] = "medium"


class PlanPart(Model, frozen=True, tag_field="type", tag="plan"):
    """The agent's plan; a new one replaces the former whole."""

    entries: tuple[PlanEntry, ...] = ()


Part: TypeAlias = TextPart | ThoughtPart | ToolPart | PlanPart | ImagePart | FilePart


class Message(Model, frozen=True):
    """One message of a channel.

    `agent` is the author of an agent's message, or whom a system message is about. `error` says why an
    agent's message ended without a stop reason, what an agent's notice says, or is `cancelled` for a queued
    message dropped by Stop.
    `finished_at` is when an agent's message was done.
    """

    id: str
    channel: str
    created_at: datetime
    role: Role
    agent: str = ""
    parts: tuple[Part, ...] = ()
    done: bool = True
    queued: bool = False
    stop_reason: StopReason | None = None
    error: str = ""
    code: SystemCode | None = None
    finished_at: datetime | None = None


def is_news(role: Role, code: SystemCode | None) -> bool:
    """Whether such a message counts as unread: an agent's, or what went wrong; not who came and went."""
    return role == "agent" or (role == "system" and code not in ("agent-joined", "agent-left"))


class Channel(Model, frozen=True):
    """A conversation. `direct` is the agent of a direct one, else empty; `cwd` is empty when not chosen."""

    id: str
    name: str = ""
    description: str = ""
    direct: str = ""
    members: tuple[str, ...] = ()
    cwd: str = ""


class Cost(Model, frozen=True):
    """Money spent on a session so far; `currency` as in ISO 4217."""

    amount: float
    currency: str


class Usage(Model, frozen=True):
    """How full an agent's context window is, in tokens; `size` 0 means unknown."""

    used: int
    size: int
    cost: Cost | None = None


class Command(Model, frozen=True):
    """A slash command that an agent announced; `hint` describes its arguments."""

    name: str
    description: str = ""
    hint: str = ""


class OptionChoice(Model, frozen=True):
    """A value that an option can have; choices with the same `group` belong together."""

    value: str
    name: str
    description: str = ""
    group: str = ""


class SessionOption(Model, frozen=True):
    """What can be chosen for an agent in a channel; with no `choices` it is on or off.

    `category`: mode, model, model_config, thought_level, or another word. Modes of the protocol, and the
    models of agents that still return them the former way, are options like any.
    """

    id: str
    name: str
    value: str | bool
    description: str = ""
    category: str = ""
    choices: tuple[OptionChoice, ...] = ()


class StoredSession(Model, frozen=True):
    """A session that an agent keeps and can go on with; `updated_at` as in ISO 8601, or empty."""

    session_id: str
    cwd: str
    title: str = ""
    updated_at: str = ""


class Resources(Model, frozen=True):
    """What the processes of an agent use: `memory` in bytes, `cpu` in seconds of processor time so far."""

    memory: int
    cpu: float
    processes: int


class LoginMethod(Model, frozen=True):
    """A way to log in to an agent. `terminal`: it talks with the user in a terminal."""

    id: str
    name: str
    description: str = ""
    terminal: bool = False


class PermissionOption(Model, frozen=True, omit_defaults=True):
    """One answer that a permission request allows; `name` is the agent's words for it.

    `remembered`: chosen, it becomes a `PermissionRule`, for every tool of this kind. An `always` without it
    means what its name says, and the agent alone remembers it.
    """

    option_id: str
    name: str
    kind: PermissionKind
    remembered: bool = False


class PermissionRequest(Model, frozen=True):
    """An agent asks to use a tool; `rejections` counts the refusals already given in this turn."""

    id: str
    channel: str
    agent: str
    message_id: str
    tool_call: ToolPart
    options: tuple[PermissionOption, ...]
    rejections: int = 0


class PermissionRule(Model, frozen=True):
    """A remembered answer: what `agent` may do, or may not, with every tool of a kind."""

    agent: str
    kind: ToolKind
    allowed: bool


class FormField(Model, frozen=True):
    """One field of a form. `choices` (value, title) are for `choice` and `choices`.

    `minimum` and `maximum` bound a number, a text's length or the number of choices; `format` is email, uri,
    date, date-time or empty.
    """

    name: str
    title: str
    kind: Literal["text", "number", "integer", "boolean", "choice", "choices"]
    description: str = ""
    required: bool = False
    default: str | float | bool | tuple[str, ...] | None = None
    choices: tuple[tuple[str, str], ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    pattern: str = ""
    format: str = ""


FormValue: TypeAlias = str | int | float | bool | tuple[str, ...]


class Elicitation(Model, frozen=True):
    """An agent asks the user for something: a form to fill in, or a link to open (`url` is not empty)."""

    id: str
    channel: str
    agent: str
    message: str
    fields: tuple[FormField, ...] = ()
    url: str = ""


class AgentStatus(Model, frozen=True):
    """An agent of the configuration as the window shows it. `outdated`: it runs with an older definition.

    `since` is when it came into its state; `logins` is not empty when it needs the user to log in first.
    """

    name: str
    title: str
    icon: str
    description: str
    state: AgentState
    error: str = ""
    outdated: bool = False
    since: datetime | None = None
    logins: tuple[LoginMethod, ...] = ()


class AgentDefinition(Model, frozen=True):
    """An agent as the configuration defines it, with `${NAME}` replaced and paths made absolute.

    `command` is a name to be looked up on PATH, or an absolute path; `cwd` is empty when not given.
    `mcp_servers` is what session/new takes. `permissions` is what it may do without asking.
    `start_timeout` is seconds until the handshake must have succeeded. `protocol_log`: everything that
    is said with it is written to a file, secrets masked.
    """

    name: str
    title: str
    command: str
    icon: str = ""
    description: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}
    cwd: str = ""
    mcp_servers: tuple[dict[str, object], ...] = ()
    permissions: Policy = "ask"
    start_timeout: float = 30.0
    protocol_log: bool = False


class Limits(Model, frozen=True):
    """How many agents may run at once, and after how many idle seconds one is stopped (0: never)."""

    max_running_agents: int = 4
    stop_idle_agents_after: float = 600.0


class Problem(Model, frozen=True):
    """What is wrong with a configuration text, and where (1-based)."""

    line: int
    column: int
    message: str
    warning: bool = False


class Page(Model, frozen=True):
    """Older messages of a channel, oldest first; `more` says that there are others before them."""

    messages: tuple[Message, ...]
    more: bool


class Found(Model, frozen=True):
    """A message that a search found; `snippet` is text of it, `spans` (start, end) is where the words are."""

    channel: str
    message: Message
    snippet: str
    spans: tuple[tuple[int, int], ...] = ()


class SearchResult(Model, frozen=True):
    """What a search found, newest first; `more` says that there are others before them.

    `complete` is false while the index is being made, and when there was too much to look through: then
    others may be missing. `problem` says in one sentence why searching is slow, else empty.
    """

    found: tuple[Found, ...] = ()
    more: bool = False
    complete: bool = True
    problem: str = ""


class Conversation(Model, frozen=True):
    """A channel as it is opened: its last messages and what is going on in it.

    `answering` is the agent whose turn it is, else empty. `waiting_for` is the channel that the agent
    answers in meanwhile, when this one waits for its turn. `silent`: nothing was heard of the agent for long.
    `options` and `titles` are those of the agents' sessions; `last_read` is the last message that was seen.
    """

    channel: Channel
    messages: tuple[Message, ...]
    more: bool
    busy: bool
    queued: int
    answering: str
    usage: dict[str, Usage]
    permissions: tuple[PermissionRequest, ...]
    waiting_for: str = ""
    silent: bool = False
    elicitations: tuple[Elicitation, ...] = ()
    options: dict[str, tuple[SessionOption, ...]] = {}
    titles: dict[str, str] = {}
    last_read: str = ""
