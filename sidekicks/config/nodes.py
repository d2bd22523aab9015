"""YAML text -> a tree in which everything knows its place; for any text, within bounds and without raising.

Only PyYAML's parser is used: its constructors would turn `on` into a boolean and lose the places, and its
composers overflow the stack on deep nesting and give an alias the place of its anchor.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, cast

import msgspec
import yaml

from sidekicks.models import Problem

MAX_CHARACTERS = 1_000_000
MAX_NODES = 100_000
MAX_DEPTH = 50

# What YAML does not allow, named rather than what it does: that takes 1 ms to compile instead of 25.
# And the ends of lines that YAML 1.1 knows and editors don't: lines would be counted otherwise than there.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")
_NOT_YAML = "this is not YAML: {}"
_YAML_TAG = "tag:yaml.org,2002:"
# libyaml's parser is some ten times faster; the one in Python takes the same events and places.
_Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Node(msgspec.Struct, eq=False):
    """A value of the text. `line` and `column` are 1-based; those of an alias are its own.

    `text` is what a scalar says, as written; `plain`: without quotes. The children of an alias are the very
    lists of its anchor. `entries` has the keys of merged mappings (`<<`) behind the node's own. `size` is how
    many values it stands for, aliases written out; 0 before its end.
    """

    kind: Literal["text", "list", "mapping"]
    line: int
    column: int
    text: str = ""
    plain: bool = False
    items: list[Node] = msgspec.field(default_factory=list["Node"])
    entries: list[tuple[Node, Node]] = msgspec.field(default_factory=list["tuple[Node, Node]"])
    size: int = 0


class _RefusedError(Exception):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def read_nodes(text: str) -> tuple[Node | None, list[Problem]]:
    """The tree of `text` and what is wrong with it as YAML; no tree when it is empty or can't be read."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if len(text) > MAX_CHARACTERS:
        return None, [
            Problem(line=1, column=1, message=f"the text is longer than {MAX_CHARACTERS} characters")
        ]
    if found := _UNPRINTABLE.search(text):
        return None, [_unprintable(text, found)]
    try:
        events = cast("Iterator[yaml.Event]", yaml.parse(text, Loader=_Loader))  # pyright: ignore[reportUnknownMemberType] - untyped
        composer = _Composer(events)
        return composer.document(), composer.problems
    except _RefusedError as error:
        return None, [error.problem]
    except yaml.MarkedYAMLError as error:
        return None, [_syntax_problem(error, text)]
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # ValueError: the parser in Python trips over some escapes, such as "\U00110000".
        return None, [Problem(line=1, column=1, message=_NOT_YAML.format(error))]


class _Composer:
    def __init__(self, events: Iterator[yaml.Event]) -> None:
        self.problems: list[Problem] = []
        self._events = events
        self._anchors: dict[str, Node] = {}
        self._left = MAX_NODES

    def document(self) -> Node | None:
        root: Node | None = None
        for event in self._events:
            if isinstance(event, yaml.DocumentStartEvent):
                if root is not None:
                    raise _RefusedError(_at(event, "only one document (`---`) is allowed in the file"))
            elif isinstance(event, yaml.NodeEvent):
                root = self._node(event, 0)
        return root

    def _node(self, event: yaml.Event, depth: int) -> Node:
        before = self._left
        self._spend(event, 1)
        if depth > MAX_DEPTH:
            raise _RefusedError(_at(event, f"nested more than {MAX_DEPTH} levels deep"))
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        if isinstance(event, yaml.ScalarEvent):
            node = self._begin(event, "text", text=event.value, plain=event.style in (None, ""))
        elif isinstance(event, yaml.SequenceStartEvent):
            node = self._begin(event, "list")
            while not isinstance(event := next(self._events), yaml.SequenceEndEvent):
                node.items.append(self._node(event, depth + 1))
        else:
            node = self._begin(event, "mapping")
            self._fill(node, depth)
        node.size = before - self._left
        return node

    def _alias(self, event: yaml.AliasEvent) -> Node:
        """What an alias stands for counts as if it were written out: later walks take no longer than that."""
        anchor = self._anchors.get(event.anchor)
        if anchor is None:
            raise _RefusedError(
                _at(event, f"`*{event.anchor}` refers to nothing: there is no `&{event.anchor}` above")
            )
        if not anchor.size:
            raise _RefusedError(_at(event, f"`*{event.anchor}` stands inside of `&{event.anchor}` itself"))
        self._spend(event, anchor.size - 1)
        return msgspec.structs.replace(
            anchor, line=event.start_mark.line + 1, column=event.start_mark.column + 1
        )

    def _begin(
        self,
        event: yaml.Event,
        kind: Literal["text", "list", "mapping"],
        text: str = "",
        *,
        plain: bool = False,
    ) -> Node:
        node = Node(kind, event.start_mark.line + 1, event.start_mark.column + 1, text, plain)
        tag: str | None = getattr(event, "tag", None)
        if tag and tag != "!" and not tag.startswith(_YAML_TAG):
            self.problems.append(_at(event, f"the tag `{tag}` has no meaning here"))
        if found := _UNPRINTABLE.search(text):
            self.problems.append(_at(event, f"the character U+{ord(found[0]):04X} can't be used in a value"))
        if anchor := getattr(event, "anchor", None):
            self._anchors[anchor] = node
        return node

    def _fill(self, node: Node, depth: int) -> None:
        merged: list[Node] = []
        seen: dict[str, int] = {}
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            key = self._node(event, depth + 1)
            value = self._node(next(self._events), depth + 1)
            if key.kind == "text" and key.plain and key.text == "<<":
                merged.extend(value.items if value.kind == "list" else [value])
                continue
            if key.kind == "text" and key.text in seen:
                message = f"the key `{key.text}` is already given in line {seen[key.text]}"
                self.problems.append(Problem(line=key.line, column=key.column, message=message))
                continue
            seen[key.text] = key.line
            node.entries.append((key, value))
        self._merge(node, merged, seen)

    def _merge(self, node: Node, merged: list[Node], seen: dict[str, int]) -> None:
        for source in merged:
            if source.kind != "mapping":
                message = "`<<` merges mappings: give it an alias such as `*name`, or a list of them"
                self.problems.append(Problem(line=source.line, column=source.column, message=message))
            for key, value in source.entries:
                if key.text not in seen:
                    seen[key.text] = key.line
                    node.entries.append((key, value))

    def _spend(self, event: yaml.Event, count: int) -> None:
        self._left -= count
        if self._left < 0:
            raise _RefusedError(_at(event, f"more than {MAX_NODES} values"))


def _at(event: yaml.Event, message: str) -> Problem:
    return Problem(line=event.start_mark.line + 1, column=event.start_mark.column + 1, message=message)


def _unprintable(text: str, found: re.Match[str]) -> Problem:
    before = text[: found.start()]
    message = f"the character U+{ord(found[0]):04X} can't be used: write it as an escape in double quotes"
    return Problem(line=before.count("\n") + 1, column=found.start() - before.rfind("\n"), message=message)


def _syntax_problem(error: yaml.MarkedYAMLError, text: str) -> Problem:
    mark = error.problem_mark or error.context_mark
    if mark is None:
        return Problem(line=1, column=1, message=_NOT_YAML.format(error))
    said = f"{error.context or ''} {error.problem or ''}"
    opened = error.context_mark
    message = _in_words(said, _character(text, mark))
    if _is_end(text, mark) and ("flow" in said or "quoted" in said):
        if opened is not None and (character := _character(text, opened)):
            mark, message = opened, f"this `{character}` is never closed"
        else:
            message = "the text ends inside of a list or mapping that is not closed"
    elif opened is not None and "expected ':'" in said:
        mark, message = opened, "a key needs a `:` and a space after it"
    lines = text.split("\n")
    line = min(mark.line, len(lines) - 1)  # libyaml may name the line after the last one
    return Problem(line=line + 1, column=min(mark.column, len(lines[line])) + 1, message=message)


def _in_words(said: str, character: str) -> str:
    if character == "\t":
        return "a tab can't be used here: YAML is indented with spaces"
    if "mapping values are not allowed" in said:
        return "no `key: value` can stand here: check the indentation, or put a text with `: ` in quotes"
    if "cannot start any token" in said:
        return f"a value can't begin with `{character}`: put it in quotes"
    if "expected key" in said or "'-' indicator" in said or "<block end>" in said:
        return "this doesn't fit the lines above: check the indentation"
    return _NOT_YAML.format(said.strip())


def _is_end(text: str, mark: yaml.Mark) -> bool:
    """Whether nothing follows the mark; its `index` can't tell, as the parsers count it differently."""
    return not "\n".join(text.split("\n")[mark.line :])[mark.column :].strip()


def _character(text: str, mark: yaml.Mark) -> str:
    lines = text.split("\n")
    line = lines[mark.line] if mark.line < len(lines) else ""
    return line[mark.column : mark.column + 1]
