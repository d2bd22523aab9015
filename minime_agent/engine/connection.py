"""The way to the model: found at the first prompt, kept for the session, found again when it is gone."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from minime_agent.config.settings import Settings
from minime_agent.engine import explain
from minime_agent.engine.client import ModelClient, model_names
from minime_agent.engine.errors import ModelError, ServerGoneError
from minime_agent.engine.providers import IN_CONTAINER, LOCAL, PROVIDERS, Endpoint, Provider, chosen

if TYPE_CHECKING:
    from minime_agent.embedded import EmbeddedServer

Tell = Callable[[str], Coroutine[None, None, None]]
"""Takes one sentence for the person."""

_LIST_LIMIT = 10.0
_PROBE_LIMIT = 0.5
"""Seconds; an address on the own machine answers in milliseconds or not at all."""


class Connection:
    """Finds and keeps the model of one session. `local` is where `provider: auto` looks.

    `in_container`: it also looks for the servers of the machine around the container; None finds out.
    `settings` may be replaced while it is closed.
    """

    def __init__(
        self, settings: Settings, local: Sequence[Provider] = LOCAL, *, in_container: bool | None = None
    ) -> None:
        self.settings = settings
        self._in_container = (
            any(Path(path).exists() for path in IN_CONTAINER) if in_container is None else in_container
        )
        self._local = local
        self._client: ModelClient | None = None
        self._embedded: EmbeddedServer | None = None
        self._window = settings.context_window
        self._window_asked = False

    async def open(self, tell: Tell) -> ModelClient:
        """The client of the session's model; raises `ModelError`, after which the next call tries again."""
        if self._client is not None and self._embedded is not None and not self._embedded.alive:
            await self.close()
        if self._client is None:
            self._client = await self._connect(tell)
        self._window_asked = False
        return self._client

    async def explained(self, error: ServerGoneError) -> ModelError:
        """The sentence for a server or a model that is gone; the next prompt finds or starts one anew."""
        server = self._embedded
        if server is not None:
            await server.over()
        await self.close()
        return ModelError(server.explain()) if server is not None else error

    async def close(self) -> None:
        """Gives everything back; `open` finds it again."""
        self._window = self.settings.context_window
        client, self._client = self._client, None
        server, self._embedded = self._embedded, None
        if client is not None:
            await client.close()
        if server is not None:
            await server.close()

    async def names(self) -> tuple[str, ...]:
        """The models of the server; none where there is none, or only the embedded one is left."""
        if self._embedded is not None:
            return ()
        if self._client is None:
            provider = chosen(self.settings, self._local)
            try:
                if provider is None:
                    self._client = await self._probe()
                elif provider.name != "embedded":
                    # A prompt may be waiting: it gives a slow server more time.
                    async with asyncio.timeout(_PROBE_LIMIT):
                        self._client = await self._connect(_untold)
            except (ModelError, TimeoutError):
                return ()
        if self._client is None:
            return ()
        return await _names_or_none(self._client)

    async def window(self) -> int:
        """The context window in tokens; 0 when the server does not tell, which is then asked once a turn."""
        if not self._window and not self._window_asked and self._client is not None:
            self._window_asked = True
            try:
                self._window = await self._client.window()
            except ModelError:
                return 0
        return self._window

    def learn_window(self, window: int) -> None:
        """Believes a refusal that names the window, whatever was said before."""
        self._window = window

    async def _connect(self, tell: Tell) -> ModelClient:
        provider = chosen(self.settings, self._local)
        if provider is None:
            if (found := await self._probe()) is not None:
                return found
            provider = PROVIDERS["embedded"]
        if provider.name == "embedded":
            return await self._start_embedded(tell)
        if self.settings.base_url:
            return await self._at(provider, self.settings.base_url.rstrip("/"))
        problem: ModelError | None = None
        for address in provider.addresses:
            try:
                return await self._at(provider, address)
            except ModelError as error:
                problem = problem or error
        assert problem is not None
        raise problem

    async def _at(self, provider: Provider, base_url: str) -> ModelClient:
        """The client for one address; for a model that the settings name no request is spent."""
        if not base_url.startswith(("http://", "https://")):
            raise ModelError(
                f"{base_url!r} is not an address: --base-url looks like http://127.0.0.1:8080/v1"
            )
        endpoint = Endpoint(provider, base_url, self.settings.model, self.settings.api_key)
        client = self._client_for(endpoint)
        if endpoint.model:
            return client
        try:
            endpoint = _with_models(endpoint, model_names(await client.models(_LIST_LIMIT)))
        except BaseException:
            await client.close()
            raise
        client.endpoint = endpoint
        return client

    async def _probe(self) -> ModelClient | None:
        """The first local server, in the fixed order, that lists a model."""
        found = await self._first([(provider, provider.addresses[0]) for provider in self._local])
        if found is None and self._in_container:
            # Servers of the machine around it have other addresses. Outside, such a name may take seconds.
            others = [(provider, address) for provider in self._local for address in provider.addresses[1:]]
            found = await self._first(others)
        return found

    async def _first(self, places: Sequence[tuple[Provider, str]]) -> ModelClient | None:
        """The first of the places that lists a model; all are asked at once."""
        clients = [
            self._client_for(Endpoint(provider, address, self.settings.model, self.settings.api_key))
            for provider, address in places
        ]
        lists = await asyncio.gather(*(_names_or_none(client) for client in clients))
        best = next((n for n, names in enumerate(lists) if names), None)
        for number, client in enumerate(clients):
            if number != best:
                await client.close()
        if best is None:
            return None
        client = clients[best]
        client.endpoint = _with_models(client.endpoint, lists[best])
        return client

    async def _start_embedded(self, tell: Tell) -> ModelClient:
        from minime_agent.embedded import EmbeddedError, connect

        telling: list[asyncio.Task[None]] = []

        def progress(sentence: str) -> None:
            telling.append(asyncio.ensure_future(tell(sentence)))

        try:
            server = self._embedded = await connect(self.settings.model, progress)
        except EmbeddedError as error:
            looked = "No model server runs on this computer. " if self.settings.provider == "auto" else ""
            raise ModelError(f"{looked}{error}") from None
        finally:
            await asyncio.gather(*telling)
        return self._client_for(
            Endpoint(PROVIDERS["embedded"], server.base_url, server.model, server.api_key)
        )

    def _client_for(self, endpoint: Endpoint) -> ModelClient:
        return ModelClient(endpoint, self.settings.first_token_timeout, self.settings.watchdog_timeout)


async def _untold(_sentence: str) -> None:
    """Nobody is told: a list of models is asked for in passing."""


async def _names_or_none(client: ModelClient) -> tuple[str, ...]:
    try:
        return model_names(await client.models(_PROBE_LIMIT))
    except ModelError:
        return ()


def _with_models(endpoint: Endpoint, names: tuple[str, ...]) -> Endpoint:
    if not names and not endpoint.model:
        raise explain.no_model(endpoint)
    return replace(endpoint, model=endpoint.model or names[0], models=names)
