"""A real X server for one test, and a user at its keyboard."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

SIZE = "1600x1000x24"


@contextmanager
def x_server() -> Iterator[str]:
    """The name of a display that nobody else uses."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", SIZE, "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        with os.fdopen(reader) as said:
            number = said.readline().strip()
        try:
            yield f":{number}"
        finally:
            server.terminate()


class User:
    """Sees windows by their titles and types into them."""

    def __init__(self, display: str) -> None:
        self._environment = os.environ | {"DISPLAY": display}
        self._display = display
        self._window = ""

    def sees(self, title: str) -> None:
        """Waits for a visible window whose title matches, and turns to it."""
        found = self._xdotool("search", "--sync", "--onlyvisible", "--limit", "1", "--name", title)
        self._window = found.splitlines()[0]
        self._xdotool("windowfocus", "--sync", self._window)

    def types(self, text: str) -> None:
        """Types into the focused window."""
        self._xdotool("type", "--delay", "4", text)

    def presses(self, key: str) -> None:
        """Presses a key by its X name."""
        self._xdotool("key", key)

    def closes_the_window(self) -> None:
        """What a window manager does when its close button is clicked."""
        _delete_window(self._display, int(self._window))

    def _xdotool(self, *arguments: str) -> str:
        result = subprocess.run(
            ["xdotool", *arguments],
            env=self._environment,
            check=True,
            capture_output=True,
            text=True,
            timeout=60,
        )
        return result.stdout


class _ClientMessage(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("padding", ctypes.c_long * 24),
    )


def _delete_window(display_name: str, window: int) -> None:
    x = ctypes.CDLL(ctypes.util.find_library("X11") or "libX11.so.6")
    x.XOpenDisplay.restype = ctypes.c_void_p
    x.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x.XOpenDisplay(display_name.encode()))
    message = _ClientMessage(type=33, window=window, format=32)
    message.message_type = x.XInternAtom(display, b"WM_PROTOCOLS", 0)
    message.data[0] = x.XInternAtom(display, b"WM_DELETE_WINDOW", 0)
    x.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(message))
    x.XFlush(display)
    x.XCloseDisplay(display)
