"""fs/read_text_file and fs/write_text_file: files inside the session's folder only, links resolved."""

from __future__ import annotations

import os
from pathlib import Path

from minime_agent.acp.wire.errors import INTERNAL_ERROR, INVALID_PARAMS, RESOURCE_NOT_FOUND, RequestError

MAX_READ = 10 * 1024 * 1024
"""Bytes; a longer file must be read in pieces by the agent itself."""


def read_text(folder: str, path: str, line: int | None, limit: int | None) -> str:
    """The text of a file, or `limit` lines of it from `line` (1-based) on.

    Raises:
        RequestError: the path is outside `folder`, the file is missing, too long, or no text.
    """
    file = _inside(folder, path)
    try:
        if file.stat().st_size > MAX_READ:
            raise RequestError(INVALID_PARAMS, f"{path} is longer than {MAX_READ:,} bytes")
        with file.open(encoding="utf-8", newline="") as opened:
            text = opened.read()
    except FileNotFoundError:
        raise RequestError(RESOURCE_NOT_FOUND, f"{path} does not exist") from None
    except UnicodeDecodeError:
        raise RequestError(INVALID_PARAMS, f"{path} is no UTF-8 text") from None
    except OSError as error:
        raise RequestError(INTERNAL_ERROR, f"{path} can't be read: {error.strerror}") from None
    if line is None and limit is None:
        return text
    first = max(0, (line or 1) - 1)
    last = None if limit is None else first + max(0, limit)
    return "".join(text.splitlines(keepends=True)[first:last])


def write_text(folder: str, path: str, text: str) -> None:
    """Writes a file as UTF-8, its line ends as given; missing folders are made.

    Raises:
        RequestError: the path is outside `folder`, or the file can't be written.
    """
    file = _inside(folder, path)
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("w", encoding="utf-8", newline="") as opened:
            opened.write(text)
    except OSError as error:
        raise RequestError(INTERNAL_ERROR, f"{path} can't be written: {error.strerror}") from None


def _inside(folder: str, path: str) -> Path:
    if not os.path.isabs(path):  # noqa: PTH117 - nothing has been made a Path yet
        raise RequestError(INVALID_PARAMS, f"{path} is not an absolute path")
    try:
        file = Path(path).resolve()
        inside = file.is_relative_to(Path(folder).resolve())
    except (OSError, ValueError, RuntimeError) as error:
        raise RequestError(INVALID_PARAMS, f"{path!r} is no usable path ({error})") from None
    if not inside:
        raise RequestError(INVALID_PARAMS, f"{path} is outside of the session's folder {folder}")
    return file
