"""Holds a tree of nodes against the JSON Schema: problems with places in words that a person understands.

`jsonschema` would do it too, but takes 101 ms to import (2026-12-01) and knows neither places nor that a
text field keeps what is written. This walk covers the part of the standard that the schema uses; a test
holds it against `jsonschema`, and another proves that the schema uses nothing else.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import TypeAlias, cast

from sidekicks.config.nodes import Node
from sidekicks.models import Problem

Value: TypeAlias = "str | int | list[Value] | dict[str, Value]"
Schema: TypeAlias = Mapping[str, object]

MAX_PROBLEMS = 100

# Numbers as everyone reads them; YAML 1.1 would also take 0x1F, 1_000 and 1:30.
_INTEGER = re.compile(r"[-+]?[0-9]{1,18}")
_TYPES = {"mapping": "object", "list": "array", "text": "string"}
_WORDS = {"mapping": "a mapping", "list": "a list", "text": "text"}


class Checker:
    """Checks nodes against one schema; `problems` has what was found, in the order of the schema."""

    def __init__(self, schema: Schema) -> None:
        self.problems: list[Problem] = []
        self._root = schema
        self._known: dict[tuple[int, int], Value] = {}  # an alias is checked once for each use of it

    def check(self, node: Node, schema: Schema, name: str) -> Value:
        """The value of `node` as the schema wants it: text as written, numbers where only they may stand.

        `name` is what messages call it. When there are problems, the value has their parts as they came.
        """
        schema = self._resolved(schema)
        name = cast("str", schema.get("title", name))
        if node.kind == "text":
            return self._typed(node, schema, name)
        key = (id(node.items if node.kind == "list" else node.entries), id(schema))
        if key not in self._known:
            self._known[key] = self._typed(node, schema, name)
        return self._known[key]

    def _typed(self, node: Node, schema: Schema, name: str) -> Value:
        types = _types(schema)
        value: Value = node.text
        if node.kind == "mapping":
            value = self._mapping(node, schema if "object" in types else {}, name)
        elif node.kind == "list":
            value = self._list(node, schema if "array" in types else {}, name)
        elif "string" not in types and "integer" in types and node.plain and _INTEGER.fullmatch(node.text):
            return self._number(node, int(node.text), schema, name)
        if types and _TYPES[node.kind] not in types:
            self._report(node, f"{name} must be {_expected(schema, types)}, not {_WORDS[node.kind]}")
        elif node.kind == "text":
            self._text(node, schema, name)
        return value

    def _mapping(self, node: Node, schema: Schema, name: str) -> dict[str, Value]:
        value: dict[str, Value] = {}
        unknown: list[Node] = []
        properties = cast("Mapping[str, Schema]", schema.get("properties", {}))
        others = schema.get("additionalProperties", True)
        for key, entry in node.entries:
            if key.kind != "text":
                self._report(key, "a key must be a word")
            elif key.text in properties:
                value[key.text] = self.check(entry, properties[key.text], f"`{key.text}`")
            elif isinstance(others, Mapping):
                value[key.text] = self.check(entry, cast("Schema", others), f"`{key.text}`")
            elif others is False:
                unknown.append(key)
                value[key.text] = entry.text
        meant = self._unknown_keys(unknown, [known for known in properties if known not in value])
        for required in _required(schema, value):
            if required not in value and required not in meant:
                self._report(node, f"{name} needs `{required}`, which is missing")
        return value

    def _unknown_keys(self, keys: list[Node], known: list[str]) -> set[str]:
        """Reports the keys; answers with those that were probably meant."""
        meant: set[str] = set()
        for key in keys[:MAX_PROBLEMS]:
            guess = _nearest(key.text, known)
            meant.add(guess)
            self._report(key, _unknown(key.text, guess, known))
        return meant

    def _list(self, node: Node, schema: Schema, name: str) -> list[Value]:
        most = schema.get("maxItems")
        if isinstance(most, int) and len(node.items) > most:
            self._report(node.items[most], f"{name} can have {most} items at most")
        items = schema.get("items")
        if items is None:
            return []
        item_name = f"each item of {name}"
        return [self.check(item, cast("Schema", items), item_name) for item in node.items]

    def _number(self, node: Node, value: int, schema: Schema, name: str) -> int:
        least, most = schema.get("minimum"), schema.get("maximum")
        if (isinstance(least, int) and value < least) or (isinstance(most, int) and value > most):
            self._report(node, f"{name} must be {_expected(schema, ['integer'])}, not {value}")
        return value

    def _text(self, node: Node, schema: Schema, name: str) -> None:
        text = node.text
        choices = cast("list[str] | None", schema.get("enum"))
        pattern = schema.get("pattern")
        if choices is not None and text not in choices:
            close = difflib.get_close_matches(text[:60], choices, 1)
            ask = f": did you mean `{close[0]}`?" if close else ""
            self._report(node, f"{name} must be {_one_of(choices)}, not `{_short(text)}`{ask}")
        elif isinstance(pattern, str) and re.fullmatch(pattern, text) is None:
            rule = schema.get("patternErrorMessage", f"must fit {pattern}")
            self._report(node, f"{name} {rule}, not `{_short(text)}`")
        elif len(text) < cast("int", schema.get("minLength", 0)):
            self._report(node, f"{name} must not be empty")
        elif len(text) > cast("int", schema.get("maxLength", len(text))):
            self._report(node, f"{name} must not be longer than {schema['maxLength']} characters")

    def _resolved(self, schema: Schema) -> Schema:
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        definitions = cast("Mapping[str, Schema]", self._root["$defs"])
        return definitions[reference.removeprefix("#/$defs/")]

    def _report(self, node: Node, message: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(Problem(line=node.line, column=node.column, message=message))


def _types(schema: Schema) -> list[str]:
    types = schema.get("type", [])
    return [types] if isinstance(types, str) else cast("list[str]", types)


def _required(schema: Schema, value: Mapping[str, Value]) -> list[str]:
    """The keys that a mapping needs; `if` compares keys with constants and adds some by `then` and `else`."""
    required = list(cast("list[str]", schema.get("required", [])))
    condition = cast("Schema | None", schema.get("if"))
    if condition is not None:
        wanted = cast("Mapping[str, Mapping[str, str]]", condition["properties"])
        fits = all(value.get(key) == rule["const"] for key, rule in wanted.items())
        branch = cast("Schema", schema["then" if fits else "else"])
        required += cast("list[str]", branch["required"])
    return required


def _expected(schema: Schema, types: list[str]) -> str:
    if "integer" in types and "string" not in types:
        return f"a whole number from {schema.get('minimum')} to {schema.get('maximum')}"
    words: list[str] = []
    if "string" in types:
        words.append("text")
    if "array" in types:
        words.append("a list, such as `[a, b]`")
    if "object" in types:
        keys = cast("list[str]", schema.get("required", []))
        words.append(f"a mapping with {_and(keys)}" if keys else "a mapping of `key: value`")
    return " or ".join(words)


def _nearest(key: str, known: list[str]) -> str:
    """The known key that was probably meant, else empty."""
    spelled = {name.lower(): name for name in known}
    # Only the beginning counts: the comparison takes quadratic time.
    close = difflib.get_close_matches(key[:60].lower(), list(spelled), 1, 0.6)
    return spelled[close[0]] if close else ""


def _unknown(key: str, guess: str, known: list[str]) -> str:
    if guess:
        return f"unknown key `{_short(key)}`: did you mean `{guess}`?"
    allowed = f": the keys that can be added here are {_and(known)}" if known else ""
    return f"unknown key `{_short(key)}`{allowed}"


def _and(keys: list[str]) -> str:
    quoted = [f"`{key}`" for key in keys]
    return " and ".join(", ".join(quoted).rsplit(", ", 1)) if len(quoted) > 1 else "".join(quoted)


def _one_of(choices: list[str]) -> str:
    return " or ".join(", ".join(choices).rsplit(", ", 1))


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:60] + "…"
