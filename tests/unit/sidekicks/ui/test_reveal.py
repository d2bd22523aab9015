"""What cannot be seen is shown, what can be seen is left alone."""

from __future__ import annotations

import pytest

from sidekicks.ui.reveal import hides_something, reveal


@pytest.mark.parametrize("code", [0x202E, 0x2066, 0x200B, 0x200F, 0xFEFF, 0x00AD, 0x1B, 0x3164, 0xE0041])
def test_hidden_characters_are_named(code: int) -> None:
    assert reveal(f"a{chr(code)}b") == f"a⟨U+{code:04X}⟩b"
    assert hides_something(chr(code))


@pytest.mark.parametrize("text", ["git status", "café 日本語 مرحبا 🤖", "a\tb"])
def test_visible_text_stays(text: str) -> None:
    assert reveal(text) == text
    assert not hides_something(text)
