"""The history of a session, in the shape that an OpenAI-compatible server takes.

Encoding is byte-stable: the same history gives the same bytes, so that the server's KV cache serves the
old prefix.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]


class FunctionCall(msgspec.Struct, frozen=True):
    """The function of a tool call; `arguments` is JSON text, as the model wrote it."""

    name: str
    arguments: str


class ToolCall(msgspec.Struct, frozen=True):
    """One call that the model asked for."""

    id: str
    function: FunctionCall
    type: Literal["function"] = "function"


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One message of the history. A tool's result names its call in `tool_call_id`."""

    role: Role
    content: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


def user(text: str) -> Message:
    """What the person said."""
    return Message("user", text)


def tool_result(call_id: str, output: str) -> Message:
    """What a tool gave back for the call `call_id`."""
    return Message("tool", output, tool_call_id=call_id)


def fresh_ids(history: Sequence[Message]) -> Iterator[str]:
    """Ids for new calls. Their number alone is not enough: when room was made, a history is shorter again."""
    used = {call.id for message in history for call in message.tool_calls}
    made = (f"call_{len(history)}_{number}" for number in itertools.count())
    return (identity for identity in made if identity not in used)


def with_readable_calls(message: Message) -> Message:
    """The message with arguments that every chat template can parse.

    Servers answer 500 to a request whose history holds cut JSON; the tool's result tells the model what was
    wrong.
    """
    calls = tuple(
        call
        if _is_object(call.function.arguments)
        else ToolCall(call.id, FunctionCall(call.function.name, "{}"))
        for call in message.tool_calls
    )
    return msgspec.structs.replace(message, tool_calls=calls)


def _is_object(text: str) -> bool:
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.DecodeError, RecursionError):
        return False
