"""Which program a definition's command is, and what starts the bundled agent."""

from __future__ import annotations

import os
import shutil
import sys

from sidekicks.models import AgentDefinition

BUNDLED = "mm"


def resolve_command(definition: AgentDefinition) -> list[str] | None:
    """The program and its arguments, the program as an absolute path; None when it is not found.

    The bare name `mm` is always the agent that came with this Sidekicks, run by the same Python: another
    `mm` on PATH may be of another version, and a desktop's PATH often lacks the one of the environment.
    """
    if definition.command == BUNDLED:
        return [*bundled_agent(), *definition.args]
    program = find_program(definition.command, definition.env.get("PATH"))
    return None if program is None else [program, *definition.args]


def find_program(command: str, path: str | None = None) -> str | None:
    """The absolute path of `command`, looked up on `path` or, without it, on this process's PATH."""
    program = shutil.which(command, path=path)
    return None if program is None else os.path.abspath(program)  # noqa: PTH100 - keeps links


def bundled_agent() -> list[str]:
    """What starts `mm`: this Python, or the packaged program, which runs `mm` when it is told so."""
    if getattr(sys, "frozen", False):
        return [sys.executable, BUNDLED]
    # -P: a file of the folder in which the agent works must not pass for a module of ours.
    return [sys.executable, "-P", "-m", "minime_agent"]
