"""One terminal of an agent: a command, what it has written, and how it ended."""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import signal
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from minime_agent.acp.wire.services import TerminalExitStatus
from sidekicks.acp.spawning import Running, spawn
from sidekicks.acp.terminal_text import TerminalText
from sidekicks.acp.text import Ending, Growing

LAST_WORDS = 0.25
"""Seconds that the output may still come after the command has ended; what it started may write on later."""
KILL_AFTER = 1.0
"""Seconds between SIGTERM and SIGKILL, and that a killed one is waited for."""
_LOOK_EVERY = 0.02


class Group(Protocol):
    """The processes of one command. Signals to a group that is gone do nothing."""

    def alive(self) -> bool:
        """Whether any process of it still runs."""
        ...

    def terminate(self) -> None:
        """Asks all of them to end."""
        ...

    def kill(self) -> None:
        """Ends all of them."""
        ...

    def close(self) -> None:
        """Lets go of it, once it is gone."""
        ...


class Groups(Protocol):
    """Makes commands that end as a whole, also when this program is killed."""

    def options(self) -> Mapping[str, Any]:
        """What `subprocess.Popen` needs so that a process begins a group."""
        ...

    def begun(self, pid: int) -> Group:
        """The group that this process leads; it must not outlive this program."""
        ...

    def ended(self, pid: int) -> None:
        """The group is gone."""
        ...


class Watcher(Protocol):
    """Who shows a terminal."""

    def wrote(self, text: str) -> None:
        """It has written this, escape sequences and all."""
        ...

    def ended(self, status: TerminalExitStatus) -> None:
        """Its command has ended."""
        ...


class Terminal:
    """A command that runs or has run, until it is released. `limit`: bytes of output that are kept."""

    def __init__(self, session: str, limit: int, groups: Groups) -> None:
        self.session = session
        self.status: TerminalExitStatus | None = None
        self._groups = groups
        self._ending = Ending(limit)
        self._growing = Growing()
        self._text = TerminalText(self._ending, self._growing)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._watchers: list[Watcher] = []
        self._running: Running | None = None
        self._group: Group | None = None
        self._over = asyncio.Event()

    async def run(
        self, command: Sequence[str] | str, cwd: str, env: Mapping[str, str], start: Callable[..., object]
    ) -> None:
        """Starts the command; `start` owns the task that waits for its end. Raises `OSError`."""
        options = self._groups.options()
        running = await spawn(command, cwd=cwd, env=env, options=options, on_data=self._wrote)
        self._running = running
        self._group = self._groups.begun(running.pid)
        start(self._wait(running), f"terminal {running.pid}")

    def output(self) -> tuple[str, bool]:
        """The end of what it shows as plain text, and whether its beginning is missing."""
        return self._ending.text(self._text.open)

    def show(self, watcher: Watcher) -> None:
        """From now on `watcher` is told what happens, and at once what has happened."""
        if watcher in self._watchers:
            return  # agents say again what they have said
        so_far = self._growing.text(self._text.open)
        if so_far:
            watcher.wrote(so_far)
        if self.status is not None:
            watcher.ended(self.status)
        self._watchers.append(watcher)

    async def wait(self) -> TerminalExitStatus:
        """Waits until the command has ended."""
        await self._over.wait()
        assert self.status is not None
        return self.status

    async def end(self) -> None:
        """Ends the command with all that it started; the output stays."""
        group = self._group
        if group is not None:
            group.terminate()
            await self._until_gone(group)
            if group.alive():
                group.kill()
                await self._until_gone(group)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(KILL_AFTER):
                await self._over.wait()

    async def release(self) -> None:
        """Ends the command and lets go of everything."""
        await self.end()
        self._finish(TerminalExitStatus())
        running, group, self._group = self._running, self._group, None
        if running is not None and group is not None:
            running.close()
            group.close()
            self._groups.ended(running.pid)

    async def _until_gone(self, group: Group) -> None:
        loop = asyncio.get_running_loop()
        deadline = loop.time() + KILL_AFTER
        # Nobody tells when somebody else's child has ended, so it is looked at.
        while group.alive() and loop.time() < deadline:  # noqa: ASYNC110 - see above
            await asyncio.sleep(_LOOK_EVERY)

    async def _wait(self, running: Running) -> None:
        await running.exited.wait()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_WORDS):
                await running.silent.wait()
        self._finish(_status(running.returncode))

    def _finish(self, status: TerminalExitStatus) -> None:
        if self.status is None:
            self._take(self._decoder.decode(b"", final=True))
            self.status = status
            self._over.set()
            for watcher in self._watchers:
                watcher.ended(status)

    def _wrote(self, data: bytes) -> None:
        self._take(self._decoder.decode(data))

    def _take(self, text: str) -> None:
        if text:
            self._text.feed(text)
            for watcher in self._watchers:
                watcher.wrote(text)


def _status(code: int | None) -> TerminalExitStatus:
    if code is None or code >= 0:
        return TerminalExitStatus(exit_code=code)
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = f"signal {-code}"
    return TerminalExitStatus(signal=name)
