"""A program and everything it started, as one group: the only place that knows how each system does it."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from contextlib import suppress
from typing import Any

_GRACE = 0.5


def spawn_options() -> dict[str, Any]:
    """Arguments of `create_subprocess_exec` that put the new program into a group of its own."""
    if sys.platform == "win32":
        import subprocess

        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}


async def end(process: asyncio.subprocess.Process) -> None:
    """Ends the whole group: politely, then, half a second later, for good; returns when it is gone."""
    if sys.platform == "win32":
        quiet = asyncio.subprocess.DEVNULL
        killer = await asyncio.create_subprocess_exec(
            "taskkill", "/T", "/F", "/PID", str(process.pid), stdout=quiet, stderr=quiet
        )
        await killer.wait()
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
        return
    _signal_group(process.pid, signal.SIGTERM)
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _GRACE)
    finally:
        # The group lives as long as any member does: this reaches children that ignored SIGTERM.
        _signal_group(process.pid, signal.SIGKILL)
    await process.wait()


def _signal_group(leader: int, number: int) -> None:
    if sys.platform != "win32":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(leader, number)
