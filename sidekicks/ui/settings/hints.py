"""What the schema says about a place of the configuration file: keys, values, explanation. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from sidekicks.ui.composer.completion import Offer
from sidekicks.ui.settings.place import ITEM

Node = Mapping[str, object]


def node_at(schema: Node, path: Sequence[str]) -> Node | None:
    """The schema of what stands at `path`; None where the file may hold nothing."""
    node: Node | None = schema
    for step in path:
        if node is None:
            return None
        node = _item(schema, node) if step == ITEM else _property(schema, node, step)
    return node


def keys(schema: Node, path: Sequence[str]) -> list[Offer]:
    """The keys that a mapping at `path` may have, in the order of the schema."""
    node = node_at(schema, path)
    if node is None:
        return []
    properties = cast("Mapping[str, Node]", node.get("properties", {}))
    required = cast("Sequence[str]", node.get("required", ()))
    offers = [
        Offer(_opened(schema, key, value), "", _first_sentence(value)) for key, value in properties.items()
    ]
    return sorted(offers, key=lambda offer: offer.text.partition(":")[0] not in required)


def values(schema: Node, path: Sequence[str]) -> list[Offer]:
    """The values that stand at `path` in most files: those that there are, else examples."""
    node = node_at(schema, path)
    if node is None:
        return []
    default = node.get("default")
    choices = cast("Sequence[object]", node.get("enum") or node.get("examples") or ())
    return [
        Offer(_scalar(choice), "default" if choice == default else "")
        for choice in choices
        if isinstance(choice, str | int)
    ]


def explanation(schema: Node, path: Sequence[str]) -> str:
    """What a key is for, in plain text; empty where the schema knows none."""
    node = node_at(schema, path)
    if node is None or not path:
        return ""
    said = [str(node.get("description", ""))]
    if choices := cast("Sequence[object]", node.get("enum", ())):
        said.append(" | ".join(map(_scalar, choices)))
    if "default" in node:
        said.append(f"default: {_scalar(node['default'])}")
    return "\n".join(part for part in said if part)


def _resolved(schema: Node, node: Node) -> Node:
    """The node with what its `$ref` names; what stands beside that counts more."""
    reference = node.get("$ref")
    if not isinstance(reference, str):
        return node
    found: object = schema
    for step in reference.removeprefix("#/").split("/"):
        found = cast("dict[str, object]", found)[step]
    return {**cast("dict[str, object]", found), **node}


def _property(schema: Node, node: Node, key: str) -> Node | None:
    properties = cast("Mapping[str, Node]", node.get("properties", {}))
    found = properties.get(key) or node.get("additionalProperties")
    return _resolved(schema, cast("Node", found)) if isinstance(found, dict) else None


def _item(schema: Node, node: Node) -> Node | None:
    found = node.get("items")
    return _resolved(schema, cast("Node", found)) if isinstance(found, dict) else None


def _opened(schema: Node, key: str, node: Node) -> str:
    """A key with what has to follow it."""
    kind = _resolved(schema, node).get("type")
    return f"{key}:" if kind in ("object", "array") else f"{key}: "


def _first_sentence(node: Node) -> str:
    return str(node.get("description", "")).split(". ")[0].rstrip(".").replace("`", "")


def _scalar(value: object) -> str:
    return str(value) if not isinstance(value, bool) else str(value).lower()
