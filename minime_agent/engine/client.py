"""One model over the OpenAI-compatible API: its list of models, its window, a streamed answer."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from minime_agent import http
from minime_agent.engine import explain, window
from minime_agent.engine.chunks import Chunk, decode
from minime_agent.engine.errors import ModelError
from minime_agent.engine.providers import Endpoint
from minime_agent.engine.sse import EventReader, ServerEvent

if TYPE_CHECKING:
    import httpx

Receive = Callable[[Chunk], Awaitable[None]]

_AFTER_FINISH = 2.0
"""Seconds that a finished answer waits for its usage and the end of the body."""


class ModelClient:
    """Talks to one endpoint. `first` and `between` are the watchdog's seconds."""

    def __init__(self, endpoint: Endpoint, first: float, between: float) -> None:
        self.endpoint = endpoint
        self._first, self._between = first, between
        self._http = http.client(endpoint.base_url, endpoint.api_key)

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def complete(self, body: bytes, receive: Receive) -> None:
        """Sends one chat request and hands over every chunk of the answer until it is whole.

        Raises `ModelError`. Bytes of any kind feed the watchdog: progress and keep-alives mean that the
        server works.
        """
        import httpx

        url = f"{self.endpoint.base_url}/chat/completions"
        request = self._http.build_request(
            "POST",
            url,
            content=body,
            headers={"Content-Type": "application/json", "Accept": "text/event-stream"},
        )
        try:
            async with asyncio.timeout(self._first):
                response = await self._http.send(request, stream=True)
        except TimeoutError:
            raise explain.stalled(self._first, first=True) from None
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            raise explain.unreachable(self.endpoint, error) from None
        except httpx.TransportError:
            raise explain.broken(self.endpoint) from None
        try:
            if response.status_code != 200:
                raise await self._refused(response)
            kind = response.headers.get("content-type", "")
            if "html" in kind:
                raise explain.not_a_model_server(self.endpoint)
            if "json" in kind:
                await receive(await self._whole(response))
            else:
                await self._read(response, receive)
        except httpx.TransportError:
            raise explain.broken(self.endpoint) from None
        finally:
            await response.aclose()

    async def _whole(self, response: httpx.Response) -> Chunk:
        """The answer of a server that does not stream."""
        text = (await response.aread()).decode("utf-8", "replace")
        if text.lstrip().startswith("{"):
            chunk = self._decode(ServerEvent(text))
            if chunk.choices is not None:
                return chunk
        raise explain.not_a_model_server(self.endpoint)

    async def _refused(self, response: httpx.Response) -> ModelError:
        body = await response.aread()
        if response.status_code == 404:
            # Asked anew also where it is known: the model may have been there.
            with suppress(ModelError):
                names = model_names(await self.models(_AFTER_FINISH))
                self.endpoint = replace(self.endpoint, models=names)
        return explain.refused(self.endpoint, response.status_code, body)

    async def _read(self, response: httpx.Response, receive: Receive) -> None:
        import httpx

        reader, body = EventReader(), response.aiter_bytes()
        begun = finished = False
        while True:
            limit = _AFTER_FINISH if finished else self._between if begun else self._first
            try:
                async with asyncio.timeout(limit):
                    data = await anext(body, None)
            except (TimeoutError, httpx.TransportError) as error:
                if finished:
                    return
                if isinstance(error, TimeoutError):
                    raise explain.stalled(limit, first=not begun) from None
                raise
            for event in reader.feed(data) if data is not None else reader.end():
                if event.data == "[DONE]":
                    return
                chunk = self._decode(event)
                for choice in chunk.choices or ():
                    begun = begun or (choice.delta is not None and choice.delta.says_something)
                    finished = finished or bool(choice.finish_reason)
                await receive(chunk)
            if data is None:
                if not finished:
                    raise explain.broken(self.endpoint)
                return

    def _decode(self, event: ServerEvent) -> Chunk:
        try:
            chunk = decode(event.data)
        except msgspec.DecodeError:
            raise explain.in_stream(self.endpoint, event.data[:300] or "an empty event") from None
        if chunk.error is not None:
            raise explain.in_stream(self.endpoint, chunk.error)
        if event.error:
            raise explain.in_stream(self.endpoint, msgspec.json.decode(event.data))
        return chunk

    async def models(self, limit: float) -> list[dict[str, Any]]:
        """The rows of the server's model list; raises `ModelError`."""
        import httpx

        try:
            async with asyncio.timeout(limit):
                response = await self._http.get(f"{self.endpoint.base_url}/models")
        except (httpx.TransportError, TimeoutError, httpx.InvalidURL, httpx.UnsupportedProtocol) as error:
            raise explain.unreachable(self.endpoint, error) from None
        if response.status_code != 200:
            raise explain.refused(self.endpoint, response.status_code, response.content)
        try:
            rows = msgspec.json.decode(response.content, type=_ModelList)
        except msgspec.DecodeError:
            raise explain.not_a_model_server(self.endpoint) from None
        if rows.data is msgspec.UNSET and rows.models is msgspec.UNSET:
            raise explain.not_a_model_server(self.endpoint)
        return [row for row in rows.data or rows.models or [] if _model_name(row)]

    async def window(self) -> int:
        """Tokens of context that the server gives the model; 0 when it does not tell. Raises `ModelError`."""
        if told := await window.asked(self.endpoint, self._beside):
            return told
        rows = await self.models(_AFTER_FINISH)
        return next((window.listed(row) for row in rows if _model_name(row) == self.endpoint.model), 0)

    async def _beside(self, path: str) -> bytes:
        """What the server says at a path beside `/v1`; empty where it says nothing."""
        import httpx

        try:
            async with asyncio.timeout(_AFTER_FINISH):
                response = await self._http.get(f"{self.endpoint.base_url.removesuffix('/v1')}{path}")
        except (httpx.TransportError, TimeoutError):
            return b""
        return response.content if response.status_code == 200 else b""


class _ModelList(msgspec.Struct):
    """Under either name; servers without a model say null."""

    data: list[dict[str, Any]] | msgspec.UnsetType | None = msgspec.UNSET
    models: list[dict[str, Any]] | msgspec.UnsetType | None = msgspec.UNSET


def model_names(rows: list[dict[str, Any]]) -> tuple[str, ...]:
    """The names in a model list."""
    return tuple(_model_name(row) for row in rows)


def _model_name(row: dict[str, Any]) -> str:
    name = row.get("id") or row.get("name") or ""
    return name if isinstance(name, str) else ""
