"""A tool's arguments: checked against what the tool takes, with what is unambiguous put right.

Small models write `cmd` for `command`, a JSON string for a list, one object for a list of one. A wrong call
is told what is wrong and what shape is expected, so that the next one can be right.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

import msgspec

from minime_agent.tools.tool import ToolFailure

T = TypeVar("T", bound=msgspec.Struct)

_ALIASES = {
    "cmd": "command",
    "file": "path",
    "file_path": "path",
    "filename": "path",
    "filepath": "path",
    "text": "content",
}


def parse(kind: type[T], arguments: dict[str, Any], tool: str, schema: Mapping[str, Any]) -> T:
    """The arguments as `kind`; raises `ToolFailure` with what is wrong and the expected shape."""
    properties = cast("dict[str, dict[str, Any]]", schema["properties"])
    values = dict(arguments)
    for alias, name in _ALIASES.items():
        if alias in values and alias not in properties and name in properties and name not in values:
            values[name] = values.pop(alias)
    for name, rule in properties.items():
        if rule.get("type") == "array" and name in values:
            values[name] = _as_list(values[name])
    try:
        return msgspec.convert(values, kind, strict=False)
    except msgspec.ValidationError as error:
        wrong = str(error).replace("`", "").replace("$.", "").replace("Object", "the call")
        raise ToolFailure(
            f"[error: invalid arguments for {tool}: {wrong}; expected {shape(schema)}]"
        ) from None


def shape(schema: Mapping[str, Any]) -> str:
    """A schema in the fewest words: `{path: string, start?: integer}`."""
    match schema.get("type"):
        case "object":
            properties = cast("dict[str, dict[str, Any]]", schema.get("properties", {}))
            required = schema.get("required", [])
            rows = (f"{n}{'' if n in required else '?'}: {shape(rule)}" for n, rule in properties.items())
            return "{" + ", ".join(rows) + "}"
        case "array":
            return f"[{shape(schema.get('items', {}))}]"
        case kind:
            return "|".join(schema["enum"]) if "enum" in schema else str(kind)


def _as_list(value: object) -> object:
    if isinstance(value, str):
        try:
            value = msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
    return [cast("object", value)] if isinstance(value, dict) else value
