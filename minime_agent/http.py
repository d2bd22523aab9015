"""HTTP clients, built so that they cost little at start: for a model server, for pages of the web."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

_CONNECT = 10.0


def library() -> None:
    """Imports httpx without its own command line, which would load click, rich and Pygments: 250 ms."""
    name = "httpx._main"
    if "httpx" in sys.modules:
        return
    sys.modules[name] = None  # pyright: ignore[reportArgumentType] (how an import is refused; httpx allows for it)
    try:
        import httpx  # noqa: F401  # pyright: ignore[reportUnusedImport] (the import is the purpose)
    finally:
        del sys.modules[name]


def client(base_url: str, api_key: str) -> httpx.AsyncClient:
    """A client for one model server, past any proxy. Time limits are the caller's, who knows the model."""
    library()
    import ssl

    import httpx

    headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
    # Reading the certificates takes 20 ms; without them every secure connection fails, so none is trusted
    # by chance.
    secure = base_url.startswith("https:")
    verify = ssl.create_default_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return httpx.AsyncClient(
        headers=headers, verify=verify, trust_env=False, timeout=httpx.Timeout(None, connect=_CONNECT)
    )


def web_client(agent: str, packing: str) -> httpx.AsyncClient:
    """A client for pages of any site, through the proxy of the environment; it follows no redirects.

    `agent` is the name it gives itself, `packing` the value of Accept-Encoding.
    """
    library()
    import ssl

    import certifi
    import httpx

    headers = {
        "User-Agent": agent,
        "Accept-Encoding": packing,
        "Accept": "text/html, text/*;q=0.9, */*;q=0.5",
    }
    # The system's certificates, for networks with their own, and certifi's, for Pythons that come without.
    trusted = ssl.create_default_context()
    trusted.load_verify_locations(certifi.where())
    return httpx.AsyncClient(headers=headers, verify=trusted, timeout=httpx.Timeout(None, connect=_CONNECT))
