"""The text that comes through a pipe."""

from __future__ import annotations

import os
import stat
import sys
import threading

_PATIENCE = 1.0


def is_piped() -> bool:
    """Whether stdin is a pipe or a file rather than a person, a socket or nothing."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError, AttributeError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def piped_text(*, wait: bool) -> str:
    """Everything on stdin. Without `wait` a pipe on which nothing comes within a second is left alone:
    programs that start mm often leave theirs open, and would wait for ever.
    """
    received: list[bytes] = []
    began, ended = threading.Event(), threading.Event()

    def read() -> None:
        while data := os.read(sys.stdin.fileno(), 1 << 16):
            received.append(data)
            began.set()
        ended.set()
        began.set()

    threading.Thread(target=read, daemon=True).start()
    if wait or began.wait(_PATIENCE):
        ended.wait()
    return b"".join(received).decode("utf-8", "replace")
