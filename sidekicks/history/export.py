"""Channels as files: Markdown to read, JSON to read in again. A channel is read page by page, however long.

The JSON is one object - `format`, `version`, `channel`, `messages` - written so that each message is a line
of its own; channel and messages have the fields of the models, in camelCase, images in base64.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from datetime import tzinfo
from os import PathLike
from pathlib import Path
from typing import Literal, TextIO, TypeAlias

import msgspec

from sidekicks.files import writing
from sidekicks.history.markdown import heading, rendered
from sidekicks.history.port import History, HistoryError
from sidekicks.models import Channel, Message

Format: TypeAlias = Literal["json", "markdown"]

FORMAT = "sidekicks-channel"
VERSION = 1
AT_ONCE = 50
"""Messages that are held at once."""


def exported(
    history: History, channel: Channel, form: Format, zone: tzinfo | None = None
) -> AsyncGenerator[str]:
    """The file in pieces. Times in Markdown are those of `zone`, by default of this machine."""
    if form == "json":
        return _as_json(history, channel)
    return _as_markdown(history, channel, zone)


async def write_channel(
    history: History, channel: Channel, to: str | PathLike[str] | TextIO, form: Format
) -> None:
    """Writes the file `to`, whole or not at all, or to what is open for writing.

    Raises:
        HistoryError: the history can't be read, or the file not be written.
        OSError: what is open can't be written.
    """
    async with aclosing(exported(history, channel, form)) as pieces:
        if not isinstance(to, str | PathLike):
            async for piece in pieces:
                to.write(piece)
            return
        try:
            with writing(Path(to)) as file:
                async for piece in pieces:
                    await asyncio.to_thread(file.write, piece.encode())
        except OSError as error:
            raise HistoryError(f"{to} can't be written: {error.strerror or error}.") from error


async def _as_markdown(history: History, channel: Channel, zone: tzinfo | None) -> AsyncGenerator[str]:
    yield heading(channel)
    async for piece in _messages(history, channel.id, lambda message: rendered(message, zone)):
        yield piece


async def _as_json(history: History, channel: Channel) -> AsyncGenerator[str]:
    yield f'{{"format":"{FORMAT}","version":{VERSION},"channel":{_json(channel)},"messages":['
    first = True
    async for piece in _messages(history, channel.id, lambda message: ",\n" + _json(message)):
        yield piece[1:] if first else piece
        first = False
    yield "\n]}\n"


async def _messages(history: History, channel: str, write: Callable[[Message], str]) -> AsyncGenerator[str]:
    last = ""
    while messages := await history.following(channel, last, AT_ONCE):
        yield "".join(map(write, messages))
        last = messages[-1].id


def _json(value: Channel | Message) -> str:
    return msgspec.json.encode(value).decode()
