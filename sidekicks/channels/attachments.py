"""What goes with a message of the user: checked before it is sent, and given to the agents with the text."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path

from sidekicks.acp.images import MAX_IMAGE, megabytes
from sidekicks.acp.prompt import Prompt, image_name, kind_of
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.paths import find_files
from sidekicks.models import FilePart, ImagePart, Message

MAX_ATTACHMENTS = 20
"""Images and files of one message."""
MAX_TOGETHER = 20 * 1024 * 1024
"""Bytes of all images of one message."""


async def checked(attachments: Sequence[ImagePart | FilePart]) -> tuple[ImagePart | FilePart, ...]:
    """The attachments, files with their types.

    Raises:
        ChannelError: one can't be sent.
    """
    if len(attachments) > MAX_ATTACHMENTS:
        raise ChannelError(
            f"{len(attachments)} attachments are too many: {MAX_ATTACHMENTS} go with a message"
        )
    images = [part for part in attachments if isinstance(part, ImagePart)]
    for image in images:
        _check_image(image)
    together = sum(len(image.data) for image in images)
    if together > MAX_TOGETHER:
        raise ChannelError(
            f"the images have {megabytes(together)} together: {megabytes(MAX_TOGETHER)} go with a message"
        )
    return tuple(await asyncio.to_thread(lambda: [_checked(part) for part in attachments]))


async def prompt_of(text: str, message: Message, folder: str, agents: Iterable[str]) -> Prompt:
    """What an agent that works in `folder` is asked: `text`, with what goes with the message."""
    attachments = tuple(part for part in message.parts if isinstance(part, ImagePart | FilePart))
    links: tuple[str, ...] = ()
    if "@" in text:
        links = await asyncio.to_thread(find_files, text, folder, tuple(agents))
    return Prompt(text=text, attachments=attachments, links=links)


def _check_image(image: ImagePart) -> None:
    if not image.mime_type.startswith("image/"):
        raise ChannelError(f"{image_name(image)} is no image, but {image.mime_type or 'of no known type'}")
    if not image.data:
        raise ChannelError(f"{image_name(image)} is empty")
    if len(image.data) > MAX_IMAGE:
        raise ChannelError(
            f"{image_name(image)} has {megabytes(len(image.data))}: an image may have {megabytes(MAX_IMAGE)}"
        )


def _checked(part: ImagePart | FilePart) -> ImagePart | FilePart:
    if isinstance(part, ImagePart):
        return part
    path = Path(part.path)
    if not path.is_absolute():
        raise ChannelError(f"{part.path} is not the absolute path of a file")
    try:
        exists = path.exists()
    except (OSError, ValueError) as error:
        raise ChannelError(f"{part.path} is no usable path ({error})") from error
    if not exists:
        raise ChannelError(f"the file {part.path} does not exist")
    return FilePart(path=part.path, mime_type=part.mime_type or kind_of(part.path))
