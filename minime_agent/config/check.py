"""What a wrong setting is told: the place, the key, what was meant."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

import msgspec

from minime_agent.config.settings import ProviderName, Seconds, Settings

KeyPath = tuple[str, ...]


class ConfigError(ValueError):
    """A setting is wrong; the message names the file, the line, the key and what to write instead."""


def did_you_mean(word: str, known: list[str]) -> str:
    """` (did you mean x?)`, or nothing when no known word is near."""
    from difflib import get_close_matches

    lowered = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.6)
    return f" (did you mean {lowered[near[0]]}?)" if near else ""


def convert(values: Mapping[str, Any]) -> Settings:
    """Settings from values in the file's spelling; raises `msgspec.ValidationError`."""
    return msgspec.convert(values, Settings, dec_hook=_custom)


def _custom(kind: type, value: object) -> object:
    if kind is Seconds:
        return Seconds.parse(value)
    raise NotImplementedError(kind)


def problem(values: Mapping[str, Any]) -> tuple[KeyPath, str] | None:
    """The first thing wrong with `values`: the path of its key and a sentence; None when all is well."""
    if "apiKey" in values:
        return ("apiKey",), "a key does not belong in a file; put it into the environment variable MM_API_KEY"
    if unknown := _unknown_key(values, Settings, ()):
        return unknown
    try:
        convert(values)
    except msgspec.ValidationError as error:
        message, _, path = str(error).partition(" - at `$.")
        keys = tuple(path.rstrip("`").replace("[...]", "").split(".")) if path else ()
        if keys == ("provider",):
            names = list(get_args(ProviderName))
            word = str(values["provider"])
            return keys, f"{word!r} is no provider{did_you_mean(word, names)}; there are {', '.join(names)}"
        return keys, _plain(message)
    return None


def _unknown_key(
    values: Mapping[str, Any], kind: type[msgspec.Struct], path: KeyPath
) -> tuple[KeyPath, str] | None:
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(kind)}
    for key, value in values.items():
        if key not in fields:
            known = [name for name in fields if name != "apiKey"]
            return (*path, str(key)), f"there is no such setting{did_you_mean(str(key), known)}"
        group = fields[key]
        if isinstance(value, dict) and isinstance(group, type) and issubclass(group, msgspec.Struct):
            found = _unknown_key(cast("dict[str, Any]", value), group, (*path, key))
            if found:
                return found
    return None


_WORDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "object": "a mapping of keys",
    "array": "a list",
    "null": "nothing",
}


def _plain(message: str) -> str:
    """msgspec's "Expected `int`, got `str`" in a person's words."""
    import re

    def word(match: re.Match[str]) -> str:
        return " or ".join(_WORDS.get(kind.strip(), kind.strip()) for kind in match[1].split("|"))

    text = re.sub(r"`([^`]+)`", word, message)
    return text[:1].lower() + text[1:]
