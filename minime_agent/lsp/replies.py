"""What servers answer, as lines that a model reads: `path:line: code`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from minime_agent.lsp.documents import path_of
from minime_agent.lsp.shapes import Diagnostic, Hover, Marked, Place, Symbol

_MOST = 100
_LINE = 200
_SEVERITIES = {1: "error", 2: "warning", 3: "note", 4: "hint"}
_KINDS = (
    "file", "module", "namespace", "package", "class", "method", "property", "field", "constructor", "enum",
    "interface", "function", "variable", "constant", "string", "number", "boolean", "array", "object", "key",
    "null", "enum member", "struct", "event", "operator", "type parameter",
)  # fmt: skip
"""By the protocol's numbers, which begin with 1."""


def places(found: Sequence[Place], shown: Callable[[Path], str]) -> str:
    """Each place with its line of code, sorted; empty when there are none."""
    wanted = sorted({(path, line) for place in found for path, line in _where(place)})
    rows: list[str] = []
    for path, group in itertools.groupby(wanted[:_MOST], key=lambda where: where[0]):
        lines = _lines(path)
        for _, line in group:
            code = lines[line].strip()[:_LINE] if line < len(lines) else ""
            rows.append(f"{shown(path)}:{line + 1}: {code}".rstrip())
    if len(wanted) > _MOST:
        rows.append(f"[{_MOST} of {len(wanted)} places shown]")
    return "\n".join(rows)


def diagnostics(found: Sequence[Diagnostic], shown: str) -> str:
    """Errors first; empty when there are none."""
    ordered = sorted(found, key=lambda one: (one.severity or 1, one.range.start.line))
    rows = [f"{shown}:{one.range.start.line + 1}: {_problem(one)}" for one in ordered[:_MOST]]
    if len(ordered) > _MOST:
        rows.append(f"[{_MOST} of {len(ordered)} shown; mend these first]")
    return "\n".join(rows)


def outline(symbols: Sequence[Symbol]) -> str:
    """`line: kind name`, indented by nesting; empty when there are none."""
    return "\n".join(_outline(symbols, 0))


def hover(found: Hover | None) -> str:
    """The text of a hover, code in fences; empty when there is none."""
    if found is None:
        return ""
    contents = found.contents if isinstance(found.contents, tuple) else (found.contents,)
    return "\n\n".join(filter(None, map(_marked, contents)))


def _where(place: Place) -> Iterator[tuple[Path, int]]:
    uri, where = place.uri or place.target_uri, place.range or place.target_selection_range
    if uri.startswith("file:") and where is not None:
        yield path_of(uri), where.start.line


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8", "replace").split("\n")
    except OSError:
        return []


def _problem(one: Diagnostic) -> str:
    code = f" [{one.code}]" if one.code is not None else ""
    return f"{_SEVERITIES.get(one.severity or 1, 'error')}: {' '.join(one.message.split())}{code}"


def _outline(symbols: Sequence[Symbol], depth: int) -> Iterator[str]:
    for symbol in symbols:
        where = symbol.selection_range or (symbol.location.range if symbol.location else None)
        line = f"{where.start.line + 1}: " if where is not None else ""
        kind = _KINDS[symbol.kind - 1] if 0 < symbol.kind <= len(_KINDS) else "symbol"
        yield f"{'  ' * depth}{line}{kind} {symbol.name}"
        yield from _outline(symbol.children, depth + 1)


def _marked(part: Marked | str) -> str:
    if isinstance(part, str):
        return part.strip()
    text = part.value.strip()
    return f"```{part.language}\n{text}\n```" if part.language and text else text
