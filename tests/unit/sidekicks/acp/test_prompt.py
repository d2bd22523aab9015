"""The blocks of a prompt where the disk does not play along."""

from __future__ import annotations

from pathlib import Path

from minime_agent.acp.wire import content
from minime_agent.acp.wire.handshake import PromptCapabilities
from sidekicks.acp.prompt import Prompt, prompt_blocks
from sidekicks.models import FilePart

ALL = PromptCapabilities(image=True, audio=True, embedded_context=True)


def test_a_file_that_is_gone_meanwhile_is_said(tmp_path: Path) -> None:
    gone = str(tmp_path / "gone.txt")
    _, note = prompt_blocks(Prompt(text="x", attachments=(FilePart(path=gone),)), ALL)
    assert note == content.TextContent(text=f"\n\n[Left out, because it does not exist any more: {gone}]")


def test_bytes_are_linked_and_nothing_goes_twice(tmp_path: Path) -> None:
    data = tmp_path / "data.bin"
    data.write_bytes(b"\0\xff")
    latin = tmp_path / "latin.txt"
    latin.write_bytes(b"caf\xe9")
    files = (FilePart(path=str(data)), FilePart(path=str(latin)))
    blocks = prompt_blocks(Prompt(text="x", attachments=files, links=(str(data), str(tmp_path))), ALL)
    links = [block for block in blocks if isinstance(block, content.ResourceLink)]
    assert [link.uri for link in links] == [data.as_uri(), latin.as_uri(), tmp_path.as_uri()]
    assert [link.size for link in links] == [2, 4, None]
