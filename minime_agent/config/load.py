"""Settings from their layers: defaults, then the model's profile, the file, the environment, flags."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from minime_agent.config.check import Problem, check, convert, refuse
from minime_agent.config.keys import VARIABLES, flat, from_text, nested
from minime_agent.config.settings import Settings
from minime_agent.project import user_folder


class Layers(msgspec.Struct, frozen=True):
    """What was set, by key, and where: `/home/me/agent.yaml:3`, `environment MM_MODEL`, `--model`."""

    values: dict[str, Any]
    sources: dict[str, str]
    problems: tuple[Problem, ...] = ()

    def settings(self, api_key: str) -> Settings:
        """The settings in force. Raises `ConfigError`, which lists every problem of every layer."""
        refuse(self.problems)
        return convert(nested(self.values) | {"apiKey": api_key})


def load(
    flags: Mapping[str, str],
    environment: Mapping[str, str],
    config: Path | None = None,
    assignments: Sequence[str] = (),
) -> Settings:
    """The settings in force; raises `ConfigError`. The parameters are those of `layers`."""
    whole = layers(flags, environment, config, assignments)
    return whole.settings(api_key(whole.values, environment))


def layers(
    flags: Mapping[str, str],
    environment: Mapping[str, str],
    config: Path | None = None,
    assignments: Sequence[str] = (),
) -> Layers:
    """What the person set.

    `flags` has the file's keys, `config` is the file that a flag named, `assignments` are `key=value`.
    Without any file the YAML parser is not even imported.
    """
    path = config_file(environment, config)
    found = [
        *([_file(path)] if path else []),
        *(
            _text(key, environment[variable], f"environment {variable}", f"environment variable {variable}")
            for key, variable in VARIABLES.items()
            if environment.get(variable)
        ),
        *(_text(key, value, flag := _flag(key), flag) for key, value in flags.items()),
        *map(_assignment, assignments),
    ]
    return Layers(
        {key: value for layer in found for key, value in layer.values.items()},
        {key: source for layer in found for key, source in layer.sources.items()},
        tuple(problem for layer in found for problem in layer.problems),
    )


def config_file(environment: Mapping[str, str], flag: Path | None) -> Path | None:
    """The file to read: the flag's, `MM_CONFIG`, or the user's own where there is one."""
    if flag is not None:
        return flag
    if named := environment.get("MM_CONFIG"):
        return Path(named)
    standard = standard_file()
    return standard if standard.is_file() else None


def standard_file() -> Path:
    """The user's own settings file, which need not be there."""
    return user_folder() / "agent.yaml"


def api_key(values: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """`MM_API_KEY`; `OPENAI_API_KEY` only for an address that the person chose, not one that mm found."""
    if key := environment.get("MM_API_KEY"):
        return key
    chosen = values.get("provider") == "openai" or values.get("baseURL")
    return environment.get("OPENAI_API_KEY", "") if chosen else ""


def _file(path: Path) -> Layers:
    from minime_agent.config.file import read

    file = read(path)
    values = {} if file.problems else flat(file.values)
    sources = {key: f"{path}:{file.line(tuple(key.split('.')))}" for key in values}
    return Layers(values, sources, file.problems)


def _text(key: str, text: str, source: str, place: str, *, named: bool = False) -> Layers:
    """One value; `named`: the place does not say which key it is."""
    value = from_text(key, text)
    wrong = check(nested({key: value}))
    problems = tuple(Problem(place, ".".join(path) if named else "", what) for path, what in wrong)
    values = {} if problems else flat(nested({key: value}))
    return Layers(values, dict.fromkeys(values, source), problems)


def _flag(key: str) -> str:
    return "--base-url" if key == "baseURL" else f"--{key}"


def _assignment(text: str) -> Layers:
    key, sign, value = text.partition("=")
    if not sign:
        return Layers({}, {}, (Problem("--set", text, "expected key=value, such as maxTurns=20"),))
    return _text(key.strip(), value, f"--set {key.strip()}", "--set", named=True)
