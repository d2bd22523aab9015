"""The conversation where the cursor can't move: read a line, run a turn, until the person leaves."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from contextlib import suppress

from minime_agent import signals
from minime_agent.engine.errors import ModelError, Stuck
from minime_agent.engine.session import Session
from minime_agent.repl.actions import Actions
from minime_agent.repl.commands import command
from minime_agent.repl.printer import Printer

PROMPT = "> "


class PlainTerminal:
    """One session, line by line. Lines are read outside the event loop: Ctrl+C is the terminal's."""

    def __init__(self, session: Session, runner: asyncio.Runner) -> None:
        with suppress(ImportError):  # Windows has none: its console edits lines itself
            import readline  # noqa: F401  # pyright: ignore[reportUnusedImport] (gives `input` line editing)
        self._session = session
        self._runner = runner
        self._printer = Printer(sys.stdout, session.settings.preview_lines)
        self._actions = Actions(session, self._printer)

    def run(self) -> int:
        """Runs until Ctrl+D or /quit; returns the exit code. Raises `Terminated`."""
        self._printer.say("mm: /help lists the commands, Ctrl+C stops, Ctrl+D leaves")
        self._guarded(self._actions.describe())
        while (line := self._read()) is not None:
            if not self._take(line.strip()):
                break
        return 0

    def _read(self) -> str | None:
        """One line; None at the end. Ctrl+C throws the line away."""
        while True:
            try:
                return input(PROMPT)
            except KeyboardInterrupt:
                sys.stdout.write("\n")
            except EOFError:
                sys.stdout.write("\n")
                return None

    def _take(self, line: str) -> bool:
        """Runs a command or a turn; False means that the person leaves."""
        if not line:
            return True
        wanted = command(line)
        if wanted is not None and wanted.name == "quit":
            return False
        if wanted is None or self._actions.is_question(wanted):
            self._guarded(self._session.prompt(line, self._printer))
        else:
            self._guarded(self._actions.run(wanted))
        return True

    def _guarded(self, work: Coroutine[object, object, object]) -> None:
        """Runs work that Ctrl+C may stop; the session goes on."""

        async def whole() -> int:
            await work
            return 0

        try:
            signals.run(self._runner, whole())
        except KeyboardInterrupt:
            self._printer.say("stopped")
        except (ModelError, Stuck) as error:
            self._printer.say(str(error))
        self._printer.end()
