"""The message that `sidekicks ask` sends: words of the command line, stdin, and files that go with them."""

from __future__ import annotations

import mimetypes
import sys
from collections.abc import Iterable
from pathlib import Path

from sidekicks.commands.output import CommandError
from sidekicks.config.locate import absolute
from sidekicks.models import FilePart, ImagePart, Model

STDIN = "-"
IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
"""Images that agents take as such; any other file goes by its path."""


class Sent(Model, frozen=True):
    """`read_stdin`: the text, or a part of it, came through stdin."""

    text: str
    attachments: tuple[ImagePart | FilePart, ...] = ()
    read_stdin: bool = False


def message(words: list[str], files: Iterable[str]) -> Sent:
    """The words with a space between them; a lone `-`, or no words at all, stands for what stdin says.

    Raises:
        CommandError: a file can't be read.
    """
    attachments = tuple(_attachment(file) for file in files)
    if words and STDIN not in words:
        return Sent(text=_as_utf8(" ".join(words)), attachments=attachments)
    if not words and (attachments or sys.stdin is None or sys.stdin.isatty()):
        return Sent(text="", attachments=attachments)
    said = _as_utf8(" ".join(word for word in words if word != STDIN))
    piped = sys.stdin.buffer.read().decode("utf-8", "replace").strip("\n")
    text = "\n\n".join(part for part in (said, piped) if part)
    return Sent(text=text, attachments=attachments, read_stdin=True)


def _attachment(name: str) -> ImagePart | FilePart:
    path = absolute(name)
    kind = mimetypes.guess_type(path)[0] or ""
    try:
        if kind in IMAGES:
            return ImagePart(mime_type=kind, data=path.read_bytes(), name=path.name)
        with path.open("rb"):
            return FilePart(path=str(path), mime_type=kind)
    except OSError as error:
        raise CommandError(f"--attach: the file {name} can't be read: {error.strerror}") from error


def _as_utf8(argument: str) -> str:
    """An argument whose bytes are not what the locale says, as the UTF-8 that they are or nearly are."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def folder(name: str) -> Path:
    """The folder of `--cwd`.

    Raises:
        CommandError: there is none.
    """
    path = absolute(name)
    if not path.is_dir():
        raise CommandError(f"--cwd: there is no folder {name}")
    return path.resolve()
