from __future__ import annotations

from pathlib import Path

import pytest

from minime_agent.lsp.documents import NoSuchSymbol, find, language_id, path_of
from minime_agent.lsp.shapes import Position

TEXT = """import shop

total = 0
for item in shop.items:
    total += item.price
    print("🎉é", total)
"""


@pytest.mark.parametrize(
    ("line", "symbol", "place"),
    [
        (3, "total", (2, 0)),
        (6, "total", (5, 17)),
        (None, "total", (2, 0)),
        (4, "shop.items", (3, 17)),
        (6, "print()", (5, 4)),
        (2, "items", (3, 17)),
        (400, "total", (5, 17)),
        (4, "tota", None),
    ],
)
def test_a_symbol_is_found_by_name_near_its_line(
    line: int | None, symbol: str, place: tuple[int, int] | None
) -> None:
    if place is None:
        with pytest.raises(NoSuchSymbol, match="'tota' is not in the file; near it: total"):
            find(TEXT, line, symbol)
    else:
        assert find(TEXT, line, symbol) == Position(*place)


def test_a_line_with_one_name_needs_none() -> None:
    assert find(TEXT, 3, "") == Position(2, 0)


@pytest.mark.parametrize(("line", "symbol"), [(None, ""), (0, ""), (2, "")])
def test_a_place_without_a_name_is_told(line: int | None, symbol: str) -> None:
    with pytest.raises(NoSuchSymbol, match="name the symbol"):
        find(TEXT, line, symbol)


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b%20c/%C3%A9.py", "/a/b c/é.py"),
        ("file:///a/100%25.py", "/a/100%.py"),
        ("file:///c%3A/x.py", "c:/x.py"),
        ("file:///C:/x.py", "C:/x.py"),
    ],
)
def test_uris(uri: str, path: str) -> None:
    assert path_of(uri) == Path(path)


def test_languages() -> None:
    assert language_id(Path("a.py"), "ruff") == "python"
    assert language_id(Path("a.tsx"), "typescript") == "typescriptreact"
    assert language_id(Path("a.vue"), "vue") == "vue"
