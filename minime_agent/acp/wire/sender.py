"""The sending half of a connection: whole lines, never interleaved, no more than the peer takes."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Literal, Protocol, TypeAlias

import msgspec

from minime_agent.acp.wire.decode import scrub
from minime_agent.acp.wire.errors import ConnectionClosedError, ErrorObject

Id: TypeAlias = int | str
CLOSE_TIMEOUT = 1.0
"""Seconds that a peer has to read what is still to be written when the connection is closed."""


class ByteWriter(Protocol):
    """Where bytes go; `asyncio.StreamWriter` is one."""

    def write(self, data: bytes, /) -> None:
        """Takes all of `data` at once."""
        ...

    async def drain(self) -> None:
        """Waits while too much is waiting to be written."""
        ...

    def close(self) -> None:
        """Closes the stream once everything is written."""
        ...

    async def wait_closed(self) -> None:
        """Waits until it is closed."""
        ...


class _Call(msgspec.Struct, omit_defaults=True):
    method: str
    params: object
    jsonrpc: str
    id: int | None = None


class _Answer(msgspec.Struct):
    id: Id
    result: object
    jsonrpc: str = "2.0"


class _Error(msgspec.Struct):
    id: Id
    error: ErrorObject
    jsonrpc: str = "2.0"


_encoder = msgspec.json.Encoder()


def _encode(message: msgspec.Struct) -> bytes:
    try:
        return _encoder.encode(message)
    except UnicodeEncodeError:  # a lone surrogate, from a file name or a model
        return _encoder.encode(scrub(msgspec.to_builtins(message)))


class Sender:
    """Encodes messages and writes them."""

    def __init__(
        self, writer: ByteWriter, peer: str, trace: Callable[[Literal["in", "out"], bytes], None] | None
    ) -> None:
        self._writer = writer
        self._peer = peer
        self._trace = trace
        self._waiting = 0
        self._closing: asyncio.Task[None] | None = None

    @property
    def congested(self) -> bool:
        """Whether someone waits for the peer to read."""
        return self._waiting > 0

    def message(self, method: str, params: object, number: int | None = None) -> bytes:
        """A notification, or with a number a request, as a line without its end."""
        return _encode(_Call(method, {} if params is None else params, "2.0", number))

    def answer(self, number: Id, result: object) -> bytes:
        """An answer as a line without its end."""
        return _encode(_Answer(number, {} if result is None else result))

    def error(self, number: Id, error: ErrorObject) -> bytes:
        """An error as a line without its end."""
        return _encode(_Error(number, error))

    def put(self, line: bytes) -> None:
        """Writes without waiting: only for what is small and rare."""
        if self._trace is not None:
            self._trace("out", line)
        self._writer.write(line + b"\n")

    async def send(self, line: bytes) -> None:
        """Writes, and waits while the peer doesn't read.

        Raises:
            ConnectionClosedError: the peer is gone.
        """
        self._waiting += 1
        try:
            self.put(line)
            await self._writer.drain()
        except (OSError, RuntimeError) as error:
            raise ConnectionClosedError(f"{self._peer} does not read any more ({error})") from error
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """Closes the output; what was written is still delivered if the peer reads it soon."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(), name=f"close {self._peer}")
        await asyncio.shield(self._closing)

    async def _close(self) -> None:
        with contextlib.suppress(OSError, RuntimeError):
            self._writer.close()
            try:
                async with asyncio.timeout(CLOSE_TIMEOUT):
                    await self._writer.wait_closed()
            except TimeoutError:
                transport = getattr(self._writer, "transport", None)
                if isinstance(transport, asyncio.WriteTransport):
                    transport.abort()
                    await asyncio.sleep(0)  # in which the transport lets go of its socket
