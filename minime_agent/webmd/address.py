"""An address as people and models write it, made into one that can be fetched."""

from __future__ import annotations

import ipaddress
import re
from urllib.parse import urlsplit, urlunsplit

from minime_agent.webmd.errors import WRONG_ADDRESS, PageError

_SCHEME = re.compile(r"(https?)\s*(?::/*|//+)\s*", re.IGNORECASE)
"""Also `https//x` and `https:/x`, which small models write when they copy what was asked."""
_OTHER_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):(?!\d)", re.IGNORECASE)


def normalize_url(text: str) -> str:
    """The whole address: `k33g.org` and `https//k33g.org` become `https://k33g.org`.

    Without a scheme it is https, but http on this machine, where no server has a certificate. Raises
    `PageError` 3.
    """
    given = text.strip().strip("<>\"'`").strip()
    if match := _SCHEME.match(given):
        whole = f"{match[1].lower()}://{given[match.end() :]}"
    elif other := _OTHER_SCHEME.match(given):
        raise PageError(
            WRONG_ADDRESS, given[:200], f"{other[1]}: is not for the web, only http and https are"
        )
    else:
        rest = given.lstrip("/")
        whole = f"{'http' if _is_here(_host(f'//{rest}')) else 'https'}://{rest}"
    host = _host(whole)
    if not host or not ("." in host.strip(".") or ":" in host or _is_here(host)) or re.search(r"\s", host):
        raise PageError(
            WRONG_ADDRESS, given[:200], "not a web address; write it like https://example.com/page"
        )
    parts = urlsplit(whole)
    return urlunsplit((parts.scheme, parts.netloc, parts.path, parts.query, ""))


def _host(url: str) -> str:
    try:
        parts = urlsplit(url)
        return (parts.hostname or "") if parts.port is None or parts.port else ""
    except ValueError:
        return ""


def _is_here(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
