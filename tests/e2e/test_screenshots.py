"""The pictures of the documents: a window on a real X server, a real model that answers what is typed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.embedded_model import smollm2

__all__ = ["smollm2"]

ROOT = Path(__file__).parent.parent.parent


def picture(folder: Path, name: str, size: str = "1100x760") -> QImage:
    program = ROOT / "packaging" / "screenshots.py"
    subprocess.run(
        [sys.executable, str(program), "--only", name, "--size", size, "--out", str(folder)],
        check=True,
        timeout=100,
    )
    return QImage(str(folder / f"{name}.png"))


def ink(image: QImage, left: int, top: int, right: int, bottom: int) -> int:
    """How many pixels of a part of the picture differ from its corner."""
    ground = image.pixel(left, top)
    return sum(image.pixel(x, y) != ground for x in range(left, right) for y in range(top, bottom))


@pytest.mark.xvfb
@pytest.mark.embedded
def test_the_embedded_model_answers_what_is_typed_into_the_window(tmp_path: Path, smollm2: Path) -> None:
    image = picture(tmp_path, "window")
    assert (image.width(), image.height()) == (1100, 760)
    assert ink(image, 280, 100, 1000, 150) > 100, "what was typed"
    assert ink(image, 280, 200, 1000, 300) > 200, "the answer"


@pytest.mark.xvfb
def test_a_permission_card_shows_the_change(tmp_path: Path) -> None:
    assert_red_and_green(picture(tmp_path, "permission"), 380, 560)


@pytest.mark.xvfb
def test_what_an_agent_did_is_unfolded(tmp_path: Path) -> None:
    assert_red_and_green(picture(tmp_path, "parts", "1100x1000"), 680, 900)


def assert_red_and_green(image: QImage, top: int, bottom: int) -> None:
    colours = {image.pixel(x, y) for x in range(300, 1050, 50) for y in range(top, bottom, 4)}
    red = [colour for colour in colours if (colour >> 16 & 255) > (colour & 255) + 15]
    green = [colour for colour in colours if (colour >> 8 & 255) > (colour >> 16 & 255) + 10]
    assert red
    assert green
