"""Content blocks: what a prompt, an answer or a tool call is made of."""

from __future__ import annotations

from typing import TypeAlias

from minime_agent.acp.wire.base import Unknown, Wire


class Annotations(Wire, frozen=True):
    """Hints about a block; `audience` holds `user` and `assistant`, `priority` lies between 0 and 1."""

    audience: tuple[str, ...] | None = None
    last_modified: str | None = None
    priority: float | None = None


class TextContent(Wire, frozen=True, tag_field="type", tag="text"):
    """Text, Markdown by convention."""

    text: str
    annotations: Annotations | None = None


class ImageContent(Wire, frozen=True, tag_field="type", tag="image"):
    """An image, `data` in base64."""

    data: str
    mime_type: str
    uri: str | None = None
    annotations: Annotations | None = None


class AudioContent(Wire, frozen=True, tag_field="type", tag="audio"):
    """Sound, `data` in base64."""

    data: str
    mime_type: str
    annotations: Annotations | None = None


class ResourceLink(Wire, frozen=True, tag_field="type", tag="resource_link"):
    """A resource that the other side can read by itself; `size` in bytes."""

    uri: str
    name: str
    title: str | None = None
    description: str | None = None
    mime_type: str | None = None
    size: int | None = None
    annotations: Annotations | None = None


class ResourceContents(Wire, frozen=True):
    """A resource's content: `text`, or `blob` in base64; exactly one of them is there."""

    uri: str
    text: str | None = None
    blob: str | None = None
    mime_type: str | None = None


class EmbeddedResource(Wire, frozen=True, tag_field="type", tag="resource"):
    """A resource sent along."""

    resource: ResourceContents
    annotations: Annotations | None = None


class UnknownContent(Unknown, frozen=True, tag_field="type", tag="?"):
    """A content block of a kind that this version doesn't know."""


ContentBlock: TypeAlias = (
    TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource | UnknownContent
)
