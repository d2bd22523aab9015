"""The lines of a session's file: a header, then entries that name their parent. Names as in Pi's sessions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeAlias, get_args

import msgspec

VERSION = 1
"""Of the format; a file of a later one is not read."""


class Header(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag="session"):
    """The first line. `title` is how the first question begins: a list needs no more of the file."""

    id: str
    cwd: str
    timestamp: str
    version: int
    title: str = ""
    parent_session: str = ""


class Text(msgspec.Struct, frozen=True, tag="text"):
    """What was said."""

    text: str


class Call(msgspec.Struct, frozen=True, tag="toolCall"):
    """A tool call; `arguments` are the JSON text that the model wrote, byte for byte."""

    id: str
    name: str
    arguments: str


class UserMessage(msgspec.Struct, frozen=True, tag_field="role", tag="user"):
    """A question."""

    content: tuple[Text, ...]


class Tokens(msgspec.Struct, frozen=True, rename="camel"):
    """What an answer took; `input` without what came from the server's cache."""

    input: int
    output: int
    cache_read: int


class AssistantMessage(
    msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="role", tag="assistant"
):
    """An answer, or the error that ended a turn (`stop_reason` "error"), and the model that gave it.

    No text block is not the same as an empty one: what a server is sent differs.
    """

    content: tuple[Text | Call, ...]
    provider: str = ""
    model: str = ""
    stop_reason: str = ""
    error_message: str = ""
    usage: Tokens | None = None


class Details(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """How a call was shown: for whoever shows the conversation again, not for the model."""

    title: str
    kind: str
    exit_code: int | None = None
    paths: tuple[str, ...] = ()


class ToolResultMessage(
    msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="role", tag="toolResult"
):
    """What a tool gave back."""

    tool_call_id: str
    tool_name: str
    content: tuple[Text, ...]
    is_error: bool = False
    details: Details | None = None


StoredMessage: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage


class _Entry(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, kw_only=True):
    """`parent_id` is the entry that this one follows; None for the first."""

    id: str
    parent_id: str | None
    timestamp: str


class MessageEntry(_Entry, frozen=True, kw_only=True, tag="message"):
    """Something that was said."""

    message: StoredMessage


class ModelChange(_Entry, frozen=True, kw_only=True, tag="model_change"):
    """What follows was answered by this model."""

    provider: str
    model_id: str


class Compaction(_Entry, frozen=True, kw_only=True, tag="compaction"):
    """Room was made: `summary` stands for what came before `first_kept_entry_id`.

    Without a summary nothing was taken away. `masked` are the ids of the calls whose outputs were left out.
    """

    summary: str
    tokens_before: int
    first_kept_entry_id: str | None = None
    masked: tuple[str, ...] = ()


class SessionInfo(_Entry, frozen=True, kw_only=True, tag="session_info"):
    """The session's name from now on."""

    name: str


class Label(_Entry, frozen=True, kw_only=True, tag="label"):
    """A bookmark on an entry; without text it is taken off."""

    target_id: str
    label: str = ""


class Custom(_Entry, frozen=True, kw_only=True, tag="custom"):
    """Anything that no model is told; `leaf` is where the conversation moved to: its own parent."""

    custom_type: str
    data: Any = None


class OtherEntry(_Entry, frozen=True, kw_only=True):
    """An entry of a kind that this version doesn't know; it keeps its place in the tree."""

    kind: str = msgspec.field(name="type")


Known: TypeAlias = MessageEntry | ModelChange | Compaction | SessionInfo | Label | Custom
Entry: TypeAlias = Known | OtherEntry

LEAF = "leaf"


def now() -> str:
    """This moment, as entries have it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def encode(line: Header | Known) -> bytes:
    """One line of a file, with its end."""
    return msgspec.json.encode(line) + b"\n"


def decode(line: bytes) -> Entry | None:
    """The entry of a line; None when the line is damaged."""
    try:
        return _known.decode(line)
    except _ERRORS:
        pass
    try:
        other = _other.decode(line)
    except _ERRORS:
        return None
    return None if other.kind in _KINDS else other


def decode_header(line: bytes) -> Header | None:
    """The header of a file; None when the line is damaged."""
    try:
        return _header.decode(line)
    except _ERRORS:
        return None


_ERRORS = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_KINDS = {kind.__struct_config__.tag for kind in get_args(Known)}
_known: msgspec.json.Decoder[Known] = msgspec.json.Decoder(Known)
_other = msgspec.json.Decoder(OtherEntry)
_header = msgspec.json.Decoder(Header)
