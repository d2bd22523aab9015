"""How Markdown is read: the dialect, and what a text says without its marks."""

from __future__ import annotations

from typing import Final

from PySide6.QtGui import QTextDocument

_FRONT_MATTER: Final = 0x100000
FEATURES: Final = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value & ~_FRONT_MATTER
    | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
"""GitHub's dialect, tags shown as text, no front matter: Qt would swallow what stands between two rules."""


def plain(markdown: str) -> str:
    """What a segment says, without its marks."""
    document = QTextDocument()
    document.setMarkdown(markdown, FEATURES)
    return document.toPlainText()


def code_blocks(markdown: str) -> list[str]:
    """The code blocks of a segment as they were written: Qt's own reading turns tabs into spaces."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(markdown)
    return [token.content.removesuffix("\n") for token in tokens if token.type in ("fence", "code_block")]
