"""The conversation on the terminal: read a line, run a turn, until the person leaves."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

from minime_agent import signals
from minime_agent.config.settings import Settings
from minime_agent.engine.errors import ModelError, Stuck
from minime_agent.engine.session import Session
from minime_agent.repl.commands import COMMANDS, Command, command
from minime_agent.repl.printer import Printer

PROMPT = "> "


class Terminal:
    """One session on one terminal. Lines are read outside the event loop: Ctrl+C is the terminal's."""

    def __init__(self, settings: Settings, cwd: Path, runner: asyncio.Runner) -> None:
        self._session = Session(settings, cwd)
        self._runner = runner
        self._printer = Printer(sys.stdout, settings.preview_lines)

    def run(self) -> int:
        """Runs until Ctrl+D or /quit; returns the exit code."""
        self._printer.say("mm: /help lists the commands, Ctrl+C stops, Ctrl+D leaves")
        try:
            self._guarded(self._describe())
            while (line := self._read()) is not None:
                if not self._take(line.strip()):
                    break
        except signals.Terminated:
            self._printer.end()
            return signals.TERMINATED
        finally:
            self._runner.run(self._session.close())
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
        match command(line):
            case None:
                self._guarded(self._turn(line))
            case Command(name="quit"):
                return False
            case Command(name="help"):
                for row in COMMANDS:
                    self._printer.say(f"/{row.name}: {row.what}")
            case Command(name="new"):
                self._session.forget()
                self._printer.usage = None
                self._printer.say("a new conversation")
            case Command(name="compact", argument=keep):
                self._guarded(self._compact(keep))
            case Command(name="status"):
                self._guarded(self._describe())
                self._usage()
            case unknown:
                self._printer.say(f"there is no /{unknown.name}; /help lists the commands")
        return True

    def _guarded(self, work: Coroutine[Any, Any, int]) -> None:
        """Runs work that Ctrl+C may stop; the session goes on."""
        try:
            signals.run(self._runner, work)
        except KeyboardInterrupt:
            self._printer.say("stopped")
        except (ModelError, Stuck) as error:
            self._printer.say(str(error))
        finally:
            self._printer.end()

    async def _turn(self, text: str) -> int:
        await self._session.prompt(text, self._printer)
        return 0

    async def _compact(self, keep: str) -> int:
        await self._session.compact(self._printer, keep)
        return 0

    async def _describe(self) -> int:
        self._printer.say(await self._session.describe(self._printer))
        return 0

    def _usage(self) -> None:
        if (usage := self._printer.usage) is None:
            return
        of = f" of {usage.window}" if usage.window else ""
        cached = round(100 * usage.cached_tokens / usage.prompt_tokens) if usage.prompt_tokens else 0
        speeds = "".join(
            f", {name} {speed:.0f} tokens/s"
            for name, speed in (("prefill", usage.prefill_speed), ("decode", usage.decode_speed))
            if speed is not None
        )
        self._printer.say(
            f"last request: {usage.prompt_tokens}{of} tokens, {cached} % from the cache, "
            f"answer {usage.completion_tokens}{speeds}"
        )


def talk(settings: Settings, cwd: Path) -> int:
    """Runs the terminal façade; returns the exit code."""
    with suppress(ImportError):  # Windows has none: its console edits lines itself
        import readline  # noqa: F401  # pyright: ignore[reportUnusedImport] (gives `input` line editing)
    with asyncio.Runner() as runner:
        return Terminal(settings, cwd, runner).run()
