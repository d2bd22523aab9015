"""This process's own stdin and stdout as the byte streams of a connection.

Whatever prints, prints to stderr afterwards, and nothing that is started later inherits the protocol's stdin.
Pipes and sockets go through the event loop; what it can't watch (files, `/dev/null`, consoles, everything on
Windows) through a thread each.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import queue
import stat
import sys
import threading
from typing import Final

from minime_agent.acp.wire.lines import CHUNK, ByteReader
from minime_agent.acp.wire.sender import ByteWriter

HIGH_WATER: Final = 1024 * 1024
"""Bytes that may wait for a thread to write them before `drain` waits."""


async def take_stdio() -> tuple[ByteReader, ByteWriter]:
    """Takes stdin and stdout over for a protocol; once per process."""
    incoming, outgoing = os.dup(0), os.dup(1)
    if sys.stdout is not None:  # pyright: ignore[reportUnnecessaryComparison] — None under pythonw
        sys.stdout.flush()
    _redirect()
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(incoming, os.O_BINARY)
        msvcrt.setmode(outgoing, os.O_BINARY)
    return await open_reader(incoming), await open_writer(outgoing)


def _redirect() -> None:
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    try:
        os.dup2(2, 1)
    except OSError:  # started without a stderr
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.close(nothing)


async def open_reader(fd: int) -> ByteReader:
    """The bytes of a file descriptor, which is the reader's from now on."""
    if not _watchable(fd):
        return ThreadReader(fd)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(CHUNK, loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    await loop.connect_read_pipe(lambda: protocol, os.fdopen(fd, "rb", 0))
    return reader


async def open_writer(fd: int) -> ByteWriter:
    """A writer to a file descriptor, which is the writer's from now on."""
    # Watching makes the pipe non-blocking for all who hold it, so not when stderr is the same one.
    if not _watchable(fd) or _is_stderr(fd):
        return ThreadWriter(fd)
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(CHUNK, loop)
    protocol = asyncio.StreamReaderProtocol(reader, loop=loop)
    transport, _ = await loop.connect_write_pipe(lambda: protocol, os.fdopen(fd, "wb", 0))
    return asyncio.StreamWriter(transport, protocol, None, loop)


def _watchable(fd: int) -> bool:
    mode = os.fstat(fd).st_mode
    return sys.platform != "win32" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


def _is_stderr(fd: int) -> bool:
    try:
        return os.path.sameopenfile(fd, 2)
    except OSError:
        return False


class ThreadReader:
    """Reads a blocking file descriptor in a thread, one chunk ahead."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._chunks: asyncio.Queue[bytes] = asyncio.Queue()
        self._wanted = threading.Semaphore(1)
        self._rest = b""
        self._ended = False
        threading.Thread(target=self._run, name="stdin", daemon=True).start()

    def _run(self) -> None:
        chunk = b"-"
        while chunk:
            self._wanted.acquire()
            try:
                chunk = os.read(self._fd, CHUNK)
            except OSError:
                chunk = b""
            try:
                self._loop.call_soon_threadsafe(self._chunks.put_nowait, chunk)
            except RuntimeError:  # the loop was closed meanwhile
                break
        os.close(self._fd)

    async def read(self, n: int, /) -> bytes:
        """At least one byte and at most `n`; nothing at the end."""
        if not self._rest and not self._ended:
            self._rest = await self._chunks.get()
            self._ended = not self._rest
            self._wanted.release()
        chunk, self._rest = self._rest[:n], self._rest[n:]
        return chunk


class ThreadWriter:
    """Writes to a blocking file descriptor in a thread; `drain` waits while too much is waiting."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._loop = asyncio.get_running_loop()
        self._queue: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._waiting = 0
        self._error: OSError | None = None
        self._progress = asyncio.Event()
        self._closed = asyncio.Event()
        threading.Thread(target=self._run, name="stdout", daemon=True).start()

    def _run(self) -> None:
        error: OSError | None = None
        while (data := self._queue.get()) is not None:
            try:
                view = memoryview(data)
                while view and error is None:
                    view = view[os.write(self._fd, view) :]
            except OSError as failure:
                error = failure
            self._tell(len(data), error)
        with contextlib.suppress(OSError):
            os.close(self._fd)
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._closed.set)

    def _tell(self, written: int, error: OSError | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
            self._loop.call_soon_threadsafe(self._wrote, written, error)

    def _wrote(self, written: int, error: OSError | None) -> None:
        self._waiting -= written
        self._error = error
        self._progress.set()

    def write(self, data: bytes, /) -> None:
        """Takes all of `data` at once."""
        self._waiting += len(data)
        self._queue.put(data)

    async def drain(self) -> None:
        """Waits while too much is waiting to be written; raises OSError once writing has failed."""
        while self._waiting > HIGH_WATER and self._error is None:
            self._progress.clear()
            await self._progress.wait()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """Closes the stream once everything is written."""
        self._queue.put(None)

    async def wait_closed(self) -> None:
        """Waits until it is closed."""
        await self._closed.wait()
