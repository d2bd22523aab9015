"""The settings file: YAML, with the line of every key, for errors that name it. Imported only for a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import msgspec
import yaml

from minime_agent.config.check import ConfigError, KeyPath, Problem, check

_MOST = 1_000_000
"""Bytes of a settings file; what is larger is something else."""


class File(msgspec.Struct, frozen=True):
    """What stands in a settings file, with the 1-based line of each key, and all that is wrong with it."""

    values: dict[str, Any]
    lines: dict[KeyPath, int]
    problems: tuple[Problem, ...] = ()

    def line(self, path: KeyPath) -> int:
        """The line of a key (`tools[1]`: of `tools`), or of the nearest one above it that has a line."""
        keys = tuple(key.partition("[")[0] for key in path)
        return next((self.lines[keys[:n]] for n in range(len(keys), 0, -1) if keys[:n] in self.lines), 1)


def read(path: Path) -> File:
    """One settings file; raises `ConfigError` where it can't be read at all."""
    text = _text(path)
    try:
        reader = _Reader(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        return _unreadable(path, mark.line + 1 if mark else 1, error.problem or error.context or "")
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        return _unreadable(path, line, f"the character U+{ord(text[error.position]):04X} is not allowed")
    except RecursionError:
        return _unreadable(path, 1, "nested too deeply")
    file = File(reader.values, reader.lines)
    wrong = {".".join(keys): (file.line(keys), what) for keys, what in check(file.values)}
    # What can't be built has no value that could be wrong, too.
    rows = sorted((line, key, what) for key, (line, what) in (wrong | reader.wrong).items())
    problems = tuple(Problem(_place(path, line), key, what) for line, key, what in rows)
    return File(file.values, file.lines, problems)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(_MOST + 1)
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > _MOST:
        raise ConfigError(f"{path}: larger than {_MOST} bytes; this is no settings file")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: not UTF-8 text (byte {error.start}); save it as UTF-8"
        ) from None


def _place(path: Path, line: int) -> str:
    return f"{path}, line {line}"


def _unreadable(path: Path, line: int, what: str) -> File:
    return File({}, {}, (Problem(_place(path, line), "", f"not valid YAML: {what}"),))


class _Reader:
    """Builds the values and notes what is wrong on the way; raises only where the text is no YAML."""

    def __init__(self, text: str) -> None:
        self.values: dict[str, Any] = {}
        self.lines: dict[KeyPath, int] = {}
        self.wrong: dict[str, tuple[int, str]] = {}
        """Line and sentence by key."""
        self._built: dict[yaml.Node, Any] = {}
        self._loader: Any = yaml.SafeLoader(text)
        try:
            node: yaml.Node | None = self._loader.get_single_node()
            if isinstance(node, yaml.MappingNode):
                self.values = self._value(node, ())
            elif node is not None:
                self._wrong(node, (), "expected lines like `key: value`")
        finally:
            self._loader.dispose()

    def _wrong(self, node: yaml.Node, path: KeyPath, what: str) -> None:
        self.wrong[".".join(path)] = (_line(node), what)

    def _value(self, node: yaml.Node, path: KeyPath) -> Any:
        """The value of a node. An alias is the value that it names, built once."""
        if node not in self._built:
            self._built[node] = None  # what an alias inside of what it names becomes
            self._built[node] = self._build(node, path)
        return self._built[node]

    def _build(self, node: yaml.Node, path: KeyPath) -> Any:
        try:
            if isinstance(node, yaml.MappingNode):
                return self._mapping(node, path)
            if isinstance(node, yaml.SequenceNode):
                return [self._value(item, path) for item in cast("list[yaml.Node]", node.value)]
            return self._loader.construct_object(node)
        except yaml.MarkedYAMLError as error:
            self._wrong(node, path, error.problem or "not understood")
        except ValueError as error:  # a date that there is not, a number that is none
            self._wrong(node, path, f"{error}; text goes into quotes")
        return None

    def _mapping(self, node: yaml.MappingNode, path: KeyPath) -> dict[str, Any]:
        firsts: dict[str, int] = {}
        for key, _ in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            name = str(key.value)
            if not isinstance(key, yaml.ScalarNode):
                self._wrong(key, path, "a key is one word")
            elif name in firsts:
                self._wrong(key, (*path, name), f"stands twice, first in line {firsts[name]}")
            firsts.setdefault(name, _line(key))
        try:
            self._loader.flatten_mapping(node)
        except yaml.MarkedYAMLError as error:
            self._wrong(node, path, error.problem or "not understood")
        values: dict[str, Any] = {}
        for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
            if isinstance(key, yaml.ScalarNode):
                here = (*path, str(key.value))
                self.lines[here] = _line(key)
                values[here[-1]] = self._value(value, here)
        return values


def _line(node: yaml.Node) -> int:
    return cast("yaml.Mark", node.start_mark).line + 1
