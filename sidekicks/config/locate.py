"""Which configuration file is used, how its text is read, and where data is kept."""

from __future__ import annotations

import codecs
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import platformdirs

from sidekicks.files import make_private, write_whole
from sidekicks.models import Model, Problem
from sidekicks.resources import resource

Source: TypeAlias = Literal["flag", "environment", "remembered", "default"]

log = logging.getLogger(__name__)

MAX_BYTES = 4_000_000
VARIABLE = "SIDEKICKS_CONFIG"
DATA_VARIABLE = "SIDEKICKS_DATA_DIR"
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class Location(Model, frozen=True):
    """A configuration file, by its absolute path, and how it was found; `created`: it has just been made."""

    path: Path
    source: Source
    created: bool = False


class UnreadableError(Exception):
    """The file has no text to show; `problem` says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def user_folder() -> Path:
    """The folder of Sidekicks in the user's configuration folder: `~/.config/sidekicks` and the like."""
    return platformdirs.user_config_path("sidekicks", appauthor=False, roaming=True)


def data_folder(flag: str, environment: Mapping[str, str]) -> Path | None:
    """Where `--data-dir` or `$SIDEKICKS_DATA_DIR` wants data to be kept; None: in the usual places."""
    named = flag or environment.get(DATA_VARIABLE, "")
    return absolute(named) if named else None


def locate(flag: str, environment: Mapping[str, str], remembered: Path | None, folder: Path) -> Location:
    """The first there is: `--config`, `$SIDEKICKS_CONFIG`, the file opened last, the default in `folder`.

    The file opened last is passed over when it is gone.
    """
    if flag:
        return Location(path=absolute(flag), source="flag")
    if named := environment.get(VARIABLE):
        return Location(path=absolute(named), source="environment")
    if remembered is not None and remembered.is_file():
        return Location(path=remembered, source="remembered")
    return Location(path=folder / "sidekicks.yaml", source="default")


def with_default_file(location: Location) -> Location:
    """Makes the default file when it is the one that is used, and missing.

    When it can't be made, reading it says that it does not exist.
    """
    path = location.path
    if location.source != "default" or path.exists() or path.is_symlink():
        return location
    try:
        make_private(path.parent)
        write_whole(path, default_text().encode())
    except OSError as error:
        log.warning("the file %s can't be made: %s", path, error)
        return location
    return Location(path=path, source="default", created=True)


def absolute(path: str) -> Path:
    """The absolute path; `~` is the home folder, links stay."""
    return Path(os.path.expanduser(path)).absolute()  # noqa: PTH111 - pathlib's raises for unknown users


def default_text() -> str:
    """What a new configuration file says."""
    return resource("config/default.yaml").read_text("utf-8")


def read(path: Path) -> str:
    """The text of the file, line ends as they are. Raises `UnreadableError`."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise UnreadableError(_problem(f"the file {path} does not exist")) from None
    except OSError as error:
        raise UnreadableError(_problem(f"the file {path} can't be read: {error.strerror}")) from error
    if len(data) > MAX_BYTES:
        raise UnreadableError(_problem(f"the file {path} is longer than {MAX_BYTES} bytes"))
    try:
        if data.startswith(_UTF16):
            return data.decode("utf-16")
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(_not_utf8(error)) from error


def _not_utf8(error: UnicodeDecodeError) -> Problem:
    message = "this is not UTF-8 text: save the file with the encoding UTF-8"
    if error.encoding != "utf-8":
        return _problem(message)
    before = error.object[: error.start].decode("utf-8")
    return Problem(line=before.count("\n") + 1, column=len(before) - before.rfind("\n"), message=message)


def _problem(message: str) -> Problem:
    return Problem(line=1, column=1, message=message)
