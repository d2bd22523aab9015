"""The configuration in force: loaded, saved, watched, and told to whoever has to follow it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from sidekicks.bus import Bus
from sidekicks.config.errors import ConfigError, UnreadableError
from sidekicks.config.known_agents import KnownAgent, known_agents
from sidekicks.config.load import Loaded, agent_place, load
from sidekicks.config.locate import (
    Location,
    Source,
    absolute,
    locate,
    read,
    user_folder,
    with_default_file,
)
from sidekicks.config.recent import Recent
from sidekicks.config.schema import Config, schema_text
from sidekicks.config.watch import STEP_MS, watch
from sidekicks.events import ConfigChanged
from sidekicks.files import write_whole
from sidekicks.models import LanguageChoice, Model, Problem, ThemeChoice
from sidekicks.tasks import Tasks, to_the_end

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


class Dependents(Protocol):
    """What belongs to one configuration file, and ends with it: answers, agents, history."""

    async def leave(self) -> None:
        """Ends what belongs to the file."""
        ...

    async def enter(self) -> None:
        """Begins what belongs to the file that is taken now."""
        ...

    def tell(self) -> None:
        """Tells what there is now, after `config:changed`."""
        ...


class ConfigService:
    """One configuration file at a time; `open` takes another.

    The last valid configuration stays in force while the file is invalid or gone. When the file is invalid at
    the start there are no agents: starting any that it does not name would be a surprise.
    """

    def __init__(
        self, location: Location, bus: Bus, folder: Path, environment: Mapping[str, str] = os.environ
    ) -> None:
        self._bus = bus
        self._environment = environment
        self._recent = Recent(folder)
        self._tasks = Tasks()
        self._watcher: asyncio.Task[None] | None = None
        self._step_ms = STEP_MS
        self._closed = False
        self._opening = asyncio.Lock()
        self._dependents: Dependents | None = None
        self._followers: list[Callable[[Config], None]] = []
        self.history_problem = ""
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
            warnings=(*_gone(self._location), *self._loaded.warnings),
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
        path = self.path  # another file may be opened meanwhile: the text is not meant for that
        loaded = self._load(text)
        if loaded.problems:
            return loaded.problems
        try:
            data = _with_line_ends_of(path, text).encode()
            await asyncio.to_thread(write_whole, path, data)  # the disk may take longer than a frame
        except OSError as error:
            message = f"the file {path} can't be written: {error.strerror}"
            return (Problem(line=1, column=1, message=message),)
        await self.reload()
        return ()

    def schema(self) -> str:
        """The JSON Schema of the file, as JSON."""
        return schema_text()

    def agent_place(self, text: str, name: str) -> tuple[int, int] | None:
        """Line and column, 1-based, of an agent's name in `text`; None where that has no such entry."""
        return agent_place(text, name)

    def known_agents(self) -> tuple[KnownAgent, ...]:
        """Agents that many people use, those that are installed here first."""
        return known_agents()

    def recent(self) -> tuple[str, ...]:
        """The files opened in the app, at most 8, newest first."""
        return tuple(str(path) for path in self._recent.files())

    def on_change(self, follower: Callable[[Config], None]) -> None:
        """Calls `follower` with each configuration that comes into force. It must be quick and not raise."""
        self._followers.append(follower)

    async def reload(self) -> None:
        """Reads the file again; when it says something else than before, follows it and tells so."""
        former = self._text
        self._read()
        if self._text == former:
            return
        before = self._config
        if self._loaded.config is not None:
            self._config = self._loaded.config
        if self._config != before:
            self._follow_config()
        self._tell()

    def watch(self, step_ms: int = STEP_MS) -> None:
        """Follows changes of the file from now on, and of those that are opened later; needs an event loop.

        A change is told a few steps after it: see `watch.watch`.
        """
        if self._watcher is not None:
            self._watcher.cancel()
        self._step_ms = step_ms
        self._watcher = self._tasks.start(
            watch(self.path, self.reload, step_ms=step_ms), "configuration watcher"
        )

    # -- another file --------------------------------------------------------------------------------

    def serve(self, dependents: Dependents) -> None:
        """`dependents` end before another file is opened, and begin with it."""
        self._dependents = dependents

    def report_history(self, problem: str) -> None:
        """Keeps why the history is not as it should be, and tells that there is something new to look at."""
        self.history_problem = problem
        self._tell()

    async def open(self, path: str | os.PathLike[str]) -> None:
        """Stops answers and all agents, closes the history, takes the file `path` with its own, remembers it.

        An invalid file is opened with its problems and without agents, as at the start. The file that is open
        already is opened anew. Of several at once, one follows the other. It is done to its end, also when
        whoever asked is cancelled: there is never half a file. (`choose` is the window's: a dialog that does
        not block, then this.)

        Raises:
            UnreadableError: there is no such file, or no text in it; the former stays wholly in force.
            ConfigError: everything is being closed.
        """
        await to_the_end(asyncio.ensure_future(self._open(absolute(os.fspath(path)))))

    async def _open(self, path: Path) -> None:
        async with self._opening:
            if self._closed:
                raise ConfigError("Sidekicks is closing")
            read(path)
            await self._tasks.close()
            await self._leave()
            self.history_problem = ""
            self._take(Location(path=path, source="remembered"))
            if self._dependents is not None:
                await self._dependents.enter()
            self._follow_config()
            await asyncio.to_thread(self._recent.add, path)
            self._tell()
            if self._dependents is not None:
                self._dependents.tell()
            if self._watcher is not None:
                self.watch(self._step_ms)

    async def _leave(self) -> None:
        try:
            if self._dependents is not None:
                await self._dependents.leave()
        except Exception:
            log.exception("what belonged to %s did not end well", self.path)  # the next file is opened anyway

    async def close(self) -> None:
        """Ends the watching; a file that is being opened is open then, and no other is any more."""
        self._closed = True
        async with self._opening:
            await self._tasks.close()

    def _follow_config(self) -> None:
        for follower in self._followers:
            follower(self._config)

    def _tell(self) -> None:
        self._bus.publish(
            ConfigChanged(
                path=str(self.path), valid=not self._loaded.problems, problems=self._loaded.problems
            )
        )

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


def _gone(location: Location) -> tuple[Problem, ...]:
    """A word about the file that would have been used, but is gone."""
    if location.instead_of is None:
        return ()
    message = f"the file opened last, {location.instead_of}, is gone; this is the default one"
    return (Problem(line=1, column=1, message=message, warning=True),)
