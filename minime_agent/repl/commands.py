"""The slash commands of the terminal."""

from __future__ import annotations

import re
from typing import NamedTuple


class Command(NamedTuple):
    """A command by its name; `what` is the line of /help."""

    name: str
    what: str = ""


COMMANDS = (
    Command("help", "this list"),
    Command("new", "forget the conversation and start anew"),
    Command("status", "the model, its window, the last request"),
    Command("quit", "leave (also Ctrl+D)"),
)


def command(line: str) -> Command | None:
    """The command of a line, known or not; None when the line is for the model (a path is no command)."""
    match = re.fullmatch(r"/([a-z]+)", line)
    return Command(match[1]) if match else None
