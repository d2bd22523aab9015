"""Whether there is a screen to open a window on. Qt itself would end the process when there is none."""

from __future__ import annotations

import re
import socket
import sys
from collections.abc import Mapping
from pathlib import Path

_LOCAL = re.compile(r"(?:unix)?:(\d+)(?:\.\d+)?")


def missing(environment: Mapping[str, str]) -> str:
    """Why no window can be opened, or empty. Systems other than Linux always have a screen."""
    if sys.platform != "linux" or environment.get("QT_QPA_PLATFORM"):
        return ""
    display, wayland = environment.get("DISPLAY", ""), environment.get("WAYLAND_DISPLAY", "")
    if not display and not wayland:
        return "DISPLAY and WAYLAND_DISPLAY are not set"
    if wayland and _answers(Path(environment.get("XDG_RUNTIME_DIR", "/")) / wayland):
        return ""
    # A display of another machine (ssh -X) is for Qt to try.
    local = _LOCAL.fullmatch(display)
    if display and (local is None or _answers_x(local[1])):
        return ""
    return f"nothing answers at {display or wayland}"


def _answers_x(number: str) -> bool:
    place = f"/tmp/.X11-unix/X{number}"  # noqa: S108 - where X servers listen
    return _answers(place) or _answers(f"\0{place}")


def _answers(place: str | Path) -> bool:
    with socket.socket(socket.AF_UNIX) as tried:
        tried.settimeout(2)
        try:
            tried.connect(str(place))
        except OSError:
            return False
    return True
