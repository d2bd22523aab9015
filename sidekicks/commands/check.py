"""`sidekicks check`: what is wrong with a configuration, and where."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

import msgspec

from sidekicks.commands.configuration import Configuration, named
from sidekicks.commands.output import put
from sidekicks.config.load import Loaded, load
from sidekicks.config.locate import UnreadableError, read
from sidekicks.models import Model, Problem

STDIN = "-"


class Checked(Model, frozen=True):
    """What `--json` prints: `problems` keep the file from being valid, `warnings` do not."""

    file: str
    valid: bool
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Prints what is wrong; 0 when the file is valid."""
    if options.file == STDIN:
        found, name = _of_stdin(environment), "<stdin>"
    else:
        found, name = named(options.file, options.config, environment), options.file or options.config
    loaded = found.loaded
    if options.json:
        checked = Checked(
            file=name or str(found.path),
            valid=not loaded.problems,
            problems=loaded.problems,
            warnings=loaded.warnings,
        )
        put(msgspec.json.encode(checked).decode())
    else:
        for line in found.shown(name):
            put(line)
    return 1 if loaded.problems else 0


def _of_stdin(environment: Mapping[str, str]) -> Configuration:
    """Paths in the text are relative to the folder in which the command runs."""
    folder = Path.cwd()
    with tempfile.TemporaryDirectory() as temporary:
        # As a file its bytes are read by the rules of configuration files.
        file = Path(temporary, "stdin")
        file.write_bytes(sys.stdin.buffer.read())
        try:
            loaded = load(read(file), folder, environment)
        except UnreadableError as error:
            loaded = Loaded(config=None, problems=(error.problem,))
    return Configuration(path=folder, loaded=loaded)
