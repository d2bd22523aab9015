"""Which configuration file is used, how its text is read, and where data is kept."""

from __future__ import annotations

import codecs
import errno
import logging
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
import platformdirs

from sidekicks.config.errors import UnreadableError
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
    """A configuration file, by its absolute path, and how it was found; `created`: it has just been made.

    `instead_of` is the file that would have been used, but is gone.
    """

    path: Path
    source: Source
    created: bool = False
    instead_of: Path | None = None


def user_folder() -> Path:
    """The folder of Sidekicks in the user's configuration folder: `~/.config/sidekicks` and the like."""
    return platformdirs.user_config_path("sidekicks", appauthor=False, roaming=True)


def data_folder(flag: str, environment: Mapping[str, str]) -> Path | None:
    """Where `--data-dir` or `$SIDEKICKS_DATA_DIR` wants data to be kept; None: in the usual places."""
    named = flag or environment.get(DATA_VARIABLE, "")
    return absolute(named) if named else None


def histories_folder(flag: str, environment: Mapping[str, str]) -> Path:
    """The folder of the histories, wherever that is."""
    return data_folder(flag, environment) or user_folder() / "data"


def protocol_folder(history: Path) -> Path:
    """The folder of the protocol logs of a configuration's agents, by the folder of its history.

    Two configurations may have an agent of the same name.
    """
    return history.parent / "protocol" / history.name


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
    return Location(path=folder / "sidekicks.yaml", source="default", instead_of=remembered)


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
    return msgspec.structs.replace(location, created=True)


def absolute(path: str) -> Path:
    """The absolute path; `~` is the home folder, links stay."""
    return Path(os.path.expanduser(path)).absolute()  # noqa: PTH111 - pathlib's raises for unknown users


def default_text() -> str:
    """What a new configuration file says."""
    return resource("config/default.yaml").read_text("utf-8")


def read(path: Path) -> str:
    """The text of the file, line ends as they are. Raises `UnreadableError`."""
    try:
        data = _bytes(path)
    except FileNotFoundError:
        raise UnreadableError(_problem(f"the file {path} does not exist")) from None
    except OSError as error:
        why = "it is a folder: name a file in it" if path.is_dir() else error.strerror
        raise UnreadableError(_problem(f"the file {path} can't be read: {why}")) from error
    except ValueError:
        raise UnreadableError(_problem("a file can't have the character U+0000 in its name")) from None
    if len(data) > MAX_BYTES:
        raise UnreadableError(_problem(f"the file {path} is longer than {MAX_BYTES} bytes"))
    try:
        if data.startswith(_UTF16):
            return data.decode("utf-16")
        return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(_not_utf8(error)) from error


def _bytes(path: Path) -> bytes:
    """The beginning of the file, one byte more than is allowed.

    A pipe would be waited for, and can't be read a second time when somebody asks how it is now.
    """
    with open(path, "rb", opener=_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no file, but a pipe or a device")
        return file.read(MAX_BYTES + 1)


def _without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _not_utf8(error: UnicodeDecodeError) -> Problem:
    message = "this is not UTF-8 text: save the file with the encoding UTF-8"
    if error.encoding != "utf-8":
        return _problem(message)
    before = error.object[: error.start].decode("utf-8").replace("\r\n", "\n").replace("\r", "\n")
    return Problem(line=before.count("\n") + 1, column=len(before) - before.rfind("\n"), message=message)


def _problem(message: str) -> Problem:
    return Problem(line=1, column=1, message=message)
