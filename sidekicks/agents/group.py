"""The group of processes that an agent is: the one place where the platforms differ.

POSIX: a session of its own, so that signals reach whatever the agent started. Windows: a job object, which
also ends everything in it when this program is gone.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class Group(Protocol):
    """The processes of one agent. Signals to a group that is gone do nothing."""

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

    def alive(self) -> bool:
        """Whether any process of it still runs; one that ended and waits to be collected does not."""
        if not self._gone and (not self._signal(0) or not self._has_running()):
            self._gone = True
        return not self._gone

    def terminate(self) -> None:
        """SIGTERM to all."""
        if self.alive():
            self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """SIGKILL to all."""
        if self.alive():
            self._signal(signal.SIGKILL)

    def close(self) -> None:
        """There is nothing to let go of."""

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
        return any(group == self._number and state not in "ZX" for group, state in _processes())


def _processes() -> Iterator[tuple[int, str]]:
    """Group and state of every process, from /proc."""
    for folder in os.listdir("/proc"):  # noqa: PTH208 - a thousand Path objects a look are too many
        if folder.isdigit():
            try:
                fields = Path(f"/proc/{folder}/stat").read_bytes().rpartition(b")")[2].split()
            except OSError:
                continue  # it ended meanwhile
            yield int(fields[2]), fields[0].decode()
