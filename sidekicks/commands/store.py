"""The stored history and its channels, for commands that read or change them without any agent."""

from __future__ import annotations

import argparse
import os
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.service import ChannelService
from sidekicks.commands.configuration import configuration
from sidekicks.commands.output import CommandError, say
from sidekicks.config.bundled import resolve_command
from sidekicks.config.locate import histories_folder
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.open import data_path, open_history
from sidekicks.history.port import History, HistoryError


@asynccontextmanager
async def open_store(
    options: argparse.Namespace, environment: Mapping[str, str] = os.environ
) -> AsyncGenerator[History]:
    """The history of the configuration file that is in use, valid or not.

    Raises:
        CommandError: it can't be opened, read or written.
    """
    history, problem = await open_history(history_folder(options, environment))
    try:
        if isinstance(history, MemoryHistory):
            raise CommandError(_closed(problem))
        if problem:
            say(f"sidekicks: {problem}")
        yield history
    except HistoryError as error:
        raise CommandError(str(error)) from error
    finally:
        await history.close()


def history_folder(options: argparse.Namespace, environment: Mapping[str, str]) -> Path:
    """Where the history of the configuration file that is in use is."""
    path = configuration(options.config, environment).path
    return data_path(path, histories_folder(options.data_dir, environment))


@asynccontextmanager
async def open_channels(
    options: argparse.Namespace, environment: Mapping[str, str] = os.environ
) -> AsyncGenerator[ChannelService]:
    """The channels of the stored history; no agent is known.

    Raises:
        CommandError: the history can't be used, or what was asked for is refused.
    """
    async with open_store(options, environment) as history:
        bus = Bus()
        agents = AgentService(bus, resolve_command)
        channels = ChannelService(bus, agents, history)
        try:
            await channels.load()
            yield channels
        except ChannelError as error:
            raise CommandError(str(error)) from error
        finally:
            await channels.close()
            await agents.close()


def _closed(problem: str) -> str:
    """Why the store is not open, which for a window would be the reason to keep its history in memory."""
    reason = problem.partition(": ")[2]
    if "another Sidekicks" in problem:
        return "the history is open in another Sidekicks: close its window, then try again."
    return f"the history can't be opened: {reason}"
