"""What the command line takes: every command with its options, in one place. Imports nothing that is slow."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from sidekicks.commands.names import agent_names
from sidekicks.commands.parser import Parser
from sidekicks.version import VERSION

if TYPE_CHECKING:
    Commands = argparse._SubParsersAction[Parser]  # pyright: ignore[reportPrivateUsage]  # noqa: SLF001

TOOL_KINDS = ("read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other")
SHELLS = ("bash", "zsh", "fish")


def parser() -> Parser:
    """The parser of the whole command line."""
    whole = Parser(
        prog="sidekicks",
        description="One window, several coding agents. Without a command, opens the window.",
        epilog="`sidekicks COMMAND --help` says what a command takes.",
        allow_abbrev=False,
    )
    whole.add_argument("--version", action="version", version=f"sidekicks {VERSION}")
    _add_places(whole, "")
    whole.set_defaults(parser=whole)
    commands = whole.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)
    _ask(commands)
    _agents(commands)
    _login(commands)
    _rules(commands)
    _history(commands)
    _check(commands)
    _doctor(commands)
    _completion(commands)
    return whole


def _command(commands: Commands, name: str, summary: str, more: str = "", *, rest: str = "") -> Parser:
    """One command; `more` stands below its options, and `rest` is its list of words, if it has one."""
    command = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=more,
        allow_abbrev=False,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_places(command, argparse.SUPPRESS)
    command.set_defaults(parser=command, rest=rest)
    return command


def _group(commands: Commands, name: str, summary: str, more: str = "") -> Commands:
    """A command that has commands of its own."""
    group = _command(commands, name, summary, more)
    return group.add_subparsers(dest="action", metavar="ACTION", required=True, parser_class=Parser)


def _add_places(parser: Parser, default: str) -> None:
    """The options of every command: `SUPPRESS` keeps a command from undoing what was given before it."""
    parser.add_argument("--config", default=default, metavar="FILE", help="the configuration file")
    parser.add_argument("--data-dir", default=default, metavar="FOLDER", help="where the histories are kept")


def _add_json(parser: Parser, what: str) -> None:
    parser.add_argument("--json", action="store_true", help=what)


def _completed(action: argparse.Action, words: Callable[..., list[str]]) -> None:
    """A shell that completes the argument is offered `words`; argcomplete looks for them there."""
    vars(action)["completer"] = words


def _seconds(text: str) -> float:
    seconds = float(text)
    if not 0 < seconds < float("inf"):
        raise ValueError(text)
    return seconds


# argparse names the type in its message: invalid seconds value: 'soon'.
_seconds.__name__ = "seconds"

_ASK = """\
A word `-` stands for what comes through stdin; without TEXT, stdin is the message.
#CHANNEL needs quotes in most shells. In a channel, @name says who answers.
Ctrl+C stops the answer; a second one leaves at once.

  sidekicks ask mm "What does this folder contain?" --cwd .
  sidekicks ask '#plans' --create '@codex @claude compare your plans'
  git diff | sidekicks ask claude "Review this:" -

exit codes: 0 answered; 1 failed, unavailable or refused; 2 wrong usage;
124 not done within --timeout; 130 and 143 stopped by Ctrl+C and SIGTERM"""


def _ask(commands: Commands) -> None:
    ask = _command(commands, "ask", "send a message, print the answer as it comes", _ASK, rest="text")
    target = ask.add_argument(
        "target", metavar="AGENT|#CHANNEL", help="an agent's name, or a channel's with # before it"
    )
    _completed(target, agent_names)
    ask.add_argument("text", nargs="*", metavar="TEXT", help="the message; `-` is what comes through stdin")
    _add_json(ask, "print events, one JSON object a line")
    ask.add_argument(
        "--allow",
        choices=["once", "always", "reject"],
        default=None,
        help="the answer to permission requests; without it they are asked, or rejected without a terminal",
    )
    ask.add_argument(
        "--attach",
        action="append",
        default=[],
        metavar="FILE",
        help="a file or image that goes with the message; can be given several times",
    )
    ask.add_argument("--cwd", default="", metavar="FOLDER", help="the conversation's folder from now on")
    ask.add_argument("--create", action="store_true", help="make the channel when there is none of this name")
    ask.add_argument(
        "--timeout",
        type=_seconds,
        default=None,
        metavar="SECONDS",
        help="stop what is not answered by then (exit code 124)",
    )


def _agents(commands: Commands) -> None:
    agents = _command(
        commands,
        "agents",
        "say what the configured agents are and can do",
        "Each is started, asked, and stopped again; nothing is sent to a model.\n\n"
        "exit codes: 0 all of them work; 1 one does not, or the configuration is not valid",
        rest="names",
    )
    names = agents.add_argument("names", nargs="*", metavar="NAME", help="only these agents")
    _completed(names, agent_names)
    agents.add_argument("--no-start", action="store_true", help="only list them")
    _add_json(agents, "print one JSON array")


def _login(commands: Commands) -> None:
    login = _command(
        commands,
        "login",
        "log in to an agent",
        "Without METHOD the ways to log in are listed, and you are asked which one.",
    )
    _completed(login.add_argument("agent", metavar="AGENT", help="an agent's name"), agent_names)
    login.add_argument("method", nargs="?", default="", metavar="METHOD", help="a way to log in, by its id")


def _rules(commands: Commands) -> None:
    actions = _group(commands, "rules", "show or revoke permissions that were given for good")
    listed = _command(actions, "list", "what agents may do, or may not, without being asked about")
    _add_json(listed, "print one JSON array")
    forget = _command(actions, "forget", "ask again the next time")
    _completed(forget.add_argument("agent", metavar="AGENT", help="an agent's name"), agent_names)
    forget.add_argument("kind", choices=TOOL_KINDS, metavar="KIND", help=", ".join(TOOL_KINDS))


def _history(commands: Commands) -> None:
    actions = _group(
        commands,
        "history",
        "list, export, import, search and delete conversations",
        "CHANNEL is #NAME, the name of an agent (its direct conversation), or an id of `list`.\n"
        "The window must be closed: only one program can have a history open.",
    )
    listed = _command(actions, "list", "list the conversations of this configuration")
    _add_json(listed, "print one JSON array")
    export = _command(actions, "export", "print a conversation, or write it into a file")
    _completed(export.add_argument("channel", metavar="CHANNEL", help="which one"), agent_names)
    export.add_argument("--format", choices=["md", "json"], default="md", help="Markdown (default), or JSON")
    export.add_argument("-o", "--output", default="", metavar="FILE", help="write into this file")
    imported = _command(actions, "import", "add the conversation of a file that `export --format json` wrote")
    imported.add_argument("file", metavar="FILE", help="the file; `-` is stdin")
    search = _command(actions, "search", "find messages in all conversations", rest="words")
    search.add_argument("words", nargs="+", metavar="WORD", help="messages with all of these words")
    search.add_argument("--limit", type=int, default=50, metavar="N", help="at most so many (default: 50)")
    _add_json(search, "print one JSON array")
    delete = _command(actions, "delete", "delete a conversation with everything that was said in it")
    _completed(delete.add_argument("channel", metavar="CHANNEL", help="which one"), agent_names)
    delete.add_argument("--yes", action="store_true", help="don't ask first")


def _check(commands: Commands) -> None:
    check = _command(
        commands,
        "check",
        "say what is wrong with a configuration file, and where",
        "exit codes: 0 valid, perhaps with warnings; 1 not valid",
    )
    check.add_argument(
        "file", nargs="?", default="", metavar="FILE", help="default: the file that is in use; `-` is stdin"
    )
    _add_json(check, "print one JSON object")


def _doctor(commands: Commands) -> None:
    doctor = _command(
        commands,
        "doctor",
        "check this machine, and say what to do about what is missing",
        "It starts no agent and sends nothing anywhere: model servers are looked for on this\n"
        "machine only (127.0.0.1), with one question each: which models they have.\n\n"
        "exit codes: 0 no problem, perhaps with warnings; 1 a problem",
    )
    _add_json(doctor, "print one JSON array")


def _completion(commands: Commands) -> None:
    completion = _command(
        commands,
        "completion",
        "print what makes a shell complete commands, options and agents",
        "bash:  echo 'eval \"$(sidekicks completion bash)\"' >> ~/.bashrc\n"
        "zsh:   echo 'eval \"$(sidekicks completion zsh)\"' >> ~/.zshrc   (after compinit)\n"
        "fish:  sidekicks completion fish > ~/.config/fish/completions/sidekicks.fish",
    )
    completion.add_argument("shell", choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
