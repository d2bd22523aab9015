"""The one way out: closing the window, Ctrl+C, SIGTERM, SIGHUP and the session's end all set one event."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Generator
from contextlib import contextmanager
from types import FrameType

from PySide6.QtCore import QSocketNotifier

SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name)
)


class Shutdown:
    """Remembers that someone asked the program to end, and whether it is to begin `again`."""

    def __init__(self) -> None:
        self._requested = asyncio.Event()
        self.again = False

    def request(self, *, again: bool = False) -> None:
        """Asks for the end; `again`: the program is to be started anew then."""
        self.again = self.again or again
        self._requested.set()

    async def wait(self) -> None:
        """Returns once someone has asked."""
        await self._requested.wait()


@contextmanager
def on_signals(shutdown: Shutdown) -> Generator[None]:
    """While inside, the signals that ask a program to end request the shutdown.

    Python runs its handlers only between two of its own instructions, and an idle window executes none:
    the wake-up socket makes Qt call into Python.
    """
    reader, writer = socket.socketpair()
    reader.setblocking(False)
    writer.setblocking(False)
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read)

    def drain() -> None:
        reader.recv(4096)

    def ask(_number: int, _frame: FrameType | None) -> None:
        shutdown.request()

    notifier.activated.connect(drain)
    former_fd = signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    former = {number: signal.signal(number, ask) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(former_fd)
        notifier.setEnabled(False)
        reader.close()
        writer.close()
