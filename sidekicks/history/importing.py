"""Brings an exported channel into the history: all of it, or nothing."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import msgspec

from sidekicks.history.port import History
from sidekicks.history.reading import ExportedFile, ImportRefusedError
from sidekicks.ids import distance, shifted
from sidekicks.models import Channel, Message

AT_ONCE = 500
_FIRST = "0" * 26
_SHIFT = 1 << 60
"""How far ids are moved at most: 2^80 would be a millisecond."""


async def import_channel(history: History, path: Path, new_id: Callable[[], str]) -> Channel:
    """Reads the file into a new channel, which is there for good when the caller puts it.

    Its name may be taken. A direct conversation becomes a channel named after its agent: the one that there
    may be with this agent is left as it is. Messages get new ids, at their times and in their order. A
    working folder that does not exist here is left out.

    Raises:
        ImportRefusedError: the file is damaged, of another kind or newer; nothing was kept.
        HistoryError: it could not be kept.
    """
    file = await asyncio.to_thread(ExportedFile, path)
    first, last = await asyncio.to_thread(_ends, file)
    channel = _adapted(file.channel, new_id())
    shift = _shift(path, first, last, new_id())
    messages = (_moved(message, channel.id, shift) for message in file.messages())
    try:
        while some := await asyncio.to_thread(_some, messages):
            await history.put_messages(some)
        if last:
            await history.put_last_read(channel.id, shifted(last, shift))
    except BaseException:
        await history.delete_channel(channel.id)
        raise
    return channel


def _ends(file: ExportedFile) -> tuple[str, str]:
    """The first and last id; reads everything, so that whatever is wrong is known before anything is kept."""
    first = last = ""
    for message in file.messages():
        first = first or message.id
        last = message.id
    return first, last


def _some(messages: Iterator[Message]) -> list[Message]:
    return list(islice(messages, AT_ONCE))


def _adapted(channel: Channel, id_: str) -> Channel:
    members = tuple(
        dict.fromkeys(channel.members or (channel.direct,) if channel.direct else channel.members)
    )
    cwd = channel.cwd if channel.cwd and Path(channel.cwd).is_dir() else ""
    name = channel.name.strip() or channel.direct or "imported"
    return msgspec.structs.replace(channel, id=id_, name=name, direct="", members=members, cwd=cwd)


def _shift(path: Path, first: str, last: str, now: str) -> int:
    """What is added to each id: the same may be here already, and none may be newer than what comes next."""
    if not last:
        return 0
    room = distance(last, now)
    shift = min(0, room) + random.randint(1, _SHIFT) * (1 if room > _SHIFT else -1)  # noqa: S311 - no secret
    if distance(_FIRST, first) + shift < 0:
        raise ImportRefusedError(f"{path} can't be imported: its ids are no times. Nothing was changed.")
    return shift


def _moved(message: Message, channel: str, shift: int) -> Message:
    return msgspec.structs.replace(
        message, id=shifted(message.id, shift), channel=channel, queued=False, done=True
    )
