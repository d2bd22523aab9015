"""Both themes can be read, cover the palette, and are the only place with a colour in it."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import pytest
from PySide6.QtGui import QPalette
from pytestqt.qtbot import QtBot

import sidekicks.ui
from sidekicks.ui import theme as themes
from sidekicks.ui.theme import DARK, LIGHT, TEXT_ON, Tokens
from tests.gui.contrast import MIN_CONTRAST, contrast


def test_contrast_is_the_one_of_wcag() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(("background", "text"), [(b, t) for b, all_of in TEXT_ON.items() for t in all_of])
def test_every_pair_in_use_can_be_read(tokens: Tokens, background: str, text: str) -> None:
    assert contrast(getattr(tokens, background), getattr(tokens, text)) >= MIN_CONTRAST


def test_every_token_is_a_colour() -> None:
    for tokens in (LIGHT, DARK):
        for name, color in asdict(tokens).items():
            assert re.fullmatch("#[0-9a-f]{6}", color), name


def test_the_palette_follows_the_theme(qtbot: QtBot) -> None:
    assert themes.dark().palette().color(QPalette.ColorRole.Window).name() == DARK.background
    assert themes.light().palette().color(QPalette.ColorRole.Text).name() == LIGHT.text


def test_zoom_scales_lengths_and_fonts_and_has_bounds(qtbot: QtBot) -> None:
    once, twice = themes.light(), themes.light(2)
    assert (once.px(12), twice.px(12), twice.px(0)) == (12, 24, 0)
    assert twice.code_font().pointSizeF() == pytest.approx(2 * once.code_font().pointSizeF())
    assert themes.light(99).zoom == themes.MAX_ZOOM


def test_no_other_module_of_the_window_has_a_colour_literal() -> None:
    folder = Path(sidekicks.ui.__path__[0])
    for path in folder.rglob("*.py"):
        if path.name != "theme.py":
            assert not re.search(r"""["'][^"'\n]*#[0-9a-fA-F]{6}\b""", path.read_text("utf-8")), path
