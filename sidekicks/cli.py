"""The command line: the window, and the commands without one, each imported when it runs."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Mapping, Sequence

from sidekicks.version import VERSION


def main(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> int:
    """Runs what `arguments` (without the program's name) ask for; answers with the exit code.

    0: done; 1: it did not work, or an invalid configuration; 2: wrong usage.
    """
    if arguments[:1] == ["mm"]:
        # A packaged Sidekicks is one program: this is how it starts the bundled agent.
        sys.argv = list(arguments)
        runpy.run_module("minime_agent", run_name="__main__", alter_sys=True)
        return 0
    options = _parser().parse_args(arguments)
    if options.command == "check":
        return _check(options, environment)
    if options.command == "ask":
        from sidekicks.ask import run

        return run(options)
    return _window(options, environment)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sidekicks",
        description="One window, several coding agents. Without a command, opens the window.",
    )
    parser.add_argument("--version", action="version", version=f"sidekicks {VERSION}")
    _add_places(parser, "")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    check = commands.add_parser("check", help="say what is wrong with a configuration file, and where")
    check.add_argument("file", nargs="?", default="", metavar="FILE", help="default: the file that is in use")
    _add_places(check, argparse.SUPPRESS)

    ask = commands.add_parser("ask", help="send a message, print the answer as it comes")
    ask.add_argument(
        "target", metavar="AGENT|#CHANNEL", help="an agent's name, or a channel's with # before it"
    )
    ask.add_argument("text", metavar="TEXT", help="the message")
    ask.add_argument("--json", action="store_true", help="print events, one JSON object a line")
    ask.add_argument(
        "--allow",
        choices=["once", "reject"],
        default=None,
        help="the answer to permission requests; without it they are asked, or rejected without a terminal",
    )
    _add_places(ask, argparse.SUPPRESS)
    return parser


def _add_places(parser: argparse.ArgumentParser, default: str) -> None:
    """The options of every command: `SUPPRESS` keeps a command from undoing what was given before it."""
    parser.add_argument("--config", default=default, metavar="FILE", help="the configuration file")
    parser.add_argument("--data-dir", default=default, metavar="FOLDER", help="where the histories are kept")


def _check(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from sidekicks.config.load import Loaded, load
    from sidekicks.config.locate import UnreadableError, absolute, locate, read, user_folder
    from sidekicks.config.recent import Recent

    folder = user_folder()
    path = absolute(options.file) if options.file else None
    path = path or locate(options.config, environment, Recent(folder).newest(), folder).path
    try:
        loaded = load(read(path), path.parent, environment)
    except UnreadableError as error:
        loaded = Loaded(config=None, problems=(error.problem,))
    shown = options.file or options.config or path
    for problem in sorted([*loaded.problems, *loaded.warnings], key=lambda found: (found.line, found.column)):
        kind = "warning: " if problem.warning else ""
        print(f"{shown}:{problem.line}:{problem.column}: {kind}{problem.message}")
    return 1 if loaded.problems else 0


def _window(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    if _has_no_display(environment):
        print(
            "sidekicks: there is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set);"
            " `sidekicks ask AGENT TEXT` needs none.",
            file=sys.stderr,
        )
        return 1
    from sidekicks.app import run

    return run(options.config or None, options.data_dir or None)


def _has_no_display(environment: Mapping[str, str]) -> bool:
    """Whether Qt would find no screen and abort. Other systems than Linux always have one."""
    names = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
    return sys.platform == "linux" and not any(environment.get(name) for name in names)
