"""A prompt's content blocks as the text that the engine takes."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from minime_agent.acp.wire.content import ContentBlock, EmbeddedResource, ResourceLink, TextContent
from minime_agent.acp.wire.errors import RequestError
from minime_agent.mention.mentions import attached


def prompt_text(blocks: Sequence[ContentBlock]) -> str:
    """The blocks, one below the other; a link is named, a resource sent along is quoted.

    Raises:
        RequestError: a block is of a kind that was not offered (images, sound), or there is nothing to say.
    """
    text = "\n".join(filter(None, map(_block_text, blocks)))
    if not text.strip():
        raise RequestError.invalid_params("the prompt is empty")
    return text


def _block_text(block: ContentBlock) -> str:
    match block:
        case TextContent(text=text):
            return text
        case ResourceLink(uri=uri):
            return attached(_readable(uri))
        case EmbeddedResource(resource=resource):
            title = attached(_readable(resource.uri))
            if resource.text is None:
                return f"{title} (binary, not shown)"
            return f"{title}\n{fenced(resource.text)}"
        case _:
            kind = getattr(block, "kind", "") or type(block).__name__.removesuffix("Content").lower()
            raise RequestError.invalid_params(
                f"mm takes text, links and embedded text, no {kind} blocks; leave it out or name the file"
            )


def _readable(uri: str) -> str:
    """A file's path where the URI is one, else the URI."""
    parts = urlsplit(uri)
    if parts.scheme != "file":
        return uri
    path = unquote(parts.path)
    return path[1:] if path[2:3] == ":" else path  # file:///C:/x


def fenced(text: str) -> str:
    """The text as a Markdown code block that it can't close itself."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text.removesuffix(chr(10))}\n{fence}"
