"""Reads a channel that was exported as JSON, message by message, and says what is wrong with the file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TypeVar

import msgspec

from sidekicks.history.export import FORMAT, VERSION
from sidekicks.history.port import HistoryError
from sidekicks.models import Channel, Message, Model

T = TypeVar("T")

WHOLE_LIMIT = 256 * 1024 * 1024
"""Bytes of a file that is not laid out in lines as it was written: it has to be in memory whole."""

_HEAD_END = b'"messages":['
_id = re.compile("[0-7][0-9A-HJKMNP-TV-Z]{25}")


class ImportRefusedError(HistoryError):
    """The file can't be imported; the message says why, and where in the file."""


class _Kind(Model, frozen=True):
    format: str = ""
    version: int = 0


class _Head(Model, frozen=True):
    channel: Channel


class _Whole(Model, frozen=True):
    channel: Channel
    messages: list[Message]


class ExportedFile:
    """An exported channel; `messages` reads the file from its beginning, each time."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._whole: _Whole | None = None
        with self._opened() as file:
            first = file.readline(WHOLE_LIMIT)
        if first.rstrip().endswith(_HEAD_END):
            head = first.rstrip() + b"]}"
            self._check_kind(head)
            self.channel = self._decoded(head, _Head, "line 1").channel
        else:
            self._whole = self._read_whole()
            self.channel = self._whole.channel

    def messages(self) -> Iterator[Message]:
        """The messages, in the order of their ids."""
        last = ""
        for where, message in self._with_places():
            if not _id.fullmatch(message.id):
                self._refuse(f"{where}: {message.id!r} is not the id of a message")
            if message.id <= last:
                self._refuse(f"{where}: the message is not newer than the one before it")
            last = message.id
            yield message

    def _with_places(self) -> Iterator[tuple[str, Message]]:
        if self._whole is not None:
            for number, message in enumerate(self._whole.messages):
                yield f"messages[{number}]", message
            return
        with self._opened() as file:
            file.readline()
            for number, line in enumerate(file, 2):
                text = line.strip()
                if text == b"]}":
                    if file.read().strip():
                        self._refuse(f"line {number + 1}: something follows the end")
                    return
                if text:
                    where = f"line {number}"
                    yield where, self._decoded(text.removesuffix(b","), Message, where)
        self._refuse("its end is missing")

    def _read_whole(self) -> _Whole:
        with self._opened() as file:
            data = file.read(WHOLE_LIMIT + 1)
        if len(data) > WHOLE_LIMIT:
            self._refuse("it is too long to be read without one line for each message")
        self._check_kind(data)
        return self._decoded(data, _Whole)

    def _check_kind(self, data: bytes) -> None:
        try:
            kind = msgspec.json.decode(data, type=_Kind)
        except msgspec.ValidationError:
            kind = _Kind()
        except msgspec.DecodeError as error:
            raise self._refusal(f"it is no JSON ({error})") from error
        if kind.format != FORMAT:
            self._refuse("it is not a channel that Sidekicks exported as JSON")
        if kind.version > VERSION:
            version = f"its format is version {kind.version}, this one knows {VERSION}"
            self._refuse(f"it is from a newer Sidekicks ({version})")

    def _decoded(self, data: bytes, kind: type[T], where: str = "") -> T:
        try:
            return msgspec.json.decode(data, type=kind)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise self._refusal(f"{where}: {error}" if where else str(error)) from error

    def _opened(self) -> IO[bytes]:
        try:
            return self._path.open("rb")
        except OSError as error:
            raise self._refusal(error.strerror or str(error)) from error

    def _refuse(self, why: str) -> None:
        raise self._refusal(why)

    def _refusal(self, why: str) -> ImportRefusedError:
        return ImportRefusedError(f"{self._path} can't be imported: {why}. Nothing was changed.")
