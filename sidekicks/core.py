"""The core, wired: configuration, agents, channels, history and the bus between them. No Qt."""

from __future__ import annotations

import asyncio
import logging
import os
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from pathlib import Path
from types import TracebackType

from sidekicks.acp.errors import AgentFailureError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.service import ChannelService
from sidekicks.config.bundled import resolve_command
from sidekicks.config.errors import ConfigError
from sidekicks.config.locate import histories_folder, protocol_folder
from sidekicks.config.schema import Config
from sidekicks.config.service import ConfigService
from sidekicks.events import ChannelsChanged
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.open import data_path, open_history
from sidekicks.history.port import History, HistoryError
from sidekicks.tasks import to_the_end

log = logging.getLogger(__name__)

REFUSALS: tuple[type[Exception], ...] = (ChannelError, AgentFailureError, HistoryError, ConfigError)
"""What the services raise with one sentence for the user."""


class Services:
    """Agents, channels and history of one configuration file."""

    def __init__(self, bus: Bus, history: History, protocol_folder: Path) -> None:
        self.agents = AgentService(bus, resolve_command, protocol_folder=protocol_folder)
        self.channels = ChannelService(bus, self.agents, history)
        self._history = history

    async def close(self) -> None:
        """Ends the answers, stops every agent and closes the store; each also when another one fails."""
        async with AsyncExitStack() as stack:
            stack.push_async_callback(self._history.close)
            stack.push_async_callback(self.agents.close)
            stack.push_async_callback(self.channels.close)


class Core:
    """What the window and the command line use.

    `config` and `events` stay the same. `agents` and `channels` are those of the configuration file that is
    open: `open` puts others in their place, so that nothing of one file gets into another, and whoever uses
    them reads them here each time. `config:changed` and then `channels:changed` tell that they are others;
    the former ones refuse everything.
    """

    refusals = REFUSALS
    agents: AgentService
    channels: ChannelService
    keeps_history = False
    """Whether what is said is there again after a restart; not so where the store can't be used."""

    def __init__(self, config: ConfigService, events: Bus, histories: Path) -> None:
        self.config = config
        self.events = events
        self._histories = histories
        self._services: Services | None = None
        config.serve(self)
        config.on_change(self._follow)

    async def open(self, path: str | os.PathLike[str]) -> None:
        """Takes another configuration file: see `ConfigService.open`."""
        await self.config.open(path)

    async def enter(self) -> None:
        """Begins with the configuration in force and its history, with one in memory when that fails."""
        history, self.config.history_problem = await open_history(self._folder, self.config.report_history)
        try:
            await self._begin(history)
        except HistoryError as error:
            log.warning("the history in %s can't be read: %s", self._folder, error)
            self.config.history_problem = (
                f"This session's history is kept in memory only, until Sidekicks is closed: {error}"
            )
            await self._begin(MemoryHistory())

    async def leave(self) -> None:
        """Ends the answers, stops every agent and closes the history."""
        if self._services is not None:
            services, self._services = self._services, None
            await services.close()

    def tell(self) -> None:
        """Tells which channels there are."""
        self.events.publish(ChannelsChanged(channels=self.channels.list()))

    async def close(self) -> None:
        """Ends everything; nothing is left of it then."""
        try:
            await self.config.close()
        finally:
            await self.leave()
            self.events.close()

    @property
    def _folder(self) -> Path:
        """Where the history of the configuration in force is."""
        return data_path(self.config.path, self._histories)

    async def _begin(self, history: History) -> None:
        services = Services(self.events, history, protocol_folder(self._folder))
        try:
            await services.channels.load()
        except BaseException:
            await services.close()
            raise
        self._services, self.agents, self.channels = services, services.agents, services.channels
        self.keeps_history = not isinstance(history, MemoryHistory)
        self.agents.watch()
        self._follow(self.config.config)

    def _follow(self, config: Config) -> None:
        self.agents.apply(config.agents, config.limits)


def open_core(
    config: str | os.PathLike[str] | None = None, data_dir: str | os.PathLike[str] | None = None
) -> AbstractAsyncContextManager[Core]:
    """The core with the configuration file `config` and the histories in `data_dir`; None: the usual ones.

    On leaving, whatever the caller did, every agent is stopped and the store closed.
    """
    return _Opening(str(config) if config is not None else "", str(data_dir) if data_dir is not None else "")


class _Opening(AbstractAsyncContextManager[Core]):
    """No generator: asyncio closes those that were left behind all at once, whichever needs the other."""

    def __init__(self, config: str, data_dir: str) -> None:
        self._config = config
        self._data_dir = data_dir

    async def __aenter__(self) -> Core:
        bus = Bus()
        settings = ConfigService.find(self._config, bus)
        histories = histories_folder(self._data_dir, os.environ)
        self._core = Core(settings, bus, histories)
        try:
            await self._core.enter()
        except BaseException:
            await to_the_end(asyncio.ensure_future(self._core.close()))
            raise
        settings.watch()
        return self._core

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await to_the_end(self._core.close())
