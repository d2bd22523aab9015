"""The keys of the settings as people write them, `sampling.top_p`, and values written as text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Annotated, Any, Union, cast, get_args, get_origin

import msgspec

from minime_agent.config.settings import Seconds, Settings

NOT_IN_A_FILE = ("apiKey", "given")
"""Fields of Settings that are no keys."""
VARIABLES = {
    "provider": "MM_PROVIDER",
    "model": "MM_MODEL",
    "baseURL": "MM_BASE_URL",
    "sampling.temperature": "MM_TEMPERATURE",
    "sampling.max_tokens": "MM_MAX_TOKENS",
    "tools": "MM_TOOLS",
    "maxTurns": "MM_MAX_TURNS",
    "firstTokenTimeout": "MM_FIRST_TOKEN_TIMEOUT",
    "watchdogTimeout": "MM_WATCHDOG_TIMEOUT",
    "contextWindow": "MM_CONTEXT_WINDOW",
}
"""The keys that have an environment variable."""


class Key(msgspec.Struct, frozen=True):
    """One key: what its value is, what it is when nobody sets it, and its field of which class."""

    type: Any
    default: Any
    owner: type[msgspec.Struct]
    field: str


@cache
def fields(kind: type[msgspec.Struct]) -> dict[str, msgspec.structs.FieldInfo]:
    """What may stand in a mapping of this kind, by name."""
    return {
        field.encode_name: field
        for field in msgspec.structs.fields(kind)
        if not (kind is Settings and field.encode_name in NOT_IN_A_FILE)
    }


def is_group(kind: object) -> bool:
    """Whether a value of this type is a mapping with keys of its own."""
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


@cache
def keys() -> dict[str, Key]:
    """All keys, in the order of the reference."""
    return dict(_keys(Settings, ""))


def _keys(kind: type[msgspec.Struct], lead: str) -> Iterator[tuple[str, Key]]:
    for name, field in fields(kind).items():
        if is_group(field.type):
            yield from _keys(field.type, f"{lead}{name}.")
        else:
            made = field.default_factory
            default = field.default if made is msgspec.NODEFAULT else made()
            yield f"{lead}{name}", Key(field.type, default, kind, field.name)


def flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Checked values of a file by key."""
    return dict(_flat(values, Settings, ""))


def _flat(values: Mapping[str, Any], kind: type[msgspec.Struct], lead: str) -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if name in (known := fields(kind)) and is_group(group := known[name].type):
            yield from _flat(value, group, f"{lead}{name}.")
        else:
            yield f"{lead}{name}", value


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """The other way round."""
    whole: dict[str, Any] = {}
    for key, value in values.items():
        *groups, name = key.split(".")
        place = whole
        for group in groups:
            place = place.setdefault(group, {})
        place[name] = value
    return whole


def from_text(key: str, text: str) -> Any:
    """A value from the environment or a flag: `40`, `true`, `null`, `bash,read_file`, or JSON."""
    kinds = _alternatives(keys()[key].type) if key in keys() else []
    if type(None) in kinds and text == "null":
        return None
    if str in kinds:
        return text
    if text[:1] in ("[", "{"):
        try:
            return msgspec.json.decode(text)
        except msgspec.DecodeError:
            return text
    if any(get_origin(kind) is tuple for kind in kinds):
        return [part.strip() for part in text.split(",") if part.strip()]
    for kind, plain in ((int, int), (float, float), (Seconds, float), (bool, bool)):
        if kind in kinds:
            try:
                return msgspec.convert(text, plain, strict=False)
            except msgspec.ValidationError:
                continue
    return text


def _alternatives(kind: Any) -> list[Any]:
    """The types that a value may have, without their bounds."""
    union = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    return [get_args(one)[0] if get_origin(one) is Annotated else one for one in union]


def as_text(value: object) -> str:
    """A value as one writes it after `key:`, on one line."""
    match value:
        case Seconds():
            return f"{value:g}s"
        case str() if re.fullmatch(r"[A-Za-z][\w./:~-]*", value):
            return value
        case list() | tuple():
            return f"[{', '.join(map(as_text, cast('Sequence[object]', value)))}]"
        case _:
            return msgspec.json.encode(value).decode()
