"""The slash commands of the terminal."""

from __future__ import annotations

import re
from typing import NamedTuple


class Command(NamedTuple):
    """A command by its name; `what` is the line of /help, `argument` what was typed after the name."""

    name: str
    what: str = ""
    argument: str = ""


COMMANDS = (
    Command("help", "this list"),
    Command("new", "forget the conversation and start anew"),
    Command("compact", "make room in the model's window; text after it says what the summary is to keep"),
    Command("tree", "the questions of this session; with a number, go back to before that one"),
    Command("fork", "with a question's number: a new session that ends before it"),
    Command("clone", "a new session that begins as this one is"),
    Command("resume", "the sessions of this folder; with a number, go on with that one"),
    Command("name", "name this session"),
    Command("model", "the models of the server; with a number or a name, go on with that one"),
    Command("tools", "which tools the model has, and how to change that"),
    Command("status", "the model, its window, the session, the last request"),
    Command("quit", "leave (also Ctrl+D)"),
)
_TAKES_TEXT = ("compact", "fork", "model", "name", "resume", "tree")


def command(line: str) -> Command | None:
    """The command of a line, known or not; None when the line is for the model (a path is no command)."""
    match = re.fullmatch(r"/([a-z]+)(?:\s+(.+))?", line)
    if match is None or (match[2] and match[1] not in _TAKES_TEXT):
        return None
    return Command(match[1], argument=match[2] or "")
