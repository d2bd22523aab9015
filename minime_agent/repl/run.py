"""Which terminal façade a terminal gets: the one with editing and live output, or plain lines."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from minime_agent import signals
from minime_agent.config.settings import Settings
from minime_agent.engine.recorder import Recorder
from minime_agent.engine.session import Session


def talk(settings: Settings, cwd: Path, recorder: Recorder | None) -> int:
    """Runs the terminal façade; returns the exit code."""
    session = Session(settings, cwd, recorder=recorder)
    with asyncio.Runner() as runner:
        try:
            if not moves_its_cursor():
                from minime_agent.repl.plain import PlainTerminal

                return PlainTerminal(session, runner).run()
            from minime_agent.repl.terminal import Terminal

            return signals.run(runner, Terminal(session).run())
        except signals.Terminated as ended:
            return ended.exit_code
        finally:
            runner.run(session.close())


def moves_its_cursor() -> bool:
    """Whether lines can be edited and redrawn: a terminal at both ends, and not a dumb one."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return False
    if sys.platform == "win32":
        from prompt_toolkit.output.windows10 import is_win_vt100_enabled

        return is_win_vt100_enabled()
    return os.environ.get("TERM", "") not in ("", "dumb", "unknown")
