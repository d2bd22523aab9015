"""What an agent may ask of its client: files, terminals, questions to the person."""

from __future__ import annotations

from typing import TypeAlias

import msgspec

from minime_agent.acp.wire.base import Params, Unknown, Wire
from minime_agent.acp.wire.sessions import NameValue


class ReadTextFileRequest(Params, frozen=True):
    """`fs/read_text_file`; `line` is 1-based, `limit` a number of lines."""

    session_id: str
    path: str
    line: int | None = None
    limit: int | None = None


class ReadTextFileResponse(Wire, frozen=True):
    """The text, with what the editor has not saved yet."""

    content: str


class WriteTextFileRequest(Params, frozen=True):
    """`fs/write_text_file`."""

    session_id: str
    path: str
    content: str


class CreateTerminalRequest(Params, frozen=True):
    """`terminal/create`; of the output the last `output_byte_limit` bytes are kept."""

    session_id: str
    command: str
    args: tuple[str, ...] = ()
    env: tuple[NameValue, ...] = ()
    cwd: str | None = None
    output_byte_limit: int | None = None


class CreateTerminalResponse(Wire, frozen=True):
    """The new terminal."""

    terminal_id: str


class TerminalRequest(Params, frozen=True):
    """`terminal/output`, `terminal/wait_for_exit`, `terminal/kill`, `terminal/release`."""

    session_id: str
    terminal_id: str


class TerminalExitStatus(Wire, frozen=True):
    """How a command ended: by itself (`exit_code`) or by a signal."""

    exit_code: int | None = None
    signal: str | None = None


class TerminalOutputResponse(Wire, frozen=True):
    """The output so far."""

    output: str
    truncated: bool
    exit_status: TerminalExitStatus | None = None


class EnumOption(Wire, frozen=True):
    """A value with a title."""

    const: str
    title: str
    description: str | None = None


class StringProperty(Wire, frozen=True, tag_field="type", tag="string"):
    """A text field; `format`: email, uri, date, date-time; with `enum` or `one_of` a choice."""

    title: str | None = None
    description: str | None = None
    min_length: int | None = None
    max_length: int | None = None
    pattern: str | None = None
    format: str | None = None
    default: str | None = None
    enum: tuple[str, ...] | None = None
    one_of: tuple[EnumOption, ...] | None = None


class NumberProperty(Wire, frozen=True, tag_field="type", tag="number"):
    """A number field."""

    title: str | None = None
    description: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    default: float | None = None


class IntegerProperty(Wire, frozen=True, tag_field="type", tag="integer"):
    """A field for a whole number."""

    title: str | None = None
    description: str | None = None
    minimum: int | None = None
    maximum: int | None = None
    default: int | None = None


class BooleanProperty(Wire, frozen=True, tag_field="type", tag="boolean"):
    """A tick box."""

    title: str | None = None
    description: str | None = None
    default: bool | None = None


class MultiSelectItems(Wire, frozen=True):
    """The values of a multiple choice: `enum` (with `type` string), or `any_of`."""

    type: str | None = None
    enum: tuple[str, ...] | None = None
    any_of: tuple[EnumOption, ...] | None = None


class MultiSelectProperty(Wire, frozen=True, tag_field="type", tag="array"):
    """A multiple choice."""

    items: MultiSelectItems
    title: str | None = None
    description: str | None = None
    min_items: int | None = None
    max_items: int | None = None
    default: tuple[str, ...] | None = None


class UnknownProperty(Unknown, frozen=True, tag_field="type", tag="?"):
    """A field of a kind that this version doesn't know."""


ElicitationProperty: TypeAlias = (
    StringProperty
    | NumberProperty
    | IntegerProperty
    | BooleanProperty
    | MultiSelectProperty
    | UnknownProperty
)


class ElicitationSchema(Wire, frozen=True, tag_field="type", tag="object"):
    """A form: fields by name."""

    title: str | None = None
    description: str | None = None
    properties: dict[str, ElicitationProperty] = msgspec.field(default_factory=dict[str, ElicitationProperty])
    required: tuple[str, ...] | None = None


class CreateElicitationRequest(Params, frozen=True):
    """`elicitation/create`: a question to the person.

    `mode` is `form` (with `requested_schema`) or `url` (with `elicitation_id` and `url`), or a newer word.
    It belongs to a session (and perhaps a tool call), or to another request of this connection.
    """

    mode: str
    message: str
    session_id: str | None = None
    tool_call_id: str | None = None
    request_id: int | str | None = None
    requested_schema: ElicitationSchema | None = None
    elicitation_id: str | None = None
    url: str | None = None


ElicitationValue: TypeAlias = str | int | float | bool | tuple[str, ...]


class CreateElicitationResponse(Wire, frozen=True):
    """`action`: accept (with the `content` of a form), decline or cancel."""

    action: str
    content: dict[str, ElicitationValue] | None = None


class CompleteElicitationNotification(Params, frozen=True):
    """`elicitation/complete`: what the link asked for is done."""

    elicitation_id: str
