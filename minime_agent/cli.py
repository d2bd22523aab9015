"""The command line of mm: arguments to settings to façade. Imports wait until they are needed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; returns the exit code."""
    from minime_agent.config.settings import Settings

    if "--acp" in arguments:
        from minime_agent.acp.server import serve

        return serve(Settings(), Path.cwd())
    return 2
