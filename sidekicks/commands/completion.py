"""`sidekicks completion`: what makes a shell complete, and the answer when the shell asks.

The shells ask the program itself (argcomplete), so that agents are those of the configuration in use.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from argcomplete.finders import CompletionFinder
from argcomplete.shell_integration import shellcode

from sidekicks.commands.output import put
from sidekicks.commands.parser import Parser

PROGRAM = "sidekicks"


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Prints the script for `options.shell`."""
    del environment
    put(shellcode([PROGRAM], shell=options.shell).strip("\n"))
    return 0


def complete(parser: Parser) -> None:
    """Answers the shell that asks what could follow, and ends the program."""
    CompletionFinder()(parser, always_complete_options=False)
