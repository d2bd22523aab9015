"""Opens a command in the terminal program of the system."""

from __future__ import annotations

import json
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QProcess, QProcessEnvironment


class Command(NamedTuple):
    """What is to be run: in the folder `cwd`, with `env` as its whole environment."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]


def in_terminal(
    argv: Sequence[str],
    cwd: str,
    platform: str = sys.platform,
    which: Callable[[str], str | None] = shutil.which,
) -> list[str]:
    """What to run so that a terminal runs `argv` in the folder `cwd`; empty where none is known."""
    if platform == "win32":
        if terminal := which("wt"):
            return [terminal, "-d", cwd, *argv]
        console = which("cmd")
        return [console, "/c", "start", "", "/d", cwd, *argv] if console else []
    if platform == "darwin":
        script = json.dumps(f"cd {shlex.quote(cwd)} && {shlex.join(argv)}", ensure_ascii=False)
        told = f'tell application "Terminal"\nactivate\ndo script {script}\nend tell'
        return [program, "-e", told] if (program := which("osascript")) else []
    return [program, "-e", *argv] if (program := which("x-terminal-emulator")) else []


def start_detached(command: Command) -> bool:
    """Starts a program that outlives this one; whether that went well."""
    environment = QProcessEnvironment()
    for name, value in command.env.items():
        environment.insert(name, value)
    process = QProcess()
    process.setProgram(command.argv[0])
    process.setArguments(list(command.argv[1:]))
    process.setWorkingDirectory(command.cwd)
    process.setProcessEnvironment(environment)
    # PySide's description of this overload names the tuple of another one.
    return bool(process.startDetached())
