"""Content blocks as the conversation shows them."""

from __future__ import annotations

from markdown_it import MarkdownIt

from minime_agent.acp.wire.content import EmbeddedResource, ResourceContents
from sidekicks.acp.text import block_text


def test_an_embedded_file_stays_one_block_of_code_whatever_is_in_it() -> None:
    file = "# Title\n\n```python\nx = 1\n```\n\n[a link](https://example.org)"
    shown = block_text(EmbeddedResource(ResourceContents("file:///notes.md", text=file)))
    assert [(token.type, token.content) for token in MarkdownIt().parse(shown)] == [("fence", f"{file}\n")]
