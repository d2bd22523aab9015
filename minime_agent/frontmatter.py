"""What stands between `---` lines at the head of a Markdown file: keys for programs, before the text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

_FENCED = re.compile(r"\A---[ \t]*\n((?:.*\n)*?)---[ \t]*(?:\n|\Z)")
_PLAIN = re.compile(r"([a-z][a-z0-9-]*): +([A-Za-z](?:[^\s#]|(?<=\S)#| +(?![ #]))*)")
"""A line that YAML reads as it stands: one key, one text of one line, nothing quoted.

A text with a colon in it, which YAML refuses, is what people often write.
"""
_WORDS = frozenset(("true", "false", "yes", "no", "on", "off", "null", "y", "n"))
"""What YAML doesn't read as text."""


class FrontmatterError(ValueError):
    """The head of a file is not what it should be; the message is half a sentence."""


def split(text: str) -> tuple[Mapping[str, Any], str]:
    """The keys of a file's head, and its body. A file without a head is all body.

    Simple heads are read without YAML, which takes 15 ms to import. Raises `FrontmatterError`.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    if (found := _FENCED.match(text)) is None:
        return {}, text
    body = text[found.end() :]
    simple = _simple(found[1])
    return (_parsed(found[1]) if simple is None else simple), body


def _simple(head: str) -> dict[str, str] | None:
    """The keys where each line is `key: text`; None where only YAML can tell."""
    values: dict[str, str] = {}
    for line in head.split("\n"):
        if not line.strip():
            continue
        plain = _PLAIN.fullmatch(line)
        if plain is None or not line.isprintable():
            return None
        key, value = plain[1], plain[2].rstrip(" ")
        if key in values or key in _WORDS or value.lower() in _WORDS:
            return None
        values[key] = value
    return values


def _parsed(head: str) -> dict[str, Any]:
    import yaml

    try:
        values: object = yaml.safe_load(head)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise FrontmatterError(f"its head is not valid YAML: {str(error).splitlines()[0]}") from None
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise FrontmatterError("its head has no `key: value` lines")
    return {str(key): value for key, value in cast("dict[object, Any]", values).items()}
