"""The command line: the window, and the commands without one, each imported when it runs."""

from __future__ import annotations

import argparse
import gc
import os
import runpy
import sys
from collections.abc import Mapping, Sequence

from sidekicks.commands.arguments import parser
from sidekicks.commands.output import CommandError, guarded


def main(arguments: Sequence[str], environment: Mapping[str, str] = os.environ) -> int:
    """Runs what `arguments` (without the program's name) ask for; answers with the exit code.

    0: done; 1: it did not work, or an invalid configuration; 2: wrong usage. `ask` knows more of them.
    """
    if arguments[:1] == ["mm"]:
        # A packaged Sidekicks is one program: this is how it starts the bundled agent.
        sys.argv = list(arguments)
        runpy.run_module("minime_agent", run_name="__main__", alter_sys=True)
        return 0
    return guarded(lambda: _run(arguments, environment))


def _run(arguments: Sequence[str], environment: Mapping[str, str]) -> int:
    whole = parser()
    if "_ARGCOMPLETE" in environment:
        from sidekicks.commands.completion import complete

        complete(whole)
    options = whole.parse(arguments)
    if options.command:
        import logging

        # What the window would log, such as an agent's odd lines, would be noise beside what a command says.
        logging.basicConfig(level=logging.ERROR, format="sidekicks: %(message)s")
    match options.command:
        case "check":
            from sidekicks.commands.check import run
        case "ask":
            from sidekicks.commands.ask import run
        case "agents":
            from sidekicks.commands.agents import run
        case "login":
            from sidekicks.commands.login import run
        case "rules":
            from sidekicks.commands.rules import run
        case "history":
            from sidekicks.commands.history import run
        case "doctor":
            from sidekicks.commands.doctor import run
        case "completion":
            from sidekicks.commands.completion import run
        case _:
            run = _window
    return run(options, environment)


def _window(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from sidekicks.display import missing

    if why := missing(environment):
        raise CommandError(
            f"there is no display to open a window on ({why}); `sidekicks ask AGENT TEXT` needs none."
        )
    # Building a window leaves no garbage, but would be searched for it: 15 ms a time, until `app` thaws it.
    gc.disable()
    from sidekicks.app import run

    return run(options.config or None, options.data_dir or None)
