"""A tool's arguments: what is unambiguous put right, the rest told with what is wrong and what is expected.

Small models write `cmd` for `command`, a JSON string for a list, one object for a list of one, `"5"` for 5.
"""

from __future__ import annotations

import math
import shlex
from collections.abc import Mapping
from typing import Any, TypeVar, cast

import msgspec

from minime_agent.tools.tool import ToolFailure

T = TypeVar("T", bound=msgspec.Struct)
Schema = Mapping[str, Any]

_ALIASES = {
    "command": ("cmd", "commands", "script", "bash_command", "shell_command"),
    "path": ("file", "file_path", "filepath", "filename", "file_name", "absolute_path"),
    "content": ("text", "contents", "file_text", "file_content", "new_content"),
    "old": ("old_string", "old_text", "oldText", "old_str", "oldString", "search", "find"),
    "new": ("new_string", "new_text", "newText", "new_str", "newString", "replace", "replacement"),
    "edits": ("changes", "replacements", "edit"),
    "start": ("start_line", "line_start", "offset", "from"),
    "end": ("end_line", "line_end", "to"),
    "steps": ("plan", "todos", "tasks", "items"),
    "name": ("skill", "skill_name"),
    "url": ("uri", "link", "address"),
    "pattern": ("query", "regex", "search"),
}
"""By the tool's own name what others, and models trained on them, call the same."""
_LARGEST = 2**53
"""Beyond it a number that was written as text or as a fraction is no longer exactly what was written."""
_TRUE, _FALSE = ("true", "yes", "1"), ("false", "no", "0", "")
_SHELLS = ("bash", "sh", "zsh", "/bin/bash", "/bin/sh")


def coerce(arguments: dict[str, Any], schema: Schema) -> dict[str, Any]:
    """The arguments with what is unambiguous put right by the tool's schema; what is not stays as it is."""
    return cast("dict[str, Any]", _object(arguments, schema))


def problem(arguments: Mapping[str, Any], schema: Schema) -> str:
    """What is wrong with the arguments in the eyes of the schema; empty when they can be tried."""
    missing = [name for name in schema.get("required", ()) if name not in arguments]
    if missing:
        return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing"
    for name, rule in _properties(schema).items():
        if name in arguments and (wrong := _wrong_type(arguments[name], rule)):
            return f"{name} must be {wrong}"
    return ""


def parse(kind: type[T], arguments: dict[str, Any], tool: str, schema: Schema) -> T:
    """The arguments as `kind`; raises `ToolFailure` with what is wrong and the expected shape."""
    try:
        return msgspec.convert(arguments, kind)
    except msgspec.ValidationError as error:
        wrong = problem(arguments, schema) or (
            str(error).replace("`", "").replace("$.", "").replace("Object", "the call")
        )
        raise ToolFailure(
            f"[error: invalid arguments for {tool}: {wrong}; expected {shape(schema)}]"
        ) from None


def shape(schema: Schema) -> str:
    """A schema in the fewest words: `{path: string, start?: integer}`."""
    match schema.get("type"):
        case "object":
            required = schema.get("required", [])
            rows = (
                f"{name}{'' if name in required else '?'}: {shape(rule)}"
                for name, rule in _properties(schema).items()
            )
            return "{" + ", ".join(rows) + "}"
        case "array":
            return f"[{shape(schema.get('items', {}))}]"
        case kind:
            return "|".join(schema["enum"]) if "enum" in schema else str(kind or "any")


def _properties(schema: Schema) -> dict[str, Schema]:
    return cast("dict[str, Schema]", schema.get("properties") or {})


def _coerced(value: object, schema: Schema) -> object:
    match schema.get("type"):
        case "object":
            return _object(value, schema)
        case "array":
            return _list(value, schema.get("items") or {})
        case "string":
            return _text(value)
        case "integer" | "number" if isinstance(value, str | float):
            return _number(value)
        case "boolean" if isinstance(value, str) and value.strip().lower() in _TRUE + _FALSE:
            return value.strip().lower() in _TRUE
        case _:
            return value


def _object(value: object, schema: Schema) -> object:
    decoded = _decoded(value, dict)
    if not isinstance(decoded, dict):
        return decoded
    given, properties = cast("dict[str, object]", decoded), _properties(schema)
    values = dict(given)
    for name in properties:
        if name not in values and (alias := _alias(name, values, properties)):
            values[name] = values.pop(alias)
    _wrap(values, properties)
    return {name: _coerced(one, properties.get(name) or {}) for name, one in values.items()}


def _alias(name: str, values: Mapping[str, object], properties: Mapping[str, Schema]) -> str:
    """The one key that is given in the place of `name`."""
    known = [alias for alias in _ALIASES.get(name, ()) if alias in values and alias not in properties]
    return known[0] if len(known) == 1 else ""


def _wrap(values: dict[str, object], properties: Mapping[str, Schema]) -> None:
    """The one edit of a call that forgot the list: `{path, old, new}`."""
    for name, rule in properties.items():
        items = _properties(rule.get("items") or {})
        if name in values or rule.get("type") != "array" or not items:
            continue
        element = cast("dict[str, object]", _object(values, rule["items"]))
        required: list[str] = rule["items"].get("required", [])
        if required and all(key in element for key in required) and not set(required) & set(properties):
            values[name] = [{key: element[key] for key in items if key in element}]


def _list(value: object, items: Schema) -> object:
    if isinstance(listed := _decoded(value, list), list):
        return [_coerced(one, items) for one in cast("list[object]", listed)]
    if items.get("type") == "object" and isinstance(_decoded(value, dict), dict):
        return [_coerced(value, items)]
    return value


def _decoded(value: object, kind: type[Any]) -> object:
    """What a JSON string holds, where that is of the kind that is wanted."""
    if not isinstance(value, str):
        return value
    try:
        inner: object = msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return value
    return inner if isinstance(inner, kind) else value


def _text(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    return _command(cast("list[object]", value)) if isinstance(value, list) else value


def _command(words: list[object]) -> object:
    """A command as a list of words: how some models were taught to call a shell."""
    texts = [word for word in words if isinstance(word, str)]
    if len(texts) != len(words):
        return words
    if len(texts) == 3 and texts[0] in _SHELLS and texts[1] in ("-c", "-lc"):
        return texts[2]
    return shlex.join(texts)


def _number(value: str | float) -> object:
    try:
        number = float(value)
    except ValueError:
        return value
    if not math.isfinite(number) or abs(number) > _LARGEST:
        return value
    return int(number) if number.is_integer() else number


def _wrong_type(value: object, rule: Schema) -> str:
    kind = rule.get("type")
    fits = {
        "string": isinstance(value, str),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "number": isinstance(value, int | float) and not isinstance(value, bool),
        "boolean": isinstance(value, bool),
        "array": isinstance(value, list),
        "object": isinstance(value, dict),
    }
    if kind in fits and not fits[kind]:
        return {"array": "a list", "object": "an object", "integer": "a whole number"}.get(kind, f"a {kind}")
    choices = rule.get("enum")
    return f"one of {', '.join(map(str, choices))}" if choices and value not in choices else ""
