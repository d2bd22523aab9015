"""`mm config check` and `mm config show`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from minime_agent.config.check import ConfigError, refuse
from minime_agent.config.flags import add_flags, set_by
from minime_agent.config.keys import as_text, keys
from minime_agent.config.load import api_key, config_file, layers, standard_file

WRONG = 1

ProfileOf: TypeAlias = Callable[[str], tuple[str, dict[str, Any]]]
"""Name and values, by key, of the profile of a model."""
CheckTools: TypeAlias = Callable[[Sequence[str], str], None]
"""Takes names of tools and where they stand; raises `ConfigError` for one that no tool has."""


def run(arguments: Sequence[str], profile_of: ProfileOf, check_tools: CheckTools) -> int:
    """Runs one command; returns the exit code: 1 when something is wrong with the settings."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "check":
            return _check(options.file, check_tools)
        return _show(options, profile_of)
    except ConfigError as error:
        print(error, file=sys.stderr)
        return WRONG


def _check(file: Path | None, check_tools: CheckTools) -> int:
    """Of a file that is named nothing else counts; else the environment, too."""
    environment: Mapping[str, str] = os.environ if file is None else {}
    whole = layers({}, environment, file)
    refuse(whole.problems)
    check_tools(whole.values.get("tools") or (), whole.sources.get("tools", ""))
    path = config_file(os.environ, file)
    print(f"{path}: no problems" if path else f"there is no settings file; it would be {standard_file()}")
    return 0


def _show(options: argparse.Namespace, profile_of: ProfileOf) -> int:
    whole = set_by(options, os.environ)
    settings = whole.settings(api_key(whole.values, os.environ))
    name, profile = profile_of(settings.model)
    rows = [
        _row(key, whole.values[key], whole.sources[key])
        if key in whole.values
        else _row(key, profile[key], f"profile {name}")
        if key in profile
        else _row(key, known.default, "default")
        for key, known in keys().items()
    ]
    if settings.api_key:
        variable = "MM_API_KEY" if os.environ.get("MM_API_KEY") else "OPENAI_API_KEY"
        rows.append(("apiKey: (set)", f"environment {variable}"))
    width = min(max(len(row) for row, _ in rows), 50)
    for row, source in rows:
        print(f"{row:<{width}}  # {source}")
    if not settings.model:
        print("# The model is the server's first; its profile comes over the defaults once it is known.")
    return 0


def _row(key: str, value: object, source: str) -> tuple[str, str]:
    return f"{key}: {as_text(value)}", source


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mm config", description="The settings of mm.", allow_abbrev=False)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="list everything that is wrong with the settings")
    check.add_argument("file", type=Path, nargs="?", metavar="FILE", help="a settings file (default: yours)")
    show = commands.add_parser("show", help="every setting in force, and where it comes from")
    add_flags(show)
    return parser
