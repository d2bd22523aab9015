"""The configuration in force: loaded, saved, watched, and told to whoever has to follow it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path

from sidekicks.bus import Bus
from sidekicks.config.load import Loaded, load
from sidekicks.config.locate import (
    Location,
    Source,
    UnreadableError,
    absolute,
    locate,
    read,
    user_folder,
    with_default_file,
)
from sidekicks.config.recent import Recent
from sidekicks.config.schema import Config, schema_text
from sidekicks.events import ConfigChanged
from sidekicks.files import write_whole
from sidekicks.models import LanguageChoice, Model, Problem, ThemeChoice
from sidekicks.tasks import Tasks

log = logging.getLogger(__name__)


class Current(Model, frozen=True):
    """What there is to say about the configuration. `valid` and `problems` are those of the file.

    `theme` and `language` are those in force. `history_problem` says why the history is not as it should be.
    """

    path: str
    source: Source
    created: bool
    valid: bool
    problems: tuple[Problem, ...]
    warnings: tuple[Problem, ...]
    theme: ThemeChoice
    language: LanguageChoice
    history_problem: str


class ConfigService:
    """One configuration file at a time; `switch` takes another.

    The last valid configuration stays in force while the file is invalid or gone. When the file is invalid at
    the start there are no agents: starting any that it does not name would be a surprise.
    """

    def __init__(
        self, location: Location, bus: Bus, folder: Path, environment: Mapping[str, str] = os.environ
    ) -> None:
        self.history_problem = ""
        self._bus = bus
        self._environment = environment
        self._recent = Recent(folder)
        self._tasks = Tasks()
        self._watching = False
        self._followers: list[Callable[[Config], None]] = []
        self._take(location)

    @classmethod
    def find(
        cls, flag: str, bus: Bus, *, folder: Path | None = None, environment: Mapping[str, str] = os.environ
    ) -> ConfigService:
        """The service for the file that `--config`, the environment or the last time asks for.

        The default file is made when it is missing. `folder` is that of Sidekicks in the user's configuration
        folder.
        """
        folder = folder or user_folder()
        location = locate(flag, environment, Recent(folder).newest(), folder)
        return cls(with_default_file(location), bus, folder, environment)

    @property
    def config(self) -> Config:
        """The configuration in force: the last valid one."""
        return self._config

    @property
    def path(self) -> Path:
        """The absolute path of the file."""
        return self._location.path

    def current(self) -> Current:
        """How things are."""
        return Current(
            path=str(self._location.path),
            source=self._location.source,
            created=self._location.created,
            valid=not self._loaded.problems,
            problems=self._loaded.problems,
            warnings=self._loaded.warnings,
            theme=self._config.theme,
            language=self._config.language,
            history_problem=self.history_problem,
        )

    def content(self) -> str:
        """The text of the file as it is now; empty when it can't be read."""
        try:
            return read(self.path)
        except UnreadableError as error:
            log.warning("%s", error)
            return ""

    def validate(self, text: str) -> tuple[Problem, ...]:
        """Problems and warnings of `text`, by their places, as if it were the file's."""
        loaded = self._load(text)
        found = [*loaded.problems, *loaded.warnings]
        return tuple(sorted(found, key=lambda problem: (problem.line, problem.column)))

    async def save(self, text: str) -> tuple[Problem, ...]:
        """Writes `text` and puts it in force; when it is invalid, answers with why and writes nothing."""
        loaded = self._load(text)
        if loaded.problems:
            return loaded.problems
        try:
            data = _with_line_ends_of(self.path, text).encode()
            await asyncio.to_thread(write_whole, self.path, data)  # the disk may take longer than a frame
        except OSError as error:
            message = f"the file {self.path} can't be written: {error.strerror}"
            return (Problem(line=1, column=1, message=message),)
        await self.reload()
        return ()

    def schema(self) -> str:
        """The JSON Schema of the file, as JSON."""
        return schema_text()

    def recent(self) -> tuple[str, ...]:
        """The files opened in the app, at most 8, newest first."""
        return tuple(str(path) for path in self._recent.files())

    def on_change(self, follower: Callable[[Config], None]) -> None:
        """Calls `follower` with each configuration that comes into force. It must be quick and not raise."""
        self._followers.append(follower)

    async def reload(self) -> None:
        """Reads the file again; when it says something else than before, tells so."""
        former = self._text
        self._read()
        if self._text == former:
            return
        before = self._config
        if self._loaded.config is not None:
            self._config = self._loaded.config
        self._bus.publish(
            ConfigChanged(
                path=str(self.path), valid=not self._loaded.problems, problems=self._loaded.problems
            )
        )
        if self._config != before:
            for follower in self._followers:
                follower(self._config)

    def watch(self) -> None:
        """Follows changes of the file from now on; needs a running event loop."""
        self._watching = True
        self._tasks.start(self._follow(), "configuration watcher")

    async def switch(self, path: Path) -> None:
        """Takes another file, and remembers it; whoever calls has stopped what belongs to the former one.

        Raises `UnreadableError`, and keeps the former, when there is nothing to read.
        """
        path = absolute(str(path))
        read(path)
        await self._tasks.close()
        self._recent.add(path)
        self._take(Location(path=path, source="remembered"))
        self.history_problem = ""
        if self._watching:
            self.watch()
        self._bus.publish(
            ConfigChanged(path=str(path), valid=not self._loaded.problems, problems=self._loaded.problems)
        )
        for follower in self._followers:
            follower(self._config)

    async def close(self) -> None:
        """Ends the watching."""
        await self._tasks.close()

    async def _follow(self) -> None:
        from sidekicks.config.watch import watch

        await watch(self.path, self.reload)

    def _take(self, location: Location) -> None:
        self._location = location
        self._read()
        self._config = self._loaded.config or Config()

    def _read(self) -> None:
        try:
            self._text: str | None = read(self.path)
        except UnreadableError as error:
            self._text = None
            self._loaded = Loaded(config=None, problems=(error.problem,))
        else:
            self._loaded = self._load(self._text)

    def _load(self, text: str) -> Loaded:
        return load(text, self.path.parent, self._environment)


def _with_line_ends_of(path: Path, text: str) -> str:
    """`text` with the line ends that the file has: an editor's widget knows only one kind."""
    try:
        has_crlf = "\r\n" in read(path)
    except UnreadableError:
        return text
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if has_crlf else text
