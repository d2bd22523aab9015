"""What goes with a message of the user, and the images that agents send."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from sidekicks.acp.images import MAX_IMAGE
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.paths import find_files
from sidekicks.events import MessageDelta, PermissionRequested
from sidekicks.models import FilePart, ImagePart, Message, Part, TextPart, ToolPart
from tests.agents import scripted
from tests.sessions_parts import able
from tests.talk import Talk, text_of

PNG = ImagePart(mime_type="image/png", data=b"\x89PNG...", name="shot.png")
ENCODED = base64.b64encode(PNG.data).decode()


async def blocks(
    talk: Talk, channel: str, text: str, *attachments: ImagePart | FilePart
) -> list[dict[str, Any]]:
    """What the agent got of a message."""
    since = len(talk.recorder.events)
    await talk.channels.send(channel, f"{text} !blocks", attachments)
    await talk.free(channel, since)
    return json.loads(text_of((await talk.messages(channel))[-1]))


async def test_an_image_goes_to_an_agent_that_takes_images(talk: Talk) -> None:
    talk.configure(able("ada", "takes=image"))
    channel = await talk.channel("ada")
    text, image = await blocks(talk, channel, "look", PNG)
    assert text == {"type": "text", "text": "look !blocks"}
    assert image == {"type": "image", "data": ENCODED, "mimeType": "image/png"}
    sent = next(message for message in await talk.messages(channel) if message.role == "user")
    assert sent.parts == (TextPart(text="look !blocks"), PNG)


async def test_an_agent_without_images_is_told_that_there_was_one(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    _, note = await blocks(talk, channel, "look", PNG)
    assert note["text"].strip() == "[Left out, because you don't take images: shot.png]"


async def test_files_are_embedded_when_small_text_and_linked_otherwise(talk: Talk, tmp_path: Path) -> None:
    notes, large, photo, sound = (tmp_path / name for name in ("n.md", "l.txt", "p.png", "s.wav"))
    notes.write_text("# Notes")
    large.write_text("x" * 100_000)
    photo.write_bytes(PNG.data)
    sound.write_bytes(b"RIFF")
    files = [FilePart(path=str(path)) for path in (notes, large, photo, sound, tmp_path)]
    talk.configure(able("ada", "takes=image+audio+embeddedContext"), able("bob"))
    channel = await talk.channel("ada", "bob")
    _, embedded, linked, image, audio, folder = await blocks(talk, channel, "@ada", *files)
    resource = {"uri": notes.as_uri(), "text": "# Notes", "mimeType": "text/markdown"}
    assert embedded == {"type": "resource", "resource": resource}
    assert (linked["type"], linked["uri"], linked["size"]) == ("resource_link", large.as_uri(), 100_000)
    assert (image["type"], image["data"]) == ("image", ENCODED)
    assert (audio["type"], audio["mimeType"][:6]) == ("audio", "audio/")
    assert (folder["type"], folder["uri"]) == ("resource_link", tmp_path.as_uri())
    kinds = [block["type"] for block in await blocks(talk, channel, "/bob:look", *files)]
    assert kinds == ["text", *["resource_link"] * 5]


async def test_mentioned_files_of_the_folder_become_links(talk: Talk, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "a b.py").write_text("")
    (tmp_path / "ada").write_text("")
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    await talk.channels.set_cwd(channel, str(tmp_path))
    found = await blocks(talk, channel, "@ada see @src/a b.py, `@src` and @/etc/passwd or @nothing.py")
    assert [block["type"] for block in found] == ["text", "resource_link"]
    assert found[1]["uri"] == (tmp_path / "src" / "a b.py").as_uri()
    assert found[1]["name"] == "a b.py"
    assert "@src/a b.py, `@src`" in found[0]["text"]


def test_paths_as_people_write_them(tmp_path: Path) -> None:
    for name in ("a.py", "dir/b.txt", "my file.md", "bob"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("")

    def found(text: str) -> list[str]:
        return [
            Path(path).relative_to(tmp_path).as_posix() for path in find_files(text, str(tmp_path), ["bob"])
        ]

    assert found("@a.py and @dir/b.txt.") == ["a.py", "dir/b.txt"]
    assert found("(see @a.py)") == ["a.py"]
    assert found('@"my file.md" @my file.md @a.py @a.py') == ["my file.md", "a.py"]
    assert found(f"@{tmp_path}/dir is here") == ["dir"]
    assert found("@bob, mail me@a.py, @../x, @dir/../.., @. @ @\0") == []
    assert found("```\n@a.py\n```") == []
    assert len(found("@a.py " * 100_000)) == 1


async def test_what_a_waiting_message_carries_is_kept(talk: Talk) -> None:
    talk.configure(able("ada", "takes=image"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask")
    asked = await talk.recorder.until(PermissionRequested)
    since = len(talk.recorder.events)
    await talk.channels.send(channel, "!blocks", [PNG])
    await talk.channels.answer_permission(asked.id, "yes")
    await talk.recorder.until(MessageDelta, lambda event: "image/png" in event.text, since=since)
    await talk.free(channel, since)
    kept = [message for message in await talk.messages(channel) if PNG in message.parts]
    assert [message.queued for message in kept] == [False]


async def test_a_message_may_be_an_image_alone(talk: Talk) -> None:
    talk.configure(able("ada", "takes=image"), able("bob"))
    channel = await talk.channel("ada", "bob")
    await talk.ask(channel, "@ada hello")
    since = len(talk.recorder.events)
    await talk.channels.send(channel, "", [PNG])
    await talk.free(channel, since)
    assert (await talk.messages(channel))[-1].agent == "ada"
    prompt = text_of(await talk.ask(channel, "@bob !prompt"))
    assert "[an image: shot.png]" in prompt  # others are told of it, without its bytes
    assert ENCODED not in prompt


@pytest.mark.parametrize(
    ("attachments", "sentence"),
    [
        (
            [ImagePart(mime_type="image/png", data=b"x" * (MAX_IMAGE + 1), name="big.png")],
            "big.png has 10.5 MB",
        ),
        ([ImagePart(mime_type="text/html", data=b"x")], r"an image \(text/html\) is no image, but text/html"),
        ([ImagePart(mime_type="image/png", data=b"")], "is empty"),
        ([ImagePart(mime_type="image/png", data=b"x" * MAX_IMAGE)] * 3, "the images have 31.5 MB together"),
        ([PNG] * 21, "21 attachments are too many: 20 go with a message"),
        ([FilePart(path="notes.txt")], "notes.txt is not the absolute path"),
        ([FilePart(path="/nowhere/notes.txt")], "the file /nowhere/notes.txt does not exist"),
    ],
)
async def test_what_cannot_be_sent_is_one_sentence(
    talk: Talk, attachments: list[ImagePart | FilePart], sentence: str
) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    with pytest.raises(ChannelError, match=sentence):
        await talk.channels.send(channel, "look", attachments)
    assert [message.role for message in await talk.messages(channel)] == ["system"]


# -- what agents send --------------------------------------------------------------------------------


async def said(talk: Talk, channel: str, update: dict[str, Any]) -> tuple[Part, ...]:
    answer: Message = await talk.ask(channel, f"!say {json.dumps(update)}")
    return answer.parts


async def test_images_of_agents_are_parts_of_the_answer(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")

    def chunk(**content: Any) -> dict[str, Any]:
        return {"sessionUpdate": "agent_message_chunk", "content": content}

    image = chunk(type="image", data=ENCODED, mimeType="image/png", uri="file:///tmp/shot.png")
    assert await said(talk, channel, image) == (PNG,)
    assert talk.recorder.of(MessageDelta)[-1].part == PNG
    resource = {"uri": "file:///shot.png", "blob": ENCODED, "mimeType": "image/png"}
    assert await said(talk, channel, chunk(type="resource", resource=resource)) == (PNG,)
    audio = await said(talk, channel, chunk(type="audio", data="AAAA", mimeType="audio/wav"))
    assert audio == (TextPart(text="*(audio/wav)*"),)
    damaged = await said(talk, channel, chunk(type="image", data="no!", mimeType="image/png"))
    assert damaged == (TextPart(text="*(image/png: damaged)*"),)


async def test_images_of_tools_are_with_the_tool_call(talk: Talk) -> None:
    talk.configure(able("ada"))
    channel = await talk.channel("ada")
    content = [
        {"type": "content", "content": {"type": "text", "text": "taken"}},
        {"type": "content", "content": {"type": "image", "data": ENCODED, "mimeType": "image/png"}},
    ]
    update = {"sessionUpdate": "tool_call", "toolCallId": "1", "title": "Screenshot", "content": content}
    (tool,) = await said(talk, channel, update)
    assert isinstance(tool, ToolPart)
    assert tool.output == "taken"
    assert tool.images == (ImagePart(mime_type="image/png", data=PNG.data),)


async def test_a_plain_agent_still_takes_plain_text(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    assert text_of(await talk.ask(channel, "hello")) == "echo: hello"


async def test_a_message_is_taken_back_with_what_goes_with_it(talk: Talk) -> None:
    talk.configure(scripted("ada"))
    channel = await talk.channel("ada")
    await talk.channels.send(channel, "!ask")
    await talk.recorder.until(PermissionRequested)
    waiting = await talk.channels.send(channel, "look", (PNG,))
    assert (await talk.channels.unqueue(channel, waiting)).parts == (TextPart(text="look"), PNG)
    await talk.channels.cancel(channel)
