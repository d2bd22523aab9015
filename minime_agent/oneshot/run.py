"""One question, one answer, an exit code."""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

from minime_agent import signals
from minime_agent.config.settings import Settings
from minime_agent.engine.errors import ModelError, Stuck
from minime_agent.engine.recorder import Recorder
from minime_agent.engine.session import Session
from minime_agent.oneshot.output import Output, OutputError, OutputFormat

FAILED = 1


def answer(
    settings: Settings, cwd: Path, text: str, form: OutputFormat, recorder: Recorder | None = None
) -> int:
    """Asks `text`; 0 only for a whole answer, 128 and its number after a signal, otherwise 1."""
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        # A pipe on Windows, or LC_ALL=C, has no place for most of what models write.
        reconfigure(errors="replace")
    output = Output(form, session=recorder.file.tree.header if recorder else None)

    async def turn() -> int:
        session = Session(settings, cwd, recorder=recorder)
        output.begin(text)
        try:
            outcome = await session.prompt(text, output)
        except (ModelError, Stuck) as error:
            output.failed(str(error))
            return FAILED
        finally:
            await session.close()
        output.finished(outcome)
        return 0 if outcome.stop == "end_turn" else FAILED

    try:
        with asyncio.Runner() as runner:
            return signals.run(runner, turn())
    except KeyboardInterrupt:
        output.failed("interrupted")
        return signals.INTERRUPTED
    except signals.Terminated as ended:
        output.failed(str(ended))
        return ended.exit_code
    except OutputError as error:
        # What Python still flushes at its end has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error.reason, BrokenPipeError):
            sys.stderr.write(f"mm: the answer can't be written: {error.reason.strerror}\n")
        return FAILED
