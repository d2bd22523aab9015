"""What stands after a template's name, put into its text."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

_PLACE = re.compile(
    r"\$(?:(?P<number>[0-9]+)|(?P<all>@|ARGUMENTS\b)|"
    r"\{(?P<name>[0-9]+|@):-(?P<default>[^}]*)\}|\{@:(?P<start>[0-9]+)(?::(?P<length>[0-9]+))?\})"
)


def split(text: str) -> list[str]:
    """The arguments, in quotes where they hold blanks; a quote without its fellow is a character."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def fill(template: str, arguments: Sequence[str]) -> str:
    """The template with `$1`, `$@`, `$ARGUMENTS`, `${1:-default}`, `${@:-default}`, `${@:N}`, `${@:N:L}`.

    Numbers begin at 1; what is missing is empty. What an argument holds is never filled in again.
    """

    def value(place: re.Match[str]) -> str:
        if place["all"]:
            return " ".join(arguments)
        if place["start"]:
            start = max(int(place["start"]), 1) - 1
            end = start + int(place["length"]) if place["length"] else None
            return " ".join(arguments[start:end])
        name = place["number"] or place["name"]
        given = " ".join(arguments) if name == "@" else _argument(arguments, int(name))
        return given or place["default"] or ""

    return _PLACE.sub(value, template)


def _argument(arguments: Sequence[str], number: int) -> str:
    return arguments[number - 1] if 0 < number <= len(arguments) else ""
