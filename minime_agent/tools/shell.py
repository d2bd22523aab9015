"""Which shell runs a command on this system."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping


def command_line(command: str) -> list[str]:
    """The arguments that run `command`: bash where there is one, else what the system has."""
    from shutil import which

    if sys.platform == "win32":
        if bash := which("bash"):
            return [bash, "-c", command]
        if powershell := which("pwsh") or which("powershell"):
            return [powershell, "-NoProfile", "-NonInteractive", "-Command", command]
        return [os.environ.get("COMSPEC", "cmd.exe"), "/d", "/s", "/c", command]
    return [which("bash") or "/bin/sh", "-c", command]


def environment(own: Mapping[str, str]) -> dict[str, str]:
    """The command's environment: nothing may page or ask, and `MM_API_KEY` stays with mm."""
    kept = {name: value for name, value in own.items() if name != "MM_API_KEY"}
    return kept | {"PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "TERM": "dumb"}
