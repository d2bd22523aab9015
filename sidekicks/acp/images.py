"""Images of the protocol as parts of a message, bounded; what can't be shown is named."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable

from minime_agent.acp.wire import content, tools
from sidekicks.acp.terminal_text import plain
from sidekicks.acp.text import block_text, cut, short
from sidekicks.models import ImagePart

MAX_IMAGE = 10 * 1024 * 1024
"""Bytes of an image, from an agent or from the user."""
MAX_IMAGES = 20
"""Images of one tool call."""
MAX_NAME = 200
"""Characters of an image's name or type."""


def image_of(block: content.ContentBlock) -> ImagePart | str | None:
    """The image that a block is, or Markdown that names one that can't be shown; None: it is no image."""
    match block:
        case content.ImageContent(data=data, mime_type=kind, uri=uri):
            return _image(data, kind, uri or "")
        case content.EmbeddedResource(resource=resource) if _is_image(resource):
            return _image(resource.blob or "", resource.mime_type or "", resource.uri)
        case _:
            return None


def output_of(contents: Iterable[tools.ToolCallContent]) -> tuple[str, tuple[ImagePart, ...]]:
    """The text and the images of a tool's content; diffs and terminals have their own place."""
    texts: list[str] = []
    images: list[ImagePart] = []
    for item in contents:
        if not isinstance(item, tools.Content):
            continue
        image = image_of(item.content)
        if not isinstance(image, ImagePart):
            texts.append(block_text(item.content) if image is None else image)
        elif len(images) < MAX_IMAGES:
            images.append(image)
        else:
            texts.append(f"*({image.mime_type}: one of more than {MAX_IMAGES} images)*")
    return cut(plain("\n".join(texts))), tuple(images)


def _is_image(resource: content.ResourceContents) -> bool:
    return resource.blob is not None and (resource.mime_type or "").startswith("image/")


def _image(data: str, kind: str, uri: str) -> ImagePart | str:
    kind, name = short(kind, MAX_NAME), short(uri.rpartition("/")[2], MAX_NAME)
    if not data:
        return f"[{name or kind}]({uri})" if uri else f"*({kind})*"
    size = len(data) * 3 // 4
    if size > MAX_IMAGE:
        return f"*({kind}, {megabytes(size)}: too large to be shown)*"
    try:
        return ImagePart(mime_type=kind, data=base64.b64decode(data), name=name)
    except (binascii.Error, ValueError):
        return f"*({kind}: damaged)*"


def megabytes(size: int) -> str:
    """A number of bytes as a person says it."""
    return f"{size / 1_000_000:.1f} MB"
