"""fs/read_text_file and fs/write_text_file: text files inside the session's folders only, links resolved."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from minime_agent.acp.wire.errors import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, RequestError
from sidekicks.files import write_whole

MAX_READ = 10 * 1024 * 1024
"""Bytes that are given at once; of a longer file an agent reads so many lines at a time."""

_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
"""A fifo must not hang whoever opens it, and Windows must not change line ends."""


def read_text(folders: Sequence[str], path: str, line: int | None, limit: int | None) -> str:
    """The text of a file, or `limit` lines of it from `line` (1-based) on; mark and line ends as they are.

    Raises:
        RequestError: the path is outside `folders`, the file is missing, too long, or no text.
    """
    file = inside(folders, path)
    try:
        with _open_regular(file, path) as opened:
            pieces = list(_lines(opened, path, max(1, line or 1), limit))
        return b"".join(pieces).decode("utf-8")
    except FileNotFoundError:
        raise RequestError(RESOURCE_NOT_FOUND, f"{path} does not exist") from None
    except UnicodeDecodeError:
        raise RequestError(INVALID_PARAMS, f"{path} is no UTF-8 text") from None
    except OSError as error:
        raise RequestError(INTERNAL_ERROR, f"{path} can't be read: {error.strerror}") from None


def write_text(folders: Sequence[str], path: str, text: str) -> None:
    """Writes a file as UTF-8, whole or not at all, its line ends as given; missing folders are made.

    Raises:
        RequestError: the path is outside `folders`, or the file can't be written.
    """
    file = inside(folders, path)
    try:
        if file.exists():
            if not stat.S_ISREG(file.stat().st_mode):
                raise RequestError(INVALID_PARAMS, f"{path} is no file that can be written")
            if not os.access(file, os.W_OK):
                raise RequestError(INTERNAL_ERROR, f"{path} can't be written: it is read-only")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, text.encode("utf-8"), private=False)
    except UnicodeEncodeError:
        raise RequestError(INVALID_PARAMS, f"the text for {path} has half a character in it") from None
    except OSError as error:
        raise RequestError(INTERNAL_ERROR, f"{path} can't be written: {error.strerror}") from None


def inside(folders: Sequence[str], path: str) -> Path:
    """The path with its links resolved.

    Raises:
        RequestError: it is not absolute, or not inside one of `folders`.
    """
    if not os.path.isabs(path):  # noqa: PTH117 - nothing has been made a Path yet
        raise RequestError(INVALID_PARAMS, f"{path} is not an absolute path")
    try:
        file = Path(path).resolve()
        is_inside = any(file.is_relative_to(Path(folder).resolve()) for folder in folders)
    except (OSError, ValueError, RuntimeError) as error:
        raise RequestError(INVALID_PARAMS, f"{path!r} is no usable path ({error})") from None
    if not is_inside:
        allowed = " and ".join(folders)
        raise RequestError(INVALID_PARAMS, f"{path} is outside of the session's folder {allowed}")
    return file


def _open_regular(file: Path, path: str) -> BinaryIO:
    handle = os.open(file, os.O_RDONLY | _NEVER_WAIT)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise RequestError(INVALID_PARAMS, f"{path} is no file that can be read")
    return os.fdopen(handle, "rb")


def _lines(opened: BinaryIO, path: str, first: int, limit: int | None) -> Iterator[bytes]:
    """Lines from the `first` one on, `limit` at most; a line ends at a line feed and nowhere else."""
    room, number = MAX_READ, 0
    is_wanted = limit is None or limit > 0
    while is_wanted and (piece := opened.readline(MAX_READ + 1)):
        if number >= first - 1:
            room -= len(piece)
            if room < 0:
                raise RequestError(
                    INVALID_PARAMS,
                    f"{path}: what is asked for is longer than {MAX_READ:,} bytes; read fewer lines",
                )
            yield piece
        number += piece.endswith(b"\n")
        is_wanted = limit is None or number < first - 1 + limit
