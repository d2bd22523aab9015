"""The group of processes that an agent is: the one place where the platforms differ.

POSIX: a session of its own, so that signals reach whatever the agent started. Windows: a job object, which
also ends everything in it when this program is gone.

What has left the group (`setsid`: agents start the commands of tools like that, to end them together) is not
reached by its signals. An agent that ends when its input does has ended those itself, or left them on
purpose: a browser, a server. One that has to be ended could not: they are traced by their parents and ended
with it (only on Linux). One whose parents are gone can't be told from any other program and is left alone.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class Group(Protocol):
    """The processes of one agent. Signals to a group that is gone do nothing."""

    def alive(self) -> bool:
        """Whether any process of it still runs."""
        ...

    def trace(self) -> None:
        """Those that have left it and still have their parents belong to it from now on."""
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


def spawn_options() -> dict[str, Any]:
    """What to give to the subprocess call so that the process begins a group."""
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW}
    return {"start_new_session": True}


def group_of(pid: int) -> Group:
    """The group that the process `pid`, started with `spawn_options`, leads."""
    if sys.platform == "win32":
        from sidekicks.agents.windows import JobGroup

        return JobGroup(pid)
    return ProcessGroup(pid)


class ProcessGroup:
    """A POSIX process group; its number is not given to another while a process is in it."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._gone = False
        self._strays: dict[int, int] = {}

    def alive(self) -> bool:
        """Whether any process of it still runs; one that ended and waits to be collected does not."""
        return self._group_alive() or any(self._living_strays())

    def trace(self) -> None:
        """Adds the descendants that have a group of their own; nothing where the system doesn't tell."""
        if sys.platform != "linux" or self._gone:
            return
        children: dict[int, list[_Process]] = {}
        found: list[int] = []
        for process in _processes():
            children.setdefault(process.parent, []).append(process)
            if process.group == self._number or self._strays.get(process.pid) == process.since:
                found.append(process.pid)
        seen = set(found)
        while found:
            for child in children.get(found.pop(), ()):
                if child.pid not in seen:
                    seen.add(child.pid)
                    found.append(child.pid)
                    self._strays[child.pid] = child.since

    def terminate(self) -> None:
        """SIGTERM to all."""
        self._signal_all(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL to all."""
        self._signal_all(signal.SIGKILL)

    def close(self) -> None:
        """There is nothing to let go of."""

    def _signal_all(self, number: int) -> None:
        strays = list(self._living_strays())
        if self._group_alive():
            self._signal(number)
        for pid in strays:
            try:
                os.kill(pid, number)
            except (ProcessLookupError, PermissionError):
                continue  # it ended meanwhile, or became another user's

    def _group_alive(self) -> bool:
        if not self._gone and (not self._signal(0) or not self._has_running()):
            self._gone = True
        return not self._gone

    def _living_strays(self) -> Iterator[int]:
        for pid, since in self._strays.items():
            process = _process(pid)
            if process is not None and process.since == since and process.state not in "ZX":
                yield pid

    def _signal(self, number: int) -> bool:
        try:
            os.killpg(self._number, number)
        except ProcessLookupError:
            return False
        except PermissionError:  # macOS says so of a group of which only zombies are left
            return sys.platform != "darwin"
        return True

    def _has_running(self) -> bool:
        """Linux tells zombies, which some containers never collect, from the living."""
        if sys.platform != "linux":
            return True
        return any(one.group == self._number and one.state not in "ZX" for one in _processes())


class _Process(NamedTuple):
    """`since` is when it began, in ticks: with the pid it names a process for good."""

    pid: int
    parent: int
    group: int
    state: str
    since: int


def _processes() -> Iterator[_Process]:
    """Every process, from /proc."""
    for folder in os.listdir("/proc"):  # noqa: PTH208 - a thousand Path objects a look are too many
        if folder.isdigit() and (process := _process(int(folder))) is not None:
            yield process


def _process(pid: int) -> _Process | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
    except OSError:
        return None  # it has ended
    return _Process(pid, int(fields[1]), int(fields[2]), fields[0].decode(), int(fields[19]))
