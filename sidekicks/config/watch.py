"""Tells when a file has changed, whichever way it was saved."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeAlias

Stamp: TypeAlias = tuple[int, int, int] | None

# The watcher's thread looks for news this often: five times a second costs nothing one can measure.
STEP_MS = 200
# Without news, the file itself is looked at: folders may be replaced, and network drives send none.
CHECK_MS = 5_000


async def watch(
    path: Path, changed: Callable[[], Awaitable[None]], *, step_ms: int = STEP_MS, check_ms: int = CHECK_MS
) -> None:
    """Calls `changed` at once, and after each change of the file `path`, until cancelled.

    It may vanish and come back, and be written in pieces: see `settled`. `step_ms` is how often the watcher
    looks for news, `check_ms` how often it looks at the file without any.
    """
    known = stamp(path)
    await changed()
    while True:
        try:
            known = await _watch_folders(path, known, changed, step_ms, check_ms)
        except FileNotFoundError:
            await asyncio.sleep(check_ms / 1000)  # not even its folder is there


def stamp(path: Path) -> Stamp:
    """What differs when the file was written or replaced; None when it is not there."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


async def _watch_folders(
    path: Path, known: Stamp, changed: Callable[[], Awaitable[None]], step_ms: int, check_ms: int
) -> Stamp:
    """Watches the folders in which a change of `path` shows: its own, and that of the file it links to.

    The watcher does not notice when another folder takes the place of one; what is then saved is seen by the
    look at the file.
    """
    # 30 ms: not while a window is filled. Its annotations name trio, which is not installed.
    await asyncio.sleep(step_ms * 5 / 1000)
    from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType] - trio's types

    known = await settled(path, known, changed, step_ms / 1000)
    target = Path(os.path.realpath(path))  # noqa: ASYNC240 - takes no time
    names = {path.name, target.name}
    async for _ in awatch(
        path.parent,
        target.parent,
        watch_filter=lambda _, name: Path(name).name in names,
        recursive=False,
        step=step_ms,
        debounce=step_ms * 4,
        rust_timeout=check_ms,
        yield_on_timeout=True,
        ignore_permission_denied=True,
    ):
        known = await settled(path, known, changed, step_ms / 1000)
    return known


async def settled(
    path: Path,
    known: Stamp,
    changed: Callable[[], Awaitable[None]],
    step: float,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> Stamp:
    """Calls `changed` when the file is no longer the `known` one; answers with its stamp.

    Not before it has stayed the same for `step` seconds: an editor may empty it first, write in pieces, or
    put another in its place.
    """
    now = stamp(path)
    before = known
    while now not in (known, before):
        await sleep(step)
        before, now = now, stamp(path)
    if now != known:
        await changed()
    return now
