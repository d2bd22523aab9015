"""How large the context window is, asked in each server's own way.

The list of models seldom tells it: llama.cpp has `/props`, LM Studio and Ollama say it of a model that is
loaded (the model itself could have a larger one), Docker Model Runner of one that was configured.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, TypeAlias, TypeVar
from urllib.parse import quote

import msgspec

from minime_agent.engine.providers import Endpoint

T = TypeVar("T")
Get: TypeAlias = Callable[[str], Awaitable[bytes]]
"""What the server answers at a path beside `/v1`; empty where it refuses, or nothing answers."""
Way: TypeAlias = Callable[[Endpoint, Get], Awaitable[int]]

_LISTED = (
    "loaded_context_length",
    "context_length",
    "max_model_len",
    "context_window",
    "max_context_length",
)
"""Names in a list of models: vLLM, OpenRouter, Groq, Mistral."""


async def asked(endpoint: Endpoint, get: Get) -> int:
    """The window in tokens as the server tells it beside the OpenAI API; 0 when it does not."""
    for way in _ways(endpoint):
        if window := await way(endpoint, get):
            return window
    return 0


def listed(row: Mapping[str, Any]) -> int:
    """The window in a row of the list of models; 0 when it is not there."""
    return next((value for name in _LISTED if isinstance(value := row.get(name), int)), 0)


def _ways(endpoint: Endpoint) -> Iterator[Way]:
    """The server's own way first. Behind a plain address may be any of them, mostly a llama.cpp."""
    name = endpoint.provider.name
    if name in _OWN:
        yield _OWN[name]
    if endpoint.provider.serves_props or endpoint.base_url.startswith("http:"):
        yield _props
        if name in _ANYTHING:
            yield from (_docker,) if endpoint.base_url.endswith("/engines/v1") else (_lm_studio, _ollama)


class _Generation(msgspec.Struct):
    n_ctx: int = 0


class _Props(msgspec.Struct):
    default_generation_settings: _Generation | None = None


async def _props(_endpoint: Endpoint, get: Get) -> int:
    props = _decoded(await get("/props"), _Props)
    settings = props.default_generation_settings if props else None
    return settings.n_ctx if settings else 0


class _LmStudioModel(msgspec.Struct):
    id: str = ""
    loaded_context_length: int | None = None


class _LmStudioModels(msgspec.Struct):
    data: list[_LmStudioModel] | None = None


async def _lm_studio(endpoint: Endpoint, get: Get) -> int:
    models = _decoded(await get("/api/v0/models"), _LmStudioModels)
    rows = (models.data if models else None) or []
    return next((row.loaded_context_length or 0 for row in rows if row.id == endpoint.model), 0)


class _OllamaModel(msgspec.Struct):
    name: str = ""
    model: str = ""
    context_length: int = 0


class _OllamaModels(msgspec.Struct):
    models: list[_OllamaModel] | None = None


async def _ollama(endpoint: Endpoint, get: Get) -> int:
    names = {endpoint.model, f"{endpoint.model}:latest"}
    loaded = _decoded(await get("/api/ps"), _OllamaModels)
    rows = (loaded.models if loaded else None) or []
    return next((row.context_length for row in rows if {row.name, row.model} & names), 0)


class _DockerConfiguration(msgspec.Struct):
    context_size: int | None = msgspec.field(name="context-size", default=None)


class _DockerModel(msgspec.Struct):
    config: _DockerConfiguration | None = msgspec.field(name="Config", default=None)


async def _docker(endpoint: Endpoint, get: Get) -> int:
    body = await get(f"/_configure?model={quote(endpoint.model, safe='')}")
    configured = (row.config for row in _decoded(body, list[_DockerModel]) or [])
    return next((one.context_size for one in configured if one and one.context_size), 0)


_OWN: dict[str, Way] = {"lmstudio": _lm_studio, "ollama": _ollama, "dmr": _docker}
_ANYTHING = ("server", "openai")
"""Providers that are an address alone."""


def _decoded(body: bytes, kind: type[T]) -> T | None:
    """The body as a `kind`; None when it is something else, such as another server's page."""
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.DecodeError:
        return None
