"""Content blocks as text, and long text cut to what a person can look at."""

from __future__ import annotations

from typing import cast

import msgspec

from minime_agent.acp.wire import content

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
    """Text that is added to and cut like `cut` does, however often."""

    def __init__(self, limit: int = OUTPUT_LIMIT) -> None:
        self._half = limit // 2
        self._beginning = ""
        self._end = ""
        self._missing = 0

    def add(self, text: str) -> None:
        """Adds `text` at the end."""
        room = self._half - len(self._beginning)
        self._beginning += text[:room]
        self._end += text[room:]
        excess = len(self._end) - self._half
        if excess > 0:
            self._missing += excess
            self._end = self._end[excess:]

    def text(self) -> str:
        """The text, or its beginning and its end."""
        if not self._missing:
            return self._beginning + self._end
        return f"{self._beginning}\n[… {self._missing:,} characters left out …]\n{self._end}"


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
        return cut(value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        for key in ("formatted_output", "aggregated_output", "output", "stdout", "content", "text"):
            if isinstance(text := fields.get(key), str) and text:
                return cut(text)
        return compact_json(fields)
    return compact_json(value)
