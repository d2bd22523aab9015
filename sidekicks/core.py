"""The core, wired: configuration, agents, channels, history and the bus between them. No Qt."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

from sidekicks.acp.errors import AgentFailureError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.service import ChannelService
from sidekicks.config.bundled import resolve_command
from sidekicks.config.locate import data_folder, user_folder
from sidekicks.config.schema import Config
from sidekicks.config.service import ConfigService
from sidekicks.history.open import data_path, open_history
from sidekicks.history.port import History, HistoryError
from sidekicks.tasks import to_the_end

REFUSALS: tuple[type[Exception], ...] = (ChannelError, AgentFailureError, HistoryError)
"""What the services raise with one sentence for the user."""


class Core:
    """What the window and the command line use."""

    refusals = REFUSALS

    def __init__(
        self, config: ConfigService, agents: AgentService, channels: ChannelService, events: Bus
    ) -> None:
        self.config = config
        self.agents = agents
        self.channels = channels
        self.events = events


@asynccontextmanager
async def open_core(
    config: str | os.PathLike[str] | None = None, data_dir: str | os.PathLike[str] | None = None
) -> AsyncGenerator[Core]:
    """The core with the configuration file `config` and the histories in `data_dir`; None: the usual ones.

    On leaving, whatever the caller did, every agent is stopped and the store closed.
    """
    bus = Bus()
    async with AsyncExitStack() as stack:
        settings = ConfigService.find(str(config) if config is not None else "", bus)
        stack.push_async_callback(_to_the_end, settings)

        def on_problem(sentence: str) -> None:
            settings.history_problem = sentence

        given = data_folder(str(data_dir) if data_dir is not None else "", os.environ)
        base = given or user_folder() / "data"
        history, problem = await open_history(data_path(Path(settings.path), base), on_problem)
        stack.push_async_callback(_to_the_end, history)
        settings.history_problem = problem

        agents = AgentService(bus, resolve_command)
        stack.push_async_callback(_to_the_end, agents)
        channels = ChannelService(bus, agents, history)
        stack.push_async_callback(_to_the_end, channels)
        await channels.load()

        def follow(changed: Config) -> None:
            agents.apply(changed.agents, changed.limits)

        follow(settings.config)
        settings.on_change(follow)
        settings.watch()
        agents.watch()
        yield Core(settings, agents, channels, bus)


async def _to_the_end(part: ConfigService | AgentService | ChannelService | History) -> None:
    """Closes a part wholly, also when whoever leaves is cancelled meanwhile."""
    await to_the_end(asyncio.ensure_future(part.close()))
