"""Places in text as the protocol counts them, and the languages of files."""

from __future__ import annotations

import re
from difflib import get_close_matches
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from minime_agent.lsp.shapes import Position

EXTENSIONS: Final[dict[str, tuple[str, ...]]] = {
    "c": (".c", ".h"),
    "cpp": (".cc", ".cpp", ".cxx", ".hh", ".hpp"),
    "csharp": (".cs",),
    "css": (".css",),
    "go": (".go",),
    "html": (".html", ".htm"),
    "java": (".java",),
    "javascript": (".js", ".jsx", ".mjs", ".cjs"),
    "json": (".json",),
    "kotlin": (".kt", ".kts"),
    "lua": (".lua",),
    "php": (".php",),
    "python": (".py", ".pyi"),
    "ruby": (".rb",),
    "rust": (".rs",),
    "shellscript": (".sh", ".bash"),
    "swift": (".swift",),
    "typescript": (".ts", ".tsx", ".mts", ".cts"),
    "yaml": (".yaml", ".yml"),
    "zig": (".zig",),
}
"""By the protocol's names of languages; other languages name theirs in the settings."""

_DRIVE = re.compile(r"/[A-Za-z]:")
_WORD = re.compile(r"[^\W\d]\w*")


class NoSuchSymbol(Exception):  # noqa: N818 (told to the model, not an error of the program)
    """A symbol that does not stand where it was said to; the message says what does."""


def find(text: str, line: int | None, symbol: str) -> Position:
    """Where `symbol` stands: in the 1-based `line`, else in the nearest one that has it, else the first.

    Small models can't count columns, and are some lines off after an edit. Raises `NoSuchSymbol`.
    """
    rows = text.split("\n")
    if line is not None and not symbol:
        words = _WORD.findall(rows[line - 1]) if 0 < line <= len(rows) else []
        if len(set(words)) == 1:
            symbol = words[0]
        else:
            there = f"; there are {', '.join(dict.fromkeys(words))}" if words else ""
            raise NoSuchSymbol(f"name the symbol in line {line}{there}")
    # `module.name` means the name.
    name = symbol.strip().removesuffix("()").rpartition(".")[2]
    if not name:
        raise NoSuchSymbol("name the symbol, and the line that it stands in")
    whole = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    found = [number for number, row in enumerate(rows) if whole.search(row)]
    if not found:
        near = get_close_matches(name, set(_WORD.findall(text)), n=5)
        raise NoSuchSymbol(f"{name!r} is not in the file" + (f"; near it: {', '.join(near)}" if near else ""))
    best = min(found, key=lambda number: abs(number - (line - 1))) if line is not None else found[0]
    match = whole.search(rows[best])
    assert match is not None
    return Position(best, len(rows[best][: match.start()].encode("utf-16-le")) // 2)


def language_id(path: Path, configured: str) -> str:
    """What the protocol calls a file's language; `configured` where it is none that is known here."""
    suffix = path.suffix.lower()
    if suffix in (".tsx", ".jsx"):
        return "typescriptreact" if suffix == ".tsx" else "javascriptreact"
    return next((name for name, suffixes in EXTENSIONS.items() if suffix in suffixes), configured)


def path_of(uri: str) -> Path:
    """The file of a `file:` URI; servers write `file:///c%3A/x` too."""
    path = unquote(urlsplit(uri).path)
    return Path(path[1:] if _DRIVE.match(path) else path)
