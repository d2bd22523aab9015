"""What language servers send, as far as it is read (Language Server Protocol 3.17). Lines are 0-based."""

from __future__ import annotations

import msgspec


class Shape(msgspec.Struct, frozen=True, rename="camel"):
    """A message of the protocol; members that are not named are passed over."""


class Position(Shape, frozen=True):
    """`character` counts UTF-16 units."""

    line: int
    character: int


class Range(Shape, frozen=True):
    """From `start` up to `end`."""

    start: Position
    end: Position


class Place(Shape, frozen=True):
    """A Location or a LocationLink."""

    uri: str = ""
    range: Range | None = None
    target_uri: str = ""
    target_selection_range: Range | None = None


class Symbol(Shape, frozen=True):
    """A DocumentSymbol or a SymbolInformation."""

    name: str
    kind: int
    selection_range: Range | None = None
    location: Place | None = None
    children: tuple[Symbol, ...] = ()


class Diagnostic(Shape, frozen=True):
    """What a server thinks is wrong; `severity` 1 is an error, 2 a warning."""

    range: Range
    message: str
    severity: int | None = None
    code: int | str | None = None


class Diagnostics(Shape, frozen=True):
    """The diagnostics of one file: an answer (`items`) or a notification (`diagnostics`)."""

    uri: str = ""
    items: tuple[Diagnostic, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    version: int | None = None


class Marked(Shape, frozen=True):
    """Text of a hover; `language` where it is code."""

    value: str
    language: str = ""


class Hover(Shape, frozen=True):
    """What is known of a place, in one of the protocol's three forms."""

    contents: Marked | str | tuple[Marked | str, ...]


class Capabilities(Shape, frozen=True):
    """What a server can do; a missing member means that it can't."""

    definition_provider: object = None
    references_provider: object = None
    hover_provider: object = None
    document_symbol_provider: object = None
    diagnostic_provider: object = None


class Initialized(Shape, frozen=True):
    """The answer to `initialize`."""

    capabilities: Capabilities
