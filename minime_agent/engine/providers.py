"""The servers that mm knows: settings of one OpenAI-compatible client."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from minime_agent.config.settings import Settings


class Provider(msgspec.Struct, frozen=True):
    """One kind of server. `addresses` are tried in order; `start` is what to do when it does not answer,
    `load` the command that gives it a model, empty where there is none.

    `local_extras`: it takes llama.cpp's fields (`return_progress`) or ignores them; others answer 400 to an
    unknown field. `serves_props`: it tells its window at `/props`.
    """

    name: str
    addresses: tuple[str, ...]
    start: str
    load: str = ""
    local_extras: bool = True
    serves_props: bool = False


_LLAMA = "start it with `llama-server -m MODEL.gguf --jinja`"

PROVIDERS = {
    provider.name: provider
    for provider in (
        Provider("llamacpp", ("http://127.0.0.1:8080/v1",), _LLAMA, serves_props=True),
        Provider("lmstudio", ("http://127.0.0.1:1234/v1",), "start it with `lms server start`", "lms load"),
        Provider("ollama", ("http://127.0.0.1:11434/v1",), "start it with `ollama serve`", "ollama pull"),
        Provider(
            "dmr",
            ("http://127.0.0.1:12434/engines/v1", "http://host.docker.internal:12434/engines/v1"),
            "start it with `docker desktop enable model-runner --tcp 12434`",
            "docker model pull",
        ),
        Provider(
            "openai",
            ("https://api.openai.com/v1",),
            "check the address (--base-url) and the network",
            local_extras=False,
        ),
        Provider("embedded", (), "run `mm model install smollm2`", serves_props=True),
    )
}

IN_CONTAINER = ("/.dockerenv", "/run/.containerenv")
"""Files that there are in a container alone, by Docker and by Podman."""

LOCAL = tuple(PROVIDERS[name] for name in ("llamacpp", "lmstudio", "ollama", "dmr"))
"""Where `auto` looks, best first; the embedded model comes after all of them."""

_AT_ADDRESS = Provider("server", (), "check that it runs and that --base-url is right", serves_props=True)
_AT_SECURE_ADDRESS = Provider(
    "server", (), "check the address (--base-url) and the network", local_extras=False
)


def chosen(settings: Settings, local: Sequence[Provider] = LOCAL) -> Provider | None:
    """The provider that the settings name, by name or by address; None when mm is to look for one."""
    if settings.provider != "auto":
        named = (provider for provider in local if provider.name == settings.provider)
        return next(named, PROVIDERS[settings.provider])
    if settings.base_url:
        return _AT_SECURE_ADDRESS if settings.base_url.startswith("https:") else _AT_ADDRESS
    return None


class Endpoint(msgspec.Struct, frozen=True):
    """One model at one address; `base_url` ends without a slash, `models` is what the server lists."""

    provider: Provider
    base_url: str
    model: str
    api_key: str = ""
    models: tuple[str, ...] = ()
