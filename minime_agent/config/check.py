"""What wrong settings are told: the place, the key, what was meant. All of it, not only the first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, TypeAlias, cast, get_args, get_origin

import msgspec

from minime_agent.config.keys import fields, flat, is_group
from minime_agent.config.settings import Seconds, Settings

KeyPath: TypeAlias = tuple[str, ...]


class ConfigError(ValueError):
    """Settings are wrong; the message has a line for each problem: place, key, what to write instead."""


class Problem(msgspec.Struct, frozen=True):
    """One thing that is wrong: `agent.yaml, line 3`, `sampling.top_p`, a sentence."""

    place: str
    key: str
    sentence: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.key, self.sentence) if part)


def refuse(problems: Sequence[Problem]) -> None:
    """Raises `ConfigError` when there are any."""
    if problems:
        raise ConfigError("\n".join(map(str, problems)))


def did_you_mean(word: str, known: Sequence[str]) -> str:
    """` (did you mean x?)`, or nothing when no known word is near."""
    from difflib import get_close_matches

    lowered = {name.lower(): name for name in known}
    near = get_close_matches(word.lower(), list(lowered), n=1, cutoff=0.6)
    return f" (did you mean {lowered[near[0]]}?)" if near else ""


def convert(values: Mapping[str, Any]) -> Settings:
    """Settings from values in the file's spelling; raises `msgspec.ValidationError`."""
    given = tuple(key for key in flat(values) if key != "apiKey")
    return msgspec.convert({**values, "given": given}, Settings, dec_hook=_custom)


def _custom(kind: type, value: object) -> object:
    if kind is Seconds:
        return Seconds.parse(value)
    raise NotImplementedError(kind)


def check(values: Mapping[str, Any]) -> list[tuple[KeyPath, str]]:
    """Everything that is wrong with `values`: the path of each key, and a sentence."""
    return list(_check(values, Settings, ()))


def _check(
    values: Mapping[str, Any], kind: type[msgspec.Struct], path: KeyPath
) -> Iterator[tuple[KeyPath, str]]:
    known = fields(kind)
    for name, value in values.items():
        here = (*path, name)
        if here == ("apiKey",):
            yield here, "a key does not belong in a file; put it into the environment variable MM_API_KEY"
        elif (field := known.get(name)) is None:
            yield here, f"there is no such setting{did_you_mean(name, list(known))}"
        else:
            yield from _check_value(value, field.type, here)


def _mapping(value: object) -> dict[str, Any] | None:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else None


def _check_value(value: object, kind: Any, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    inside = _mapping(value)
    if is_group(kind):
        if inside is None:
            yield path, f"expected keys with values, such as {{{next(iter(fields(kind)))}: …}}"
        else:
            yield from _check(inside, kind, path)
        return
    if get_origin(kind) is dict and inside is not None:
        for name, one in inside.items():
            yield from _check_value(one, get_args(kind)[1], (*path, name))
        return
    if get_origin(kind) is Literal and value not in get_args(kind):
        words = get_args(kind)
        yield path, f"{value!r} is none of {', '.join(words)}{did_you_mean(str(value), words)}"
        return
    try:
        msgspec.convert(value, kind, dec_hook=_custom)
    except msgspec.ValidationError as error:
        message, _, place = str(error).partition(" - at `$")
        *groups, name = path
        yield (*groups, name + place.rstrip("`")), _sentence(message, value)


_WORDS = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "object": "keys with values",
    "array": "a list",
    "null": "null",
    "date": "a date",
    "datetime": "a time",
}


def _sentence(message: str, value: object) -> str:
    """msgspec's "Expected `int`, got `str`" in a person's words."""

    def word(match: re.Match[str]) -> str:
        return " or ".join(_WORDS.get(kind.strip(), kind.strip()) for kind in match[1].split("|"))

    text = (
        re.sub(r"`([^`]+)`", word, message).replace(" >= ", " of at least ").replace(" <= ", " of at most ")
    )
    advice = "; put it into quotes" if "expected text, got a" in text.lower() else ""
    said = f", got {value!r}" if " of at " in text else ""
    return f"{text[:1].lower()}{text[1:]}{said}{advice}"
