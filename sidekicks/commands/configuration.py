"""The configuration that a command works with, read without making or watching anything."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sidekicks.commands.output import CommandError, say
from sidekicks.config.load import Loaded, load
from sidekicks.config.locate import UnreadableError, absolute, locate, read, user_folder, with_default_file
from sidekicks.config.recent import Recent
from sidekicks.config.schema import Config
from sidekicks.models import Model, Problem


class Configuration(Model, frozen=True):
    """A configuration file and what it says; `missing`: there is none."""

    path: Path
    loaded: Loaded
    missing: bool = False

    def shown(self, name: str = "") -> list[str]:
        """Its problems and warnings, one a line; the file is called `name`."""
        return [
            f"{name or self.path}:{found.line}:{found.column}: "
            f"{'warning: ' if found.warning else ''}{found.message}"
            for found in self.found
        ]

    @property
    def found(self) -> list[Problem]:
        """Problems and warnings, by their places."""
        found = [*self.loaded.problems, *self.loaded.warnings]
        return sorted(found, key=lambda problem: (problem.line, problem.column))


def configuration(flag: str, environment: Mapping[str, str]) -> Configuration:
    """The file that `--config`, the environment or the last time asks for."""
    folder = user_folder()
    path = locate(flag, environment, Recent(folder).newest(), folder).path
    return of_file(path, environment)


def of_file(path: Path, environment: Mapping[str, str]) -> Configuration:
    """What the file `path` says."""
    try:
        loaded = load(read(path), path.parent, environment)
    except UnreadableError as error:
        loaded = Loaded(config=None, problems=(error.problem,))
    return Configuration(path=path, loaded=loaded, missing=not path.exists())


def named(file: str, flag: str, environment: Mapping[str, str]) -> Configuration:
    """The file `file`, else the one that is in use."""
    return of_file(absolute(file), environment) if file else configuration(flag, environment)


def valid(flag: str, environment: Mapping[str, str]) -> Config:
    """The configuration that is in use; the default one is made when it is missing.

    Raises:
        CommandError: it is not valid; what is wrong was said.
    """
    folder = user_folder()
    location = with_default_file(locate(flag, environment, Recent(folder).newest(), folder))
    found = of_file(location.path, environment)
    if found.loaded.config is None:
        for line in found.shown():
            say(line)
        raise CommandError("nothing was done, because the configuration is not valid.")
    return found.loaded.config
