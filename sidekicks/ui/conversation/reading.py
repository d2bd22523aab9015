"""How Markdown is read: the dialect, and what a text says without its marks."""

from __future__ import annotations

import re
from typing import Final

from PySide6.QtGui import QTextDocument

_FRONT_MATTER: Final = 0x100000
FEATURES: Final = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value & ~_FRONT_MATTER
    | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
"""GitHub's dialect, tags shown as text, no front matter: Qt would swallow what stands between two rules."""

_FENCE: Final = re.compile(r"[ >]*(`{3,}|~{3,})")


def plain(markdown: str) -> str:
    """What a segment says, without its marks."""
    document = QTextDocument()
    document.setMarkdown(markdown, FEATURES)
    return document.toPlainText()


def with_line_breaks(markdown: str) -> str:
    """The same text with each line a line of its own, where Markdown would make one of several."""
    lines, fence = markdown.split("\n"), ""
    for number, line in enumerate(lines):
        opening = _FENCE.match(line)
        if fence:
            if opening and opening[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif opening:
            fence = opening[1]
        elif line.strip():
            lines[number] = line + "  "
    return "\n".join(lines)


def code_blocks(markdown: str) -> list[str]:
    """The code blocks of a segment as they were written: Qt's own reading turns tabs into spaces."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(markdown)
    return [token.content.removesuffix("\n") for token in tokens if token.type in ("fence", "code_block")]
