"""JSON-RPC 2.0 over a pair of byte streams, one message a line, in either role.

Everything that comes in is handled in the order in which it came, by one task: a notification is awaited, a
request is started as a task of its own (it may wait for a person), an answer is handed to whoever asked. So a
prompt's answer never overtakes its updates, and a slow handler stops the reading, which stops the peer.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Literal, Protocol, TypeAlias, TypeVar

import msgspec

from minime_agent.acp.wire import errors
from minime_agent.acp.wire.decode import DECODE_ERRORS, MAX_REPAIRED, decode, loads
from minime_agent.acp.wire.errors import (
    ConnectionClosedError,
    ErrorObject,
    InvalidResponseError,
    RequestError,
)
from minime_agent.acp.wire.lines import HEAD, MAX_LINE, ByteReader, LineReader, LineTooLong
from minime_agent.acp.wire.sender import ByteWriter, Id, Sender

log = logging.getLogger(__name__)
T = TypeVar("T")

MAX_REQUESTS = 256
"""Requests of the peer that may be waiting for an answer; more are refused."""
MAX_ABANDONED = 256
"""Answers that are still expected after nobody waits for them; older ones count as unknown."""

Trace: TypeAlias = Callable[[Literal["in", "out"], bytes], None]
OnJunk: TypeAlias = Callable[[bytes], None]


class Handler(Protocol):
    """What takes the peer's requests and notifications, `params` still as bytes (`null` if absent).

    A notification's handler must not wait for an answer over the same connection: the answer is behind it.
    """

    async def request(self, method: str, params: msgspec.Raw) -> object:
        """The result; raises RequestError to answer with an error."""
        ...

    async def notification(self, method: str, params: msgspec.Raw) -> None:
        """Takes it; raises RequestError if it makes no sense, which is reported and not answered."""
        ...


_NULL = msgspec.Raw(b"null")


class _Envelope(msgspec.Struct, gc=False):
    id: Id | None = None
    method: str | None = None
    params: msgspec.Raw = _NULL
    result: msgspec.Raw = _NULL
    error: msgspec.Raw = _NULL


class _CancelParams(msgspec.Struct, rename="camel"):
    request_id: int | str


def report_junk(start: bytes) -> None:
    """The default for `on_junk`: a warning in the log."""
    log.warning("ignored a line that is no message of the protocol: %r", start)


class Connection:
    """One connection. Begins to read with `start`; ends with `close` or when the peer is gone.

    `on_junk` gets the beginning of each line, or message, that was ignored or had to be mended. `trace` sees
    every line both ways, without its end.
    """

    def __init__(
        self,
        reader: ByteReader,
        writer: ByteWriter,
        *,
        peer: str = "the peer",
        on_junk: OnJunk = report_junk,
        trace: Trace | None = None,
        max_line: int = MAX_LINE,
    ) -> None:
        self._lines = LineReader(reader, max_line)
        self._sender = Sender(writer, peer, trace)
        self._peer = peer
        self._on_junk = on_junk
        self._trace = trace
        self._envelopes = msgspec.json.Decoder(_Envelope)
        self._next_id = 1
        self._pending: dict[int, asyncio.Future[msgspec.Raw]] = {}
        self._abandoned: dict[int, None] = {}
        self._serving: dict[Id, asyncio.Task[None]] = {}
        self._cancelled: set[asyncio.Task[None]] = set()
        self._running: set[asyncio.Task[None]] = set()
        self._loop_task: asyncio.Task[None] | None = None
        self._reason = ""

    # -- life ------------------------------------------------------------------------------------

    def start(self, handler: Handler) -> None:
        """Begins to read; needs a running event loop. Once only."""
        if self._loop_task is not None:
            raise RuntimeError("the connection was started already")
        self._loop_task = asyncio.create_task(self._read(handler), name=f"read {self._peer}")

    @property
    def closed(self) -> bool:
        """Whether nothing more can be sent or received."""
        return bool(self._reason)

    @property
    def reason(self) -> str:
        """Why it is closed, as a sentence's beginning; empty while it is open."""
        return self._reason

    async def wait_closed(self) -> str:
        """Waits until the peer is gone or the connection is closed; says why."""
        if self._loop_task is not None:
            await asyncio.wait([self._loop_task])
        return self._reason

    async def wait_answered(self) -> None:
        """Waits until no request of the peer is left without an answer."""
        while self._running:
            await asyncio.wait(self._running)

    async def close(self) -> None:
        """Ends everything: calls fail, handlers are cancelled, the output is closed, no task is left."""
        self._end("the connection was closed")
        tasks = [*self._running, *([self._loop_task] if self._loop_task else [])]
        tasks = [task for task in tasks if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        await self._sender.close()

    def _end(self, reason: str) -> None:
        if self._reason:
            return
        self._reason = reason
        pending = list(self._pending.values())
        self._pending.clear()
        for future in pending:
            if not future.done():
                future.set_exception(ConnectionClosedError(f"{self._reason} before it answered"))
        for task in self._running:
            if task is not asyncio.current_task():  # a handler may be the one that closes
                task.cancel()

    # -- out -------------------------------------------------------------------------------------

    async def notify(self, method: str, params: object = None) -> None:
        """Sends a notification; waits while the peer doesn't read.

        Raises:
            ConnectionClosedError: there is nobody to send it to.
        """
        self._check_open()
        await self._sender.send(self._sender.message(method, params))

    async def request(self, method: str, params: object, result: type[T]) -> T:
        """Sends a request and waits for its answer; `null` is read as `{}`.

        Cancelling the caller (also by `asyncio.timeout`) tells the peer with `$/cancel_request`.

        Raises:
            RequestError: the peer answered with an error.
            ConnectionClosedError, InvalidResponseError: there is no usable answer.
        """
        self._check_open()
        if asyncio.current_task() is self._loop_task:
            raise RuntimeError(f"{method}: a notification's handler can't wait for an answer")
        number = self._next_id
        self._next_id += 1
        future = asyncio.get_running_loop().create_future()
        self._pending[number] = future
        try:
            await self._sender.send(self._sender.message(method, params, number))
            answer = await future
        except asyncio.CancelledError:
            self._abandon(number)
            raise
        finally:
            self._pending.pop(number, None)
            if future.done() and not future.cancelled():
                future.exception()  # it may have failed while the sending failed
        try:
            return decode(answer, result)
        except DECODE_ERRORS as error:
            raise InvalidResponseError(
                f"{self._peer} answered {method} with something else: {error}"
            ) from error

    def _abandon(self, number: int) -> None:
        if self._pending.pop(number, None) is None or self.closed:
            return
        self._abandoned[number] = None
        if len(self._abandoned) > MAX_ABANDONED:
            del self._abandoned[next(iter(self._abandoned))]
        self._sender.put(self._sender.message("$/cancel_request", {"requestId": number}))

    def _check_open(self) -> None:
        if self._reason:
            raise ConnectionClosedError(self._reason)

    # -- in --------------------------------------------------------------------------------------

    async def _read(self, handler: Handler) -> None:
        try:
            while (lines := await self._lines.read()) is not None:
                for line in lines:
                    if isinstance(line, LineTooLong):
                        self._on_junk(line.head)
                    elif line and (message := self._parse(line)) is not None:
                        await self._take(message, line, handler)
                await asyncio.sleep(0)  # a flood must not starve the rest of the program
            self._end(f"{self._peer} closed the connection")
        except OSError as error:
            self._end(f"the connection to {self._peer} broke ({error})")
        except Exception:
            log.exception("reading from %s failed", self._peer)
        finally:
            self._end("the connection was closed")

    def _parse(self, line: bytes) -> _Envelope | None:
        if self._trace is not None:
            self._trace("in", line)
        try:
            return self._envelopes.decode(line)
        except DECODE_ERRORS:
            pass
        mended = None
        if len(line) <= MAX_REPAIRED:
            with contextlib.suppress(*DECODE_ERRORS):
                mended = self._envelopes.decode(msgspec.json.encode(loads(line)))
        if line.strip():
            self._on_junk(line[:HEAD])
        return mended

    def _take(self, message: _Envelope, line: bytes, handler: Handler) -> Awaitable[None]:
        if message.method is None:
            return self._take_answer(message, line)
        if message.id is None:
            return self._take_notification(message.method, message.params, handler)
        return self._take_request(message.id, message.method, message.params, handler)

    async def _take_answer(self, message: _Envelope, line: bytes) -> None:
        number = message.id
        future = self._pending.pop(number, None) if isinstance(number, int) else None
        if future is None or future.done():
            if not isinstance(number, int) or self._abandoned.pop(number, number) is not None:
                self._on_junk(line[:HEAD])
            return
        if bytes(message.error) != b"null":
            future.set_exception(_request_error(message.error))
        else:
            empty = bytes(message.result) == b"null"
            future.set_result(msgspec.Raw(b"{}") if empty else message.result)
        await asyncio.sleep(0)  # who asked goes on before what came after the answer is handled

    async def _take_notification(self, method: str, params: msgspec.Raw, handler: Handler) -> None:
        if method == "$/cancel_request":
            self._cancel_serving(params)
            return
        try:
            await handler.notification(method, params)
        except RequestError as error:
            log.warning("ignored %s: %s", method, error)
            self._on_junk(bytes(params)[:HEAD])
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            log.warning("handling %s was cancelled", method)  # something that it waited for was
        except Exception:
            log.exception("handling %s failed", method)

    def _cancel_serving(self, params: msgspec.Raw) -> None:
        try:
            task = self._serving.get(decode(params, _CancelParams).request_id)
        except DECODE_ERRORS:
            self._on_junk(bytes(params)[:HEAD])
            return
        if task is not None:
            self._cancelled.add(task)
            task.cancel()

    async def _take_request(self, number: Id, method: str, params: msgspec.Raw, handler: Handler) -> None:
        if len(self._running) >= MAX_REQUESTS:
            self._refuse(number, method)
            return
        task = asyncio.create_task(self._serve(number, method, params, handler), name=f"serve {method}")
        self._running.add(task)
        self._serving[number] = task
        task.add_done_callback(lambda _: self._served(number, task))
        await asyncio.sleep(0)  # it has begun before what came after it is handled

    def _served(self, number: Id, task: asyncio.Task[None]) -> None:
        self._running.discard(task)
        self._cancelled.discard(task)
        if self._serving.get(number) is task:
            del self._serving[number]

    async def _serve(self, number: Id, method: str, params: msgspec.Raw, handler: Handler) -> None:
        try:
            try:
                answer = self._sender.answer(number, await handler.request(method, params))
            except RequestError as error:
                answer = self._sender.error(number, ErrorObject(error.code, error.message, error.data))
            except ConnectionClosedError:
                raise
            except asyncio.CancelledError:
                if _is_cancelled() and asyncio.current_task() not in self._cancelled:
                    raise
                answer = self._sender.error(number, ErrorObject(errors.REQUEST_CANCELLED, "Cancelled"))
            except Exception as error:
                log.exception("answering %s failed", method)
                text = f"Internal error: {type(error).__name__}: {error}"
                answer = self._sender.error(number, ErrorObject(errors.INTERNAL_ERROR, text))
            await self._sender.send(answer)
        except ConnectionClosedError:
            log.debug("nobody is left to take the answer of %s", method)

    def _refuse(self, number: Id, method: str) -> None:
        text = f"{MAX_REQUESTS} requests are waiting already; {method} was refused"
        if self._sender.congested:
            self._on_junk(text.encode())
        else:
            self._sender.put(self._sender.error(number, ErrorObject(errors.INTERNAL_ERROR, text)))


def _is_cancelled() -> bool:
    """Whether it is this task that was cancelled, not something that it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _request_error(data: msgspec.Raw) -> RequestError:
    try:
        error = decode(data, ErrorObject)
    except DECODE_ERRORS:
        return RequestError(errors.INTERNAL_ERROR, bytes(data)[:HEAD].decode("utf-8", "replace"))
    return RequestError(error.code, error.message, error.data)
