"""Icons are there, take the theme's colour, and are sharp at any scale."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QApplication

import sidekicks
from sidekicks.models import AgentStatus
from sidekicks.resources import resource
from sidekicks.ui import icons
from sidekicks.ui.agents.icon import agent_pixmap
from sidekicks.ui.agents.words import STATE_ICONS
from sidekicks.ui.theme import DARK, LIGHT, Theme, Tokens
from tests.gui.contrast import contrast

NAMES = sorted(path.stem for path in resource("icons").glob("*.svg"))


def colors(pixmap: QPixmap) -> set[str]:
    image = pixmap.toImage()
    return {
        image.pixelColor(x, y).name()
        for x in range(image.width())
        for y in range(image.height())
        if image.pixelColor(x, y).alpha() == 255
    }


@pytest.mark.parametrize("name", NAMES)
def test_every_icon_is_drawn_in_the_colour_asked_for(qapp: QApplication, name: str) -> None:
    drawn = colors(icons.pixmap(name, QColor("#123456"), 64))
    assert drawn
    if name != "sidekicks":
        assert drawn == {"#123456"}


def test_an_icon_has_the_pixels_of_the_screen(qapp: QApplication) -> None:
    pixmap = icons.pixmap("plus", QColor("black"), 16, 2.0)
    assert (pixmap.width(), pixmap.deviceIndependentSize().width()) == (32, 16)


def test_every_icon_that_the_code_names_exists() -> None:
    called = re.compile(
        r'icons\.(?:icon|pixmap|dress)\([^"]*"([a-z-]+)"|Notice\(\s*"([a-z-]+)"|_icon\([^)]*"([a-z-]+)"'
    )
    code = "\n".join(path.read_text("utf-8") for path in Path(sidekicks.__file__).parent.rglob("ui/**/*.py"))
    named = {name for match in called.finditer(code) for name in match.groups() if name}
    assert "plus" in named
    assert named | set(STATE_ICONS.values()) <= set(NAMES) | {"accent", "warning"}


def agent(icon: str) -> AgentStatus:
    return AgentStatus(name="mm", title="Mini Me", icon=icon, description="", state="ready")


def test_an_agents_icon_is_its_emoji_its_image_or_its_first_letter(theme: Theme, tmp_path: Path) -> None:
    picture = QPixmap(40, 20)
    picture.fill(QColor("#ff0000"))
    picture.save(str(tmp_path / "icon.png"))
    assert colors(agent_pixmap(agent(str(tmp_path / "icon.png")), theme, 16)) == {"#ff0000"}
    emoji = agent_pixmap(agent("🤖"), theme, 16).toImage()
    letter = agent_pixmap(agent(""), theme, 16).toImage()
    missing = agent_pixmap(agent(str(tmp_path / "gone.png")), theme, 16).toImage()
    assert emoji != letter
    assert missing == letter


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("text", "ground"), [("warning", "hover"), ("text", "border"), ("text_secondary", "hover")]
)
def test_what_the_sidebar_writes_on_its_marks_can_be_read(tokens: Tokens, text: str, ground: str) -> None:
    assert contrast(getattr(tokens, text), getattr(tokens, ground)) >= 4.5
