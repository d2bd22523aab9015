"""The machine: Python, Qt and the system libraries that it needs, the display, the disk."""

from __future__ import annotations

import ctypes
import importlib.util
import platform
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from sidekicks.commands.checkup.finding import Finding, Level
from sidekicks.display import missing
from sidekicks.resources import resource

TESTED = ((3, 11), (3, 12))
LITTLE = 500_000_000
"""Bytes of free disk space below which there is a warning; a tenth of it is a problem."""

_INSTALL = {
    "apt-get": "sudo apt install",
    "dnf": "sudo dnf install",
    "pacman": "sudo pacman -S",
    "zypper": "sudo zypper install",
}
_FOR_MODEL = "libgomp.so.1"


def python(version: tuple[int, int] = sys.version_info[:2]) -> Finding:
    """Whether this Python is one that Sidekicks is tested with."""
    message = f"{platform.python_version()} ({sys.executable})"
    if version in TESTED:
        return Finding(topic="Python", level="ok", message=message)
    advice = "Sidekicks is tested with Python 3.11 and 3.12; take one of them if something does not work"
    return Finding(topic="Python", level="warning", message=message, advice=advice)


def qt() -> Finding:
    """Whether Qt is installed; it is not loaded."""
    if importlib.util.find_spec("PySide6") is not None:
        return Finding(topic="Qt", level="ok", message="PySide6 is installed")
    advice = "`make run` installs it; the commands without a window work as they are"
    return Finding(topic="Qt", level="problem", message="PySide6 is not installed", advice=advice)


def display(environment: Mapping[str, str]) -> Finding:
    """Whether a window can be opened."""
    if forced := environment.get("QT_QPA_PLATFORM"):
        return Finding(topic="display", level="ok", message=f"QT_QPA_PLATFORM={forced}")
    if why := missing(environment):
        advice = 'run it on a desktop, or with `ssh -X`; `sidekicks ask AGENT "TEXT"` needs no display'
        return Finding(topic="display", level="warning", message=f"none ({why})", advice=advice)
    kind = "the system's"
    if sys.platform == "linux":
        wayland = environment.get("WAYLAND_DISPLAY")
        kind = f"Wayland ({wayland})" if wayland else f"X11 ({environment['DISPLAY']})"
    return Finding(topic="display", level="ok", message=kind)


def libraries(
    *,
    is_wanted: bool,
    has: Callable[[str], bool] | None = None,
    which: Callable[[str], str | None] = shutil.which,
) -> list[Finding]:
    """Which system libraries are missing; a warning when no window is `wanted`, since then few matter."""
    if sys.platform != "linux":
        return []
    table = [line.split() for line in resource("system-libraries").read_text("utf-8").splitlines()]
    rows = [row for row in table if row and row[0] != "#"]
    absent = [row for row in rows if not (has or _loads)(row[0])]
    if not absent:
        return [Finding(topic="libraries", level="ok", message=f"all {len(rows)} system libraries are there")]
    level: Level = "problem" if is_wanted and any(row[0] != _FOR_MODEL for row in absent) else "warning"
    names = ", ".join(row[0] for row in absent)
    return [
        Finding(topic="libraries", level=level, message=f"missing: {names}", advice=_install(absent, which))
    ]


def _install(absent: list[list[str]], which: Callable[[str], str | None]) -> str:
    """The line that installs the packages of the missing libraries, by the package manager that is there."""
    for column, (manager, line) in enumerate(_INSTALL.items(), start=1):
        if which(manager):
            return " ".join([line, *sorted({row[column] for row in absent})])
    return f"install them; on Debian the packages are {' '.join(sorted({row[1] for row in absent}))}"


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def disk(folder: Path, free: Callable[[Path], int] = lambda path: shutil.disk_usage(path).free) -> Finding:
    """Whether there is room for the history in `folder`, which need not exist yet."""
    there = next((path for path in (folder, *folder.parents) if path.is_dir()), Path("/"))
    left = free(there)
    message = f"{left / 1e9:.1f} GB free for {folder}"
    if left >= LITTLE:
        return Finding(topic="disk", level="ok", message=message)
    level: Level = "warning" if left >= LITTLE / 10 else "problem"
    advice = "make room, or keep the histories elsewhere with --data-dir"
    return Finding(topic="disk", level=level, message=message, advice=advice)
