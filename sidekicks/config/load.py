"""The text of a configuration file -> a `Config`, or what is wrong with it and where."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

from sidekicks.config.check import MAX_PROBLEMS, Checker, Value
from sidekicks.config.nodes import Node, read_nodes
from sidekicks.config.schema import Config, schema
from sidekicks.config.surroundings import Surroundings
from sidekicks.models import AgentDefinition, LanguageChoice, Limits, Model, Policy, Problem, ThemeChoice

_SECONDS = {"s": 1, "m": 60, "h": 3600}


class Loaded(Model, frozen=True):
    """What a text is: a `config` when there are no `problems`; `warnings` do not keep it from being valid."""

    config: Config | None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def load(text: str, folder: Path, environment: Mapping[str, str] = os.environ) -> Loaded:
    """What `text` is as a configuration in a file of `folder`; for any text, and without raising."""
    root, problems = read_nodes(text)
    if root is None:
        return Loaded(config=None, problems=tuple(problems) or (_EMPTY,))
    checker = Checker(schema())
    value = checker.check(root, schema(), "the configuration")
    taken = list(_taken_names(root))
    places = {(problem.line, problem.column) for problem in taken}
    problems += taken
    problems += [problem for problem in checker.problems if (problem.line, problem.column) not in places]
    surroundings = Surroundings(folder, environment)
    warnings = _in_order(surroundings.warnings(root))
    if problems:
        return Loaded(config=None, problems=_in_order(problems), warnings=warnings)
    return Loaded(config=_config(cast("dict[str, Value]", value), surroundings), warnings=warnings)


_EMPTY = Problem(line=1, column=1, message="the file is empty: it needs `agents`, if only `agents: []`")


def agent_place(text: str, name: str) -> tuple[int, int] | None:
    """Line and column, 1-based, of an agent's name in its entry; None where the text has no such entry."""
    root, _ = read_nodes(text)
    names = _names(root) if root is not None else ()
    return next(((node.line, node.column) for node in names if node.text == name), None)


def seconds(duration: str) -> float:
    """`30s`, `10m`, `2h`, `0` in seconds."""
    return float(duration[:-1]) * _SECONDS[duration[-1]] if duration != "0" else 0.0


def _in_order(problems: Iterator[Problem] | list[Problem]) -> tuple[Problem, ...]:
    once = dict.fromkeys(problems)  # an alias brings the same ones again
    return tuple(sorted(once, key=lambda problem: (problem.line, problem.column)))[:MAX_PROBLEMS]


def _taken_names(root: Node) -> Iterator[Problem]:
    taken: dict[str, Node] = {}
    for name in _names(root):
        first = taken.setdefault(name.text.casefold(), name)
        if first is not name:
            message = (
                f"the name `{name.text}` is taken by the agent in line {first.line}; case does not count"
            )
            yield Problem(line=name.line, column=name.column, message=message)


def _names(root: Node) -> Iterator[Node]:
    agents = [value for key, value in root.entries if key.text == "agents"]
    for agent in agents[0].items if agents else ():
        yield from (name for key, name in agent.entries if key.text == "name" and name.kind == "text")


def _config(value: dict[str, Value], surroundings: Surroundings) -> Config:
    limits = cast("dict[str, Value]", value.get("limits", {}))
    defaults = Limits()
    idle = limits.get("stopIdleAgentsAfter")
    agents = cast("list[dict[str, Value]]", value["agents"])
    return Config(
        theme=cast("ThemeChoice", value.get("theme", "system")),
        language=cast("LanguageChoice", value.get("language", "system")),
        limits=Limits(
            max_running_agents=cast("int", limits.get("maxRunningAgents", defaults.max_running_agents)),
            stop_idle_agents_after=defaults.stop_idle_agents_after if idle is None else seconds(str(idle)),
        ),
        agents=tuple(_definition(agent, surroundings) for agent in agents),
    )


def _definition(agent: dict[str, Value], surroundings: Surroundings) -> AgentDefinition:
    def text(key: str, default: str = "") -> str:
        return cast("str", agent.get(key, default))

    given = cast("dict[str, str]", agent.get("env", {}))
    env = {key: surroundings.environment_value(value) for key, value in given.items()}
    servers = cast("list[dict[str, Value]]", agent.get("mcpServers", []))
    return AgentDefinition(
        name=text("name"),
        title=text("title") or text("name"),
        icon=surroundings.icon(text("icon")),
        description=text("description"),
        command=surroundings.command(text("command")),
        args=_arguments(agent, env, surroundings),
        env=env,
        cwd=surroundings.path(surroundings.expanded(text("cwd"))),
        mcp_servers=tuple(_server(server, surroundings) for server in servers),
        permissions=cast("Policy", text("permissions", "ask")),
        start_timeout=seconds(text("startTimeout", "30s")),
        protocol_log=text("protocolLog", "off") == "on",
    )


def _server(server: dict[str, Value], surroundings: Surroundings) -> dict[str, object]:
    """An MCP server as `session/new` takes it: a program has no `type` there, pairs are lists."""
    name = server["name"]
    if server.get("type") == "http":
        url = surroundings.expanded(cast("str", server["url"]))
        return {
            "type": "http",
            "name": name,
            "url": url,
            "headers": _pairs(server.get("headers"), surroundings),
        }
    env = _pairs(server.get("env"), surroundings)
    return {
        "name": name,
        "command": surroundings.command(cast("str", server["command"])),
        "args": list(_arguments(server, {pair["name"]: pair["value"] for pair in env}, surroundings)),
        "env": env,
    }


def _arguments(
    program: dict[str, Value], env: Mapping[str, str], surroundings: Surroundings
) -> tuple[str, ...]:
    return tuple(
        surroundings.argument(argument, env) for argument in cast("list[str]", program.get("args", []))
    )


def _pairs(given: Value | None, surroundings: Surroundings) -> list[dict[str, str]]:
    if isinstance(given, dict):
        pairs = list(cast("dict[str, str]", given).items())
    else:
        listed = cast("list[dict[str, str]]", given or [])
        pairs = [(pair["name"], pair["value"]) for pair in listed]
    return [{"name": name, "value": surroundings.expanded(value)} for name, value in pairs]
