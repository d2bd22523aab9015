"""The settings file: YAML, with the line of every key, for errors that name it. Imported only for a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import yaml

from minime_agent.config.check import ConfigError, KeyPath, problem


def read(path: Path) -> dict[str, Any]:
    """The checked values of one settings file; raises `ConfigError`."""
    try:
        text = path.read_text("utf-8-sig")
    except FileNotFoundError:
        raise ConfigError(f"{path}: there is no such file") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start}); save it as UTF-8") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    try:
        values, lines = _parse(text)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark else 1
        raise ConfigError(f"{path}, line {line}: not valid YAML: {error.problem or error.context}") from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: not valid YAML: {str(error).splitlines()[0]}") from None
    if found := problem(values):
        keys, sentence = found
        where = next((lines[keys[:n]] for n in range(len(keys), 0, -1) if keys[:n] in lines), 1)
        raise ConfigError(f"{path}, line {where}: {'.'.join(keys) or 'settings'}: {sentence}")
    return values


def _parse(text: str) -> tuple[dict[str, Any], dict[KeyPath, int]]:
    loader: Any = yaml.SafeLoader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return {}, {}
        if not isinstance(node, yaml.MappingNode):
            raise yaml.MarkedYAMLError(
                problem="expected `key: value` lines", problem_mark=cast("yaml.Mark", node.start_mark)
            )
        lines: dict[KeyPath, int] = {}
        _note_lines(node, (), lines)
        return loader.construct_document(node), lines
    finally:
        loader.dispose()


def _note_lines(node: yaml.MappingNode, path: KeyPath, lines: dict[KeyPath, int]) -> None:
    """Notes the 1-based line of every key; a key that stands twice is an error, as one would silently win."""
    for key, value in cast("list[tuple[yaml.Node, yaml.Node]]", node.value):
        here = (*path, str(key.value))
        mark = cast("yaml.Mark", key.start_mark)
        if here in lines:
            raise yaml.MarkedYAMLError(
                problem=f"{here[-1]} stands twice, first in line {lines[here]}", problem_mark=mark
            )
        lines[here] = mark.line + 1
        if isinstance(value, yaml.MappingNode) and len(path) < 8:
            _note_lines(value, here, lines)
