"""`sidekicks history`: what was said, without the window."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

import msgspec

from sidekicks.channels.service import ChannelService
from sidekicks.commands.output import CommandError, OutputError, put, say
from sidekicks.commands.store import open_channels
from sidekicks.commands.terminal import NobodyError, Terminal
from sidekicks.config.locate import absolute
from sidekicks.models import Channel, Found, Model, SearchResult

STDIN = "-"
INDEX_SECONDS = 120.0
"""How long a search waits for its index."""


class Listed(Model, frozen=True):
    """A channel as `list --json` prints it. `last` is when the last message was written, if there is one."""

    channel: Channel
    last: datetime | None


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Does what `options.action` says."""
    actions = {
        "list": _list,
        "export": _export,
        "import": _import,
        "search": _search,
        "delete": _delete,
    }

    async def do() -> int:
        async with open_channels(options, environment) as channels:
            return await actions[options.action](channels, options)

    return asyncio.run(do())


async def _list(channels: ChannelService, options: argparse.Namespace) -> int:
    listed = [Listed(channel=channel, last=await _last(channels, channel)) for channel in channels.list()]
    if options.json:
        put(msgspec.json.encode(listed).decode())
        return 0
    if not listed:
        put("There are no conversations.")
    for one in listed:
        members = "" if one.channel.direct else ", ".join(one.channel.members)
        put(f"{one.channel.id}  {_when(one.last)}  {_name(one.channel):<20} {members}".rstrip())
    return 0


async def _last(channels: ChannelService, channel: Channel) -> datetime | None:
    messages = (await channels.conversation(channel.id)).messages
    return messages[-1].created_at if messages else None


async def _export(channels: ChannelService, options: argparse.Namespace) -> int:
    channel = _meant(channels, options.channel)
    form = "json" if options.format == "json" else "markdown"
    if options.output:
        path = absolute(options.output)
        try:
            await channels.export(channel.id, path, form)
        except OSError as error:
            raise CommandError(f"the file {options.output} can't be written: {error.strerror}") from error
        return 0
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        reconfigure(encoding="utf-8")  # as in a file, whatever the terminal can show
    try:
        await channels.export(channel.id, sys.stdout, form)
    except OSError as error:
        raise OutputError(error) from error
    return 0


async def _import(channels: ChannelService, options: argparse.Namespace) -> int:
    with _file(options.file) as path:
        channel = await channels.import_file(path)
    put(f"Imported as {_name(channel)}.")
    return 0


@contextmanager
def _file(name: str) -> Generator[Path]:
    """The file `name`, or one with what comes through stdin."""
    if name != STDIN:
        yield absolute(name)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "stdin.json")
        path.write_bytes(sys.stdin.buffer.read())
        yield path


async def _search(channels: ChannelService, options: argparse.Namespace) -> int:
    """1 when nothing is found, as grep does."""
    result = await _searched(channels, " ".join(options.words), options.limit)
    if options.json:
        put(msgspec.json.encode(result.found).decode())
    else:
        names = {channel.id: _name(channel) for channel in channels.list()}
        for found in result.found:
            put(_found(found, names.get(found.channel, found.channel)))
        if result.more:
            say(f"There is more: `--limit {options.limit * 2}` shows it.")
        if not result.found and not result.problem:
            say("Nothing was found.")
    if result.problem:
        say(f"sidekicks: {result.problem}")
    if not result.complete:
        say("sidekicks: not everything was looked through.")
    return 0 if result.found else 1


async def _searched(channels: ChannelService, words: str, limit: int) -> SearchResult:
    """What is found once the index has everything; it may have to be made first, which takes seconds."""
    deadline = asyncio.get_running_loop().time() + INDEX_SECONDS
    result = await channels.search(words, limit=limit)
    while not result.complete and not result.problem and asyncio.get_running_loop().time() < deadline:
        await asyncio.sleep(0.1)
        result = await channels.search(words, limit=limit)
    return result


def _found(found: Found, name: str) -> str:
    author = found.message.agent or "you"
    return f"{_when(found.message.created_at)}  {name}  {author}: {' '.join(found.snippet.split())}"


async def _delete(channels: ChannelService, options: argparse.Namespace) -> int:
    channel = _meant(channels, options.channel)
    if not options.yes:
        try:
            question = f"Delete {_name(channel)} with everything that was said in it? [y/N] "
            answer = await Terminal().ask(question)
        except NobodyError:
            raise CommandError("nobody can be asked here: `--yes` deletes it without asking") from None
        if answer.casefold() not in ("y", "yes"):
            return 1
    await channels.delete(channel.id)
    put(f"Deleted {_name(channel)}.")
    return 0


def _meant(channels: ChannelService, name: str) -> Channel:
    """The channel with this `#name`, id, or agent; a name needs its # only where an agent has the same."""
    there = channels.list()
    wanted = name.removeprefix("#").casefold()
    for channel in there:
        if channel.id == name or (channel.direct == name and not name.startswith("#")):
            return channel
    for channel in there:
        if channel.name and channel.name.casefold() == wanted:
            return channel
    names = ", ".join(_name(channel) for channel in there)
    raise CommandError(f"there is no conversation {name}" + (f"; there are {names}" if names else ""))


def _name(channel: Channel) -> str:
    return channel.direct or f"#{channel.name}"


def _when(moment: datetime | None) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment is not None else f"{'-':<16}"
