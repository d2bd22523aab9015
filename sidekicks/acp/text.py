"""Content blocks as text, and long text cut to what a person can look at."""

from __future__ import annotations

from collections import deque
from typing import cast

import msgspec

from minime_agent.acp.wire import content
from sidekicks.acp.terminal_text import plain

OUTPUT_LIMIT = 256 * 1024
"""Characters of a tool's output that are kept: half of them from the beginning, half from the end."""
DIFF_LIMIT = 1024 * 1024
"""Characters that are kept of either side of a diff."""


def cut(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """`text`, or its beginning and its end with a line between that says how much is missing."""
    if len(text) <= limit:
        return text
    growing = Growing(limit)
    growing.add(text)
    return growing.text()


def short(text: str, limit: int) -> str:
    """`text`, or its beginning with an ellipsis: for names and descriptions."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Growing:
    """Text that is added to and cut like `cut` does. What adding costs does not depend on how long it is."""

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        self._half = limit // 2
        self._beginning: list[str] = []
        self._room = self._half
        self._end: deque[str] = deque()
        self._end_size = 0
        self._missing = 0

    def add(self, text: str) -> None:
        """Adds `text` at the end."""
        if self._room and text:
            first, text = text[: self._room], text[self._room :]
            self._beginning.append(first)
            self._room -= len(first)
        if text:
            self._end.append(text)
            self._end_size += len(text)
        while self._end and self._end_size - len(self._end[0]) >= self._half:
            gone = len(self._end.popleft())
            self._end_size -= gone
            self._missing += gone

    def __len__(self) -> int:
        """Characters that are kept, give or take a piece."""
        return self._half - self._room + min(self._end_size, self._half)

    def text(self, more: str = "") -> str:
        """The text and `more` after it, or its beginning and its end."""
        beginning, end = "".join(self._beginning), "".join(self._end)
        self._beginning = [beginning]
        if self._room:
            beginning, more = beginning + more[: self._room], more[self._room :]
        end += more
        excess = max(0, len(end) - self._half)
        missing = self._missing + excess
        if not missing:
            return beginning + end
        return f"{beginning}\n[… {missing:,} characters left out …]\n{end[excess:]}"


class Ending:
    """The last bytes of a growing text, as UTF-8 and never half a character."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._pieces: deque[bytes] = deque()
        self._size = 0
        self._missing = False

    def add(self, text: str) -> None:
        """Adds `text` at the end."""
        if text:
            piece = text.encode("utf-8", "replace")
            if len(piece) > self._limit:
                piece, self._missing = piece[len(piece) - self._limit :], True
            self._pieces.append(piece)
            self._size += len(piece)
        while self._pieces and self._size - len(self._pieces[0]) >= self._limit:
            self._size -= len(self._pieces.popleft())
            self._missing = True

    def text(self, more: str = "") -> tuple[str, bool]:
        """The end of the text and of `more` after it, and whether something before it is missing."""
        data = b"".join(self._pieces)
        self._pieces = deque([data]) if data else deque()
        data += more.encode("utf-8", "replace")
        first = max(0, len(data) - self._limit)
        while first < len(data) and data[first] & 0xC0 == 0x80:
            first += 1
        return data[first:].decode("utf-8", "replace"), self._missing or first > 0


def block_text(block: content.ContentBlock) -> str:
    """A content block as Markdown; what can't be shown is named."""
    match block:
        case content.TextContent(text=text):
            return text
        case content.ResourceLink(uri=uri, name=name, title=title):
            return f"[{title or name}]({uri})"
        case content.EmbeddedResource(resource=resource) if resource.text is not None:
            return _fenced(resource.text)
        case content.EmbeddedResource(resource=resource):
            return f"[{resource.uri}]({resource.uri})"
        case content.ImageContent(mime_type=kind):
            return f"*({kind})*"
        case content.AudioContent(mime_type=kind):
            return f"*({kind})*"
        case content.UnknownContent(kind=kind):
            return f"*({kind or 'unknown content'})*"


def _fenced(text: str) -> str:
    """A block of code that the text can't close itself."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def compact_json(value: object) -> str:
    """A raw input as one line of JSON, cut; empty for nothing."""
    return "" if value is None or value == {} else cut(msgspec.json.encode(value).decode())


def raw_output_text(value: object) -> str:
    """A raw output as text: the text in it if it is wrapped in a well-known way, else JSON."""
    if isinstance(value, str):
        return cut(plain(value))
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        for key in ("formatted_output", "aggregated_output", "output", "stdout", "content", "text"):
            if isinstance(text := fields.get(key), str) and text:
                return cut(plain(text))
        return compact_json(fields)
    return compact_json(value)
