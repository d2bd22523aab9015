"""What commands write: results on stdout, all else on stderr, and what happens when nobody takes it."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable


class CommandError(Exception):
    """A command can't do what it was asked; the message is one sentence for the user."""


class OutputError(Exception):
    """Nothing more can be written on stdout: its reader left (`| head -1`), or the disk is full."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(str(reason))
        self.reason = reason


def put(text: str, end: str = "\n") -> None:
    """Writes on stdout, at once.

    Raises:
        OutputError: stdout takes nothing more.
    """
    try:
        print(text, end=end, flush=True)
    except OSError as error:
        raise OutputError(error) from error


def say(text: str, end: str = "\n") -> None:
    """Writes on stderr, at once. Where that takes nothing there is nobody to tell."""
    with contextlib.suppress(OSError):
        print(text, end=end, file=sys.stderr, flush=True)


def guarded(command: Callable[[], int]) -> int:
    """The exit code of `command`; 1 with one sentence when it fails, or when its output is not taken."""
    _prepare()
    try:
        return _flushed(command)
    except CommandError as error:
        say(f"sidekicks: {error}")
    except OutputError as error:
        if sys.stdout is not None:
            # What Python still flushes at its end has nowhere to go.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error.reason, BrokenPipeError):
            say(f"sidekicks: the output can't be written: {error.reason.strerror}")
    return 1


def _flushed(command: Callable[[], int]) -> int:
    try:
        return command()
    finally:
        # What argparse printed (--help, --version) is still in the buffer.
        try:
            if sys.stdout is not None:
                sys.stdout.flush()
        except OSError as error:
            raise OutputError(error) from error


def _prepare() -> None:
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            # Closed by whoever started this (`>&-`): the pipe of an agent must not take its place.
            os.open(os.devnull, os.O_RDWR)
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        # A pipe on Windows, or LC_ALL=C, has no place for most of what agents write.
        reconfigure(errors="replace")
