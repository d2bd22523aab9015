"""Old tool outputs as stubs: what was run, how large the output was, how it ended. Calls and answers stay."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any, cast

import msgspec
from msgspec.structs import replace

from minime_agent.engine.messages import FunctionCall, Message

_STUB = re.compile(r'\[output of ".*" left out: [^\n]*\]')
_EXIT = re.compile(r"^\[exit code: (-?\d+)\]$", re.MULTILINE)
_TOLD_BY = ("command", "path", "url", "query", "pattern", "name")
"""The argument that says which call it was, first that there is."""
_TITLE = 80
_CHANGING = ("edit_file", "write_file", "plan")
"""Tools that nobody is to call again for the sake of their output."""


def is_stub(output: str) -> bool:
    """Whether an output was left out already."""
    return _STUB.fullmatch(output) is not None


def stub(call: FunctionCall, output: str) -> str:
    """What stands for an output that was left out."""
    codes = _EXIT.findall(output)
    size = f"{len(output.splitlines())} lines" + (f", exit code {codes[-1]}" if codes else "")
    advice = "" if call.name in _CHANGING else "; run it again if you need it"
    return f'[output of "{_title(call)}" left out: {size}{advice}]'


def maskable(history: Sequence[Message], before: int) -> tuple[str, ...]:
    """The ids of the calls before that position whose output would become smaller, oldest first."""
    calls = _calls(history)
    return tuple(
        message.tool_call_id
        for message in history[:before]
        if message.tool_call_id in calls and _masked(message, calls[message.tool_call_id]) is not message
    )


def mask(history: Sequence[Message], ids: Collection[str]) -> list[Message]:
    """The history with these calls' outputs as stubs."""
    calls = _calls(history)
    chosen = set(ids) & set(calls)
    return [
        _masked(message, calls[message.tool_call_id]) if message.tool_call_id in chosen else message
        for message in history
    ]


def _calls(history: Sequence[Message]) -> dict[str, FunctionCall]:
    return {call.id: call.function for message in history for call in message.tool_calls}


def _masked(message: Message, call: FunctionCall) -> Message:
    """The message with a stub, or itself where that would not be smaller."""
    output = message.content or ""
    if is_stub(output):
        return message
    short = replace(message, content=stub(call, output))
    return short if len(msgspec.json.encode(short)) < len(msgspec.json.encode(message)) else message


def _title(call: FunctionCall) -> str:
    """The command, or the tool and its path, on one line."""
    try:
        decoded: object = msgspec.json.decode(call.arguments)
    except msgspec.DecodeError:
        decoded = None
    arguments = cast("dict[str, Any]", decoded) if isinstance(decoded, dict) else {}
    told = next((name for name in _TOLD_BY if isinstance(arguments.get(name), str)), None)
    if told is None:
        return call.name
    value = " ".join(str(arguments[told]).split())
    title = value if told == "command" else f"{call.name} {value}"
    return title if len(title) <= _TITLE else f"{title[: _TITLE - 1]}…"
