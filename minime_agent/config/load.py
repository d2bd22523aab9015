"""Settings from their layers: defaults < file < environment < flags."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from minime_agent.config.check import ConfigError, convert, problem
from minime_agent.config.settings import Settings

_VARIABLES = {"provider": "MM_PROVIDER", "baseURL": "MM_BASE_URL", "model": "MM_MODEL"}


def load(flags: Mapping[str, str], environment: Mapping[str, str], config: Path | None = None) -> Settings:
    """The settings in force; `flags` has the file's keys, `config` is the file that a flag named.

    Without any file the YAML parser is not even imported. Raises `ConfigError`.
    """
    from_environment = {
        key: environment[variable] for key, variable in _VARIABLES.items() if environment.get(variable)
    }
    for key, value in from_environment.items():
        if found := problem({key: value}):
            raise ConfigError(f"environment variable {_VARIABLES[key]}: {found[1]}")
    if found := problem(flags):
        raise ConfigError(f"--{'base-url' if found[0] == ('baseURL',) else '.'.join(found[0])}: {found[1]}")
    path = config_file(environment, config)
    values: dict[str, Any] = {}
    if path is not None:
        from minime_agent.config.file import read

        values = read(path)
    values = values | from_environment | dict(flags)
    values["apiKey"] = _key(values, environment)
    return convert(values)


def config_file(environment: Mapping[str, str], flag: Path | None) -> Path | None:
    """The file to read: the flag's, `MM_CONFIG`, or the user's own where there is one."""
    if flag is not None:
        return flag
    if named := environment.get("MM_CONFIG"):
        return Path(named)
    from minime_agent.project import user_folder

    standard = user_folder() / "agent.yaml"
    return standard if standard.is_file() else None


def _key(values: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """`MM_API_KEY`; `OPENAI_API_KEY` only for an address that the person chose, not one that mm found."""
    if key := environment.get("MM_API_KEY"):
        return key
    chosen = values.get("provider") == "openai" or values.get("baseURL")
    return environment.get("OPENAI_API_KEY", "") if chosen else ""
