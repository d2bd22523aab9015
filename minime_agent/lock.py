"""One holder of a file's lock at a time over all processes of the user; its death frees the lock."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import time
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Whether the lock of an open file could be had at once; closing the file frees it."""
        # What is locked cannot be read by others: a byte that no file of ours reaches.
        os.lseek(handle, 0x7FFF_FFFE, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Whether the lock of an open file could be had at once; closing the file frees it."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


_RETRY = 0.02  # seconds; neither system call can wait and still be interrupted


@contextlib.contextmanager
def exclusive(path: Path) -> Generator[None]:
    """Hold the lock `path`; waits, and can be interrupted, while another process holds it."""
    with _opened(path) as handle:
        while not try_lock(handle):
            time.sleep(_RETRY)
        yield


@contextlib.asynccontextmanager
async def exclusive_async(path: Path) -> AsyncGenerator[None]:
    """As `exclusive`, without holding up the event loop; can be cancelled."""
    with _opened(path) as handle:
        while not try_lock(handle):  # noqa: ASYNC110 - no event tells of another process
            await asyncio.sleep(_RETRY)
        yield


@contextlib.contextmanager
def _opened(path: Path) -> Generator[int]:
    # Never removed: a waiter may have the old file open. Closing it frees the lock.
    handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)
