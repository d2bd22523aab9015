"""What a configuration refers to outside of its file: environment variables, paths, programs."""

# ruff: noqa: PTH111, PTH112, PTH113, PTH118, PTH120 - texts as people write them: pathlib raises for unknown users

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from sidekicks.config.bundled import BUNDLED, find_program
from sidekicks.config.nodes import Node
from sidekicks.models import Problem

# `$${NAME}` is a `${NAME}` that is meant so.
_VARIABLE = re.compile(r"(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_PATH_VALUE = re.compile(r"(?:~|\.{1,2})[/\\]")
_IMAGE = re.compile(r"[/\\]|\.(?:png|svg|jpe?g|gif|webp|ico)\Z", re.IGNORECASE)
MAX_AGENTS = 500  # as in the schema: the file system is not asked about more
_EXPANDED = ("command", "args", "cwd", "env", "url", "headers")


class Surroundings:
    """The place of the file and the environment of the program."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment

    def expanded(self, text: str) -> str:
        """`text` with every `${NAME}` replaced from the environment; an unset one by nothing."""
        return _replaced(text, {name: self._environment.get(name, "") for name in _variables(text)})

    def argument(self, text: str, env: Mapping[str, str]) -> str:
        """An argument with each `${NAME}` replaced that `env`, of the same program, or the environment has.

        Another one stays: it may be for the program itself, as with `sh -c`.
        """
        known = {name: env.get(name, self._environment.get(name)) for name in _variables(text)}
        return _replaced(text, {name: value for name, value in known.items() if value is not None})

    def path(self, text: str) -> str:
        """The absolute path that `text` means, relative to the file; empty stays empty."""
        if not text:
            return ""
        return os.path.normpath(os.path.join(self._folder, os.path.expanduser(text)))

    def command(self, text: str) -> str:
        """`text` as it is when it is a bare name, to be looked up on PATH, else the absolute path."""
        text = self.expanded(text)
        is_path = os.path.dirname(text) or text.startswith("~")
        return self.path(text) if is_path else text

    def environment_value(self, text: str) -> str:
        """The value of an agent's environment variable: one that begins as a path is made absolute."""
        text = self.expanded(text)
        return self.path(text) if _PATH_VALUE.match(text) else text

    def icon(self, text: str) -> str:
        """An emoji as it is, the path of an image made absolute."""
        return self.path(text) if _IMAGE.search(text) else text

    def warnings(self, root: Node) -> Iterator[Problem]:
        """What the agents below `root` refer to and is not there; the tree may be invalid."""
        for key, value in root.entries:
            if key.text == "agents":
                for agent in value.items[:MAX_AGENTS]:
                    yield from self._agent_warnings(agent)

    def _agent_warnings(self, agent: Node) -> Iterator[Problem]:
        given = {key.text: value for key, value in agent.entries}
        yield from self._unset(agent)
        for server in given["mcpServers"].items if "mcpServers" in given else ():
            yield from self._unset(server)
        if (
            (command := given.get("command"))
            and command.text
            and not self._is_found(command, given.get("env"))
        ):
            yield _warning(command, f"the command `{command.text}` is not found")
        if (cwd := given.get("cwd")) and cwd.text and not os.path.isdir(self.path(self.expanded(cwd.text))):
            yield _warning(cwd, f"the folder `{cwd.text}` does not exist")
        icon = given.get("icon")
        if icon and _IMAGE.search(icon.text) and not os.path.isfile(self.icon(icon.text)):
            yield _warning(icon, f"the image `{icon.text}` does not exist")

    def _is_found(self, command: Node, env: Node | None) -> bool:
        if command.text == BUNDLED:
            return True
        path = next((value.text for key, value in env.entries if key.text == "PATH"), None) if env else None
        path = self._environment.get("PATH") if path is None else self.environment_value(path)
        return find_program(self.command(command.text), path) is not None

    def _unset(self, program: Node) -> Iterator[Problem]:
        """The variables that a program's entry refers to and that are not set; its arguments know its own."""
        own = {
            word.text for key, value in program.entries if key.text == "env" for word in _names_given(value)
        }
        for key, value in program.entries:
            if key.text in _EXPANDED:
                known = own if key.text == "args" else ()
                for text in _texts(value):
                    for name in _variables(text.text):
                        if name not in self._environment and name not in known:
                            yield _warning(text, f"the environment variable `{name}` is not set")


def _variables(text: str) -> set[str]:
    """The names that `text` wants to have replaced."""
    return {name for escape, name in _VARIABLE.findall(text) if not escape} if "${" in text else set()


def _replaced(text: str, values: Mapping[str, str]) -> str:
    return _VARIABLE.sub(lambda match: match[0][1:] if match[1] else values.get(match[2], match[0]), text)


def _names_given(pairs: Node) -> Iterator[Node]:
    """The names in `A: x`, or in `[{name: A, value: x}]`."""
    yield from (key for key, _ in pairs.entries)
    for pair in pairs.items:
        yield from (value for key, value in pair.entries if key.text == "name")


def _texts(node: Node) -> Iterator[Node]:
    """The texts that are values in `node`, two levels deep: `A: x`, `[{name: A, value: x}]`."""
    children = [*node.items, *(value for _, value in node.entries)]
    grandchildren = [value for item in node.items for _, value in item.entries]
    yield from (text for text in [node, *children, *grandchildren] if text.kind == "text")


def _warning(node: Node, message: str) -> Problem:
    return Problem(line=node.line, column=node.column, message=message, warning=True)
