"""robots.txt: what a site allows programs to fetch (RFC 9309)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from minime_agent.webmd.errors import NOT_REACHED, PageError

AGENT = "mm"
LARGEST = 512 << 10
"""Bytes; the RFC asks for as much at least."""

Get: TypeAlias = Callable[[str], Awaitable[tuple[int, bytes]]]
"""An address' status and body."""


async def check(url: str, origin: str, get: Get) -> None:
    """Raises `PageError` 2 where the rules of `origin` keep `url` from programs.

    A site without rules allows everything; one whose rules can't be told (a server error) allows nothing.
    """
    from protego import Protego

    address = f"{origin}/robots.txt"
    status, body = await get(address)
    if status >= 500:
        raise PageError(
            NOT_REACHED, address, f"HTTP {status}: the site can't say now what programs may fetch"
        )
    if status >= 400:
        return
    if not Protego.parse(body.decode("utf-8", "replace")).can_fetch(url, AGENT):
        raise PageError(NOT_REACHED, address, "robots.txt keeps this page from programs; do not try it again")
