"""Places in texts with emoji, which Qt and Python count otherwise."""

from __future__ import annotations

import pytest

from sidekicks.ui.positions import characters, folded, units


@pytest.mark.parametrize(("count", "expected"), [(0, 0), (1, 2), (2, 3), (3, 5), (4, 5)])
def test_an_emoji_is_two_units(count: int, expected: int) -> None:
    assert units("🤖a🦊", count) == expected
    assert characters("🤖a🦊", expected) == min(count, 3)


def test_a_folded_text_is_as_long_as_it_was() -> None:
    assert folded("Größe") == "größe"
    assert folded("STRASSE") == "strasse"
