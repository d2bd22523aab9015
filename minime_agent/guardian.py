"""Ends what a program started when it is killed and can do nothing itself any more.

The stdin of what it started is closed then, but some don't care, and none ends its own children. So a tiny
shell waits at the other end of a pipe, is told which process groups there are, and ends those when the pipe
breaks. A parent-death signal would reach the children alone, not what those started, and only on Linux.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import IO

# `kill -TERM -- -1` is an error in dash, `kill -s TERM -- -1` is right in every shell.
_SCRIPT = """
trap '' INT TERM HUP
groups=
while read -r what group; do
  kept=
  for known in $groups; do [ "$known" = "$group" ] || kept="$kept $known"; done
  groups=$kept
  [ "$what" = + ] && groups="$groups $group"
done
[ -z "$groups" ] && exit
sleep 1
for group in $groups; do kill -s TERM -- "-$group"; done
sleep 3
for group in $groups; do kill -s KILL -- "-$group"; done
"""


class Guardian:
    """Knows the process groups that run. On Windows it does nothing: job objects do its work there."""

    def __init__(self) -> None:
        self._groups: set[int] = set()
        self._shell: subprocess.Popen[bytes] | None = None

    def watch(self, group: int) -> None:
        """The group must not outlive this program."""
        self._groups.add(group)
        self._tell("+", group)

    def forget(self, group: int) -> None:
        """The group is gone."""
        self._groups.discard(group)
        self._tell("-", group)

    def close(self) -> None:
        """Ends the guardian; whatever is not forgotten yet ends with it."""
        shell, self._shell = self._shell, None
        if shell is not None:
            _pipe(shell).close()
            shell.wait()

    def _tell(self, what: str, group: int) -> None:
        if sys.platform == "win32":
            return
        if self._shell is None or self._shell.poll() is not None:
            self._shell = _start()
            told = "".join(f"+ {known}\n" for known in self._groups)
        else:
            told = f"{what} {group}\n"
        with contextlib.suppress(BrokenPipeError):  # killed just now: the next one is told all
            _pipe(self._shell).write(told.encode())


def _start() -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["/bin/sh", "-c", _SCRIPT],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        bufsize=0,
        cwd="/",
        env={"PATH": "/usr/bin:/bin"},
    )


def _pipe(shell: subprocess.Popen[bytes]) -> IO[bytes]:
    assert shell.stdin is not None
    return shell.stdin
