"""Getting one page: redirects, robots.txt, limits of size and time."""

from __future__ import annotations

import asyncio
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import msgspec

from minime_agent import http
from minime_agent.version import VERSION
from minime_agent.webmd import body, robots
from minime_agent.webmd.errors import NOT_A_PAGE, NOT_REACHED, WRONG_ADDRESS, PageError

if TYPE_CHECKING:
    import httpx

_ADVICE = {
    401: "; it needs a login",
    403: "; it refuses programs or needs a login",
    404: "; check the address",
    410: "; the page is gone",
    429: "; too many requests, later may do",
}


class Limits(msgspec.Struct, frozen=True):
    """Seconds for everything, bytes of the unpacked page, redirects in a row."""

    seconds: float = 30.0
    size: int = 5 << 20
    redirects: int = 5


class Page(msgspec.Struct, frozen=True):
    """What came: `kind` is the media type ("" unknown), `charset` what the server says."""

    url: str
    kind: str
    charset: str
    data: bytes


async def fetch(url: str, limits: Limits) -> Page:
    """The page at a normalized address. Raises `PageError`."""
    http.library()
    import httpx

    try:
        async with asyncio.timeout(limits.seconds), http.web_client(f"mm/{VERSION}", body.ACCEPTED) as client:
            return await _Fetch(client, limits).page(url)
    except TimeoutError:
        reason = f"no whole answer within {limits.seconds:g} s"
    except (httpx.InvalidURL, ValueError) as error:
        raise PageError(WRONG_ADDRESS, url, f"not a web address: {error}") from None
    except httpx.HTTPError as error:
        reason = _reason(error)
    raise PageError(NOT_REACHED, url, reason)


class _Fetch:
    def __init__(self, client: httpx.AsyncClient, limits: Limits) -> None:
        self._client = client
        self._limits = limits
        self._rules: dict[str, tuple[int, bytes]] = {}

    async def page(self, url: str) -> Page:
        """Follows redirects, asking each site's rules first."""
        for _ in range(self._limits.redirects + 1):
            await self._check_rules(url)
            async with self._client.stream("GET", url) as response:
                if not response.has_redirect_location:
                    return await self._read(response)
                location = response.headers["location"]
            url = await _redirected(url, location)
        raise PageError(NOT_REACHED, url, f"more than {self._limits.redirects} redirects")

    async def _read(self, response: httpx.Response) -> Page:
        url, status = str(response.url), response.status_code
        if not response.is_success:
            reason = f"HTTP {status} {response.reason_phrase}".rstrip()
            raise PageError(NOT_REACHED, url, f"{reason}{_ADVICE.get(status, '')}")
        kind, _, parameters = response.headers.get("content-type", "").partition(";")
        kind = kind.strip().lower()
        if kind and not is_text(kind):
            raise PageError(NOT_A_PAGE, url, f"it is {kind}, not a page; get the file with bash, if at all")
        if int(response.headers.get("content-length") or 0) > self._limits.size:
            raise body.too_large(url, self._limits.size)
        data = await body.read(response, self._limits.size)
        charset = parameters.lower().partition("charset=")[2].partition(";")[0].strip(" \"'")
        return Page(url, kind, charset, data)

    async def _check_rules(self, url: str) -> None:
        parts = urlsplit(url)
        origin = f"{parts.scheme}://{parts.netloc}"
        await robots.check(url, origin, self._rules_at)

    async def _rules_at(self, address: str) -> tuple[int, bytes]:
        if address not in self._rules:
            self._rules[address] = await self._fetch_rules(address)
        return self._rules[address]

    async def _fetch_rules(self, address: str) -> tuple[int, bytes]:
        for _ in range(self._limits.redirects + 1):
            async with self._client.stream("GET", address) as response:
                if not response.has_redirect_location:
                    status = response.status_code
                    if status != 200:
                        return status, b""
                    return status, await body.read(response, robots.LARGEST, whole=False)
                location = response.headers["location"]
            address = await _redirected(address, location)
        return 404, b""


async def _redirected(url: str, location: str) -> str:
    """Where a redirect leads. Raises `PageError` 2.

    A page may not send mm to files, nor from the web to what only this machine or its net reaches.
    """
    try:
        target = urljoin(url, location)
        parts, host = urlsplit(target), urlsplit(url).hostname or ""
    except ValueError:
        raise PageError(NOT_REACHED, url, f"it redirects to {location[:200]}, which is no address") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise PageError(NOT_REACHED, url, f"it redirects to {target[:200]}, which is not on the web")
    if parts.hostname != host and await _is_inside(parts.hostname) and not await _is_inside(host):
        raise PageError(NOT_REACHED, url, f"it redirects into the local network ({parts.hostname})")
    return target


def is_text(kind: str) -> bool:
    """Whether a media type is a page or text."""
    inner = kind.partition("/")[2]
    return (
        kind.startswith("text/")
        or inner in ("json", "xml", "javascript", "yaml", "x-yaml", "toml", "x-sh", "x-ndjson", "sql")
        or inner.endswith(("+json", "+xml"))
    ) and not kind.startswith("image/")


async def _is_inside(host: str) -> bool:
    """Whether a name leads to an address that is not of the internet; one that is not known here does not."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return any(not ip_address(str(row[4][0]).partition("%")[0]).is_global for row in found)


def _reason(error: httpx.HTTPError) -> str:
    import httpx

    text = str(error) or type(error).__name__
    cause = error.__cause__
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return "there is no such host, or no network"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, httpx.ConnectError):
        return f"no connection: {text}"
    return f"the answer broke off: {text}"
