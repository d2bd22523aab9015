"""The blocks of a prompt: text first, then what goes with it, as far as the agent takes it."""

from __future__ import annotations

import base64
import mimetypes
from collections.abc import Iterable
from pathlib import Path

from minime_agent.acp.wire import content
from minime_agent.acp.wire.handshake import PromptCapabilities
from sidekicks.acp.images import MAX_IMAGE
from sidekicks.models import FilePart, ImagePart, Model

MAX_EMBEDDED = 64 * 1024
"""Bytes of a text file that is sent along; the agent reads a larger one by itself."""
MAX_AUDIO = 10 * 1024 * 1024
"""Bytes of a sound that is sent along."""


class Prompt(Model, frozen=True):
    """What an agent is asked. `links` are files that the text mentions, by their absolute paths."""

    text: str
    attachments: tuple[ImagePart | FilePart, ...] = ()
    links: tuple[str, ...] = ()


def prompt_blocks(prompt: Prompt, takes: PromptCapabilities) -> tuple[content.ContentBlock, ...]:
    """What is sent. What the agent can't take in is said in a text block of its own. Reads files."""
    blocks: list[content.ContentBlock] = []
    left_out: list[str] = []
    for part in prompt.attachments:
        block = _image(part, takes) if isinstance(part, ImagePart) else _file(part, takes)
        if isinstance(block, str):
            left_out.append(block)
        else:
            blocks.append(block)
    attached = {part.path for part in prompt.attachments if isinstance(part, FilePart)}
    blocks += [_link(Path(path), kind_of(path)) for path in prompt.links if path not in attached]
    notes = (content.TextContent(text=sentence) for sentence in left_out)
    return (content.TextContent(text=prompt.text), *notes, *blocks)


def kind_of(path: str) -> str:
    """The MIME type that a file's name stands for, else empty."""
    return mimetypes.guess_type(path)[0] or ""


def image_name(part: ImagePart) -> str:
    """What to call an image in a sentence."""
    return part.name or f"an image ({part.mime_type})"


def _image(part: ImagePart, takes: PromptCapabilities) -> content.ContentBlock | str:
    if not takes.image:
        return f"\n\n[Left out, because you don't take images: {image_name(part)}]"
    return _image_block(part.data, part.mime_type)


def _file(part: FilePart, takes: PromptCapabilities) -> content.ContentBlock | str:
    path = Path(part.path)
    kind = part.mime_type or kind_of(part.path)
    if not path.exists():
        return f"\n\n[Left out, because it does not exist any more: {part.path}]"
    if kind.startswith("image/") and takes.image:
        data = _bytes(path, MAX_IMAGE)
        return _image_block(data, kind, path) if data is not None else _link(path, kind)
    if kind.startswith("audio/") and takes.audio:
        data = _bytes(path, MAX_AUDIO)
        if data is not None:
            return content.AudioContent(data=base64.b64encode(data).decode(), mime_type=kind)
    elif takes.embedded_context:
        text = _text(path)
        if text is not None:
            resource = content.ResourceContents(uri=path.as_uri(), text=text, mime_type=kind or None)
            return content.EmbeddedResource(resource=resource)
    return _link(path, kind)


def _image_block(data: bytes, kind: str, path: Path | None = None) -> content.ImageContent:
    return content.ImageContent(
        data=base64.b64encode(data).decode(), mime_type=kind, uri=path.as_uri() if path else None
    )


def _link(path: Path, kind: str) -> content.ResourceLink:
    try:
        size = path.stat().st_size if path.is_file() else None
    except OSError:
        size = None
    return content.ResourceLink(uri=path.as_uri(), name=path.name, mime_type=kind or None, size=size)


def _text(path: Path) -> str | None:
    data = _bytes(path, MAX_EMBEDDED)
    if data is None or b"\0" in data:
        return None
    try:
        return data.decode()
    except UnicodeDecodeError:
        return None


def _bytes(path: Path, limit: int) -> bytes | None:
    """The file's content; None when it is larger than `limit`, no regular file, or can't be read."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError:
        return None
    return data if len(data) <= limit else None


def names(parts: Iterable[object]) -> tuple[str, ...]:
    """What the images and files among the parts are called."""
    found = (part for part in parts if isinstance(part, ImagePart | FilePart))
    return tuple(image_name(part) if isinstance(part, ImagePart) else part.path for part in found)
