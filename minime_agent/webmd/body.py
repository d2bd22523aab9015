"""The body of an answer, unpacked within a limit: a small answer can unpack to gigabytes."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from minime_agent.webmd.errors import NOT_A_PAGE, PageError

if TYPE_CHECKING:
    import httpx

ACCEPTED = "gzip"
_EITHER = zlib.MAX_WBITS | 32
"""gzip or zlib, by what the data begins with."""


async def read(response: httpx.Response, most: int, *, whole: bool = True) -> bytes:
    """The unpacked body, or its first `most` bytes unless it must be `whole`. Raises `PageError` 1.

    httpx unpacks each piece whole, whatever comes out of it; so the raw pieces are unpacked here.
    """
    url = str(response.url)
    packing = response.headers.get("content-encoding", "identity").strip().lower() or "identity"
    if packing not in ("identity", "gzip", "x-gzip", "deflate"):
        raise PageError(NOT_A_PAGE, url, f"the page is packed as {packing}, which was not asked for")
    unpack = None if packing == "identity" else zlib.decompressobj(_EITHER)
    body = bytearray()
    try:
        async for piece in response.aiter_raw():
            body += piece if unpack is None else unpack.decompress(piece, most + 1 - len(body))
            if len(body) > most:
                break
    except zlib.error:
        raise PageError(NOT_A_PAGE, url, f"the page calls itself packed ({packing}), but is not") from None
    if whole and len(body) > most:
        raise too_large(url, most)
    return bytes(body[:most])


def too_large(url: str, most: int) -> PageError:
    """The refusal of a page over `most` bytes."""
    return PageError(NOT_A_PAGE, url, f"the page is larger than {most / (1 << 20):.3g} MiB")
