"""The JSON Schema describes the typed model, and is what validates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from sidekicks.config.check import Checker
from sidekicks.config.nodes import read_nodes
from sidekicks.config.schema import Config, schema
from sidekicks.models import AgentDefinition, Limits

SCHEMA: Any = schema()
# What `Checker` knows, and the words that validate nothing.
VALIDATING = {
    "$ref",
    "additionalProperties",
    "const",
    "else",
    "enum",
    "if",
    "items",
    "maxItems",
    "maxLength",
    "maximum",
    "minLength",
    "minimum",
    "pattern",
    "properties",
    "required",
    "then",
    "type",
}
DESCRIBING = {"$defs", "$id", "$schema", "default", "description", "examples", "patternErrorMessage", "title"}


def schemas(part: Any) -> Iterator[dict[str, Any]]:
    yield part
    for name in ("properties", "$defs"):
        for child in part.get(name, {}).values():
            yield from schemas(child)
    for name in ("items", "additionalProperties", "if", "then", "else"):
        if isinstance(part.get(name), dict):
            yield from schemas(part[name])


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_schema_uses_only_what_is_checked() -> None:
    for part in schemas(SCHEMA):
        assert set(part) <= VALIDATING | DESCRIBING
        assert part.get("pattern", "^$").startswith("^")
        assert part.get("pattern", "^$").endswith("$")


def test_every_key_is_described() -> None:
    described = [
        (name, child)
        for part in schemas(SCHEMA)
        for name, child in part.get("properties", {}).items()
        if "const" not in child
    ]
    assert len(described) > 20
    for name, child in described:
        assert child.get("description", "").endswith("."), name


def test_every_example_is_valid() -> None:
    examples = [(part, value) for part in schemas(SCHEMA) for value in part.get("examples", ())]
    assert len(examples) > 20
    for part, value in examples:
        jsonschema.Draft202012Validator({**part, "$defs": SCHEMA["$defs"]}).validate(value)


def test_the_schema_has_the_keys_of_the_model() -> None:
    def keys(model: type[msgspec.Struct]) -> set[str]:
        return {field.encode_name for field in msgspec.structs.fields(model)}

    assert set(SCHEMA["properties"]) == keys(Config)
    assert set(SCHEMA["properties"]["limits"]["properties"]) == keys(Limits)
    assert set(SCHEMA["$defs"]["agent"]["properties"]) == keys(AgentDefinition)


def test_the_defaults_are_those_of_the_model() -> None:
    limits = SCHEMA["properties"]["limits"]["properties"]
    assert limits["maxRunningAgents"]["default"] == Limits().max_running_agents
    assert limits["stopIdleAgentsAfter"]["default"] == f"{Limits().stop_idle_agents_after / 60:.0f}m"
    agent = AgentDefinition(name="a", title="a", command="a")
    agents = SCHEMA["$defs"]["agent"]["properties"]
    assert agents["permissions"]["default"] == agent.permissions
    assert agents["startTimeout"]["default"] == f"{agent.start_timeout:.0f}s"
    assert SCHEMA["properties"]["theme"]["default"] == Config().theme
    assert SCHEMA["properties"]["language"]["default"] == Config().language


KEYS = sorted({name for part in schemas(SCHEMA) for name in part.get("properties", {})} | {"x"})
SCALARS = st.sampled_from(
    ["", "mm", "http", "stdio", "ask", "system", "fr", "10m", "A", 0, 1, 64, 65, -1, True, None]
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.sampled_from(KEYS), inner, max_size=4)
    ),
    max_leaves=12,
)


def near(part: Any) -> st.SearchStrategy[Any]:
    """Values that fit `part`, or nearly."""
    if "$ref" in part:
        part = SCHEMA["$defs"][part["$ref"].removeprefix("#/$defs/")]
    choices = [VALUES]
    if "properties" in part:
        known = {name: near(child) for name, child in part["properties"].items()}
        required = {name: known[name] for name in part.get("required", [])}
        optional = {name: child for name, child in known.items() if name not in required}
        choices += [st.fixed_dictionaries(required, optional=optional)] * 3
    if "items" in part:
        choices += [st.lists(near(part["items"]), max_size=2)] * 3
    if isinstance(part.get("additionalProperties"), dict):
        choices += [
            st.dictionaries(st.sampled_from(["A", "B"]), near(part["additionalProperties"]), max_size=2)
        ] * 2
    if "enum" in part:
        choices += [st.sampled_from(part["enum"])] * 4
    return st.one_of(choices)


@settings(max_examples=300, deadline=None)
@given(near(SCHEMA))
def test_what_is_valid_is_what_the_schema_says(value: Any) -> None:
    root, problems = read_nodes(json.dumps(value))  # JSON is YAML
    assert root is not None
    assert problems == []
    checker = Checker(SCHEMA)
    checked = checker.check(root, SCHEMA, "the file")
    assert (checker.problems == []) == jsonschema.Draft202012Validator(SCHEMA).is_valid(checked), (
        checker.problems
    )
