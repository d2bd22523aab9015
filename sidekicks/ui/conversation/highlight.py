"""Colours for code: which part of which line is a keyword, a string, a comment. Pygments, once needed."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from pygments.lexer import Lexer

Span: TypeAlias = tuple[int, int, str]
"""Start, length, and the name of a colour of the theme."""

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

COMMON: Final = ("python", "bash", "json", "diff", "javascript", "yaml")
_KEPT_LINES: Final = 4_096
_KEPT_BLOCKS: Final = 256
_LONGEST: Final = 20_000

_COLORS: Final = (
    ("Comment", "code_comment"),
    ("Keyword", "code_keyword"),
    ("Name.Function", "code_function"),
    ("Name.Class", "code_type"),
    ("Name.Builtin", "code_type"),
    ("Name.Exception", "code_type"),
    ("Name.Decorator", "code_function"),
    ("Name.Tag", "code_keyword"),
    ("Name.Attribute", "code_function"),
    ("Name.Namespace", "code_type"),
    ("Literal.String", "code_string"),
    ("Literal.Number", "code_number"),
    ("Operator.Word", "code_keyword"),
    ("Generic.Deleted", "danger"),
    ("Generic.Inserted", "success"),
    ("Generic.Heading", "code_function"),
    ("Generic.Subheading", "code_function"),
    ("Generic.Prompt", "code_comment"),
)


class Highlighter:
    """Lexes code. Until `warm` was called it knows no language, so that the first paint need not wait."""

    def __init__(self) -> None:
        self._ready = False
        self._lexers: dict[str, Lexer | None] = {}
        self._lines: OrderedDict[tuple[str, str], list[Span]] = OrderedDict()
        self._blocks: OrderedDict[tuple[str, str], list[list[Span]]] = OrderedDict()
        self._colors: dict[object, str] = {}

    @property
    def ready(self) -> bool:
        """Whether code is coloured yet."""
        return self._ready

    def warm(self, language: str) -> None:
        """Imports what `language` needs (some 40 ms the first time)."""
        self._ready = True
        self._lexer(language)

    def line(self, language: str, text: str) -> list[Span]:
        """The colours of one line, without regard to those before it: for code that still grows."""
        if not self._ready or not text:
            return []
        key = (language, text)
        found = self._lines.get(key)
        if found is None:
            found = self._lines[key] = self._lex(language, text)[0]
            _forget(self._lines, _KEPT_LINES)
        return found

    def block(self, language: str, lines: list[str]) -> list[list[Span]]:
        """The colours of each line of a whole block."""
        code = "\n".join(lines)
        if not self._ready or len(code) > _LONGEST:
            return [[] for _ in lines]
        key = (language, code)
        found = self._blocks.get(key)
        if found is None:
            found = self._blocks[key] = self._lex(language, code)
            _forget(self._blocks, _KEPT_BLOCKS)
        return found

    def _lex(self, language: str, code: str) -> list[list[Span]]:
        lexer = self._lexer(language)
        lines: list[list[Span]] = [[]]
        if lexer is None:
            return [[] for _ in code.split("\n")]
        at = 0
        for token, text in lexer.get_tokens(code):
            color = self._color(token)
            for number, piece in enumerate(text.split("\n")):
                if number:
                    lines.append([])
                    at = 0
                if piece and color:
                    lines[-1].append((at, len(piece), color))
                at += len(piece)
        return lines

    def _color(self, token: object) -> str:
        found = self._colors.get(token)
        if found is None:
            name = str(token).removeprefix("Token.")
            found = next((color for prefix, color in _COLORS if name.startswith(prefix)), "")
            self._colors[token] = found
        return found

    def _lexer(self, language: str) -> Lexer | None:
        if language not in self._lexers:
            from pygments.lexers import find_lexer_class_by_name
            from pygments.util import ClassNotFound

            try:
                found = find_lexer_class_by_name(language)
                self._lexers[language] = found(stripnl=False, ensurenl=False)
            except ClassNotFound:
                self._lexers[language] = None
        return self._lexers[language]


def _forget(cache: OrderedDict[_Key, _Value], limit: int) -> None:
    while len(cache) > limit:
        cache.popitem(last=False)
