"""Every colour, size and font of the window, in one place: light and dark, at any zoom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Final

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette

from sidekicks.models import ThemeChoice

MIN_ZOOM: Final = 0.7
MAX_ZOOM: Final = 2.5


@dataclass(frozen=True, slots=True)
class Tokens:
    """The colours of one theme, as `#rrggbb`. Backgrounds first, then what is written or drawn on them."""

    background: str
    surface: str
    raised: str
    hover: str
    code_background: str
    selection: str
    found: str
    found_current: str
    diff_added: str
    diff_removed: str
    diff_added_word: str
    diff_removed_word: str
    border: str
    border_strong: str
    text: str
    text_secondary: str
    accent: str
    on_accent: str
    success: str
    warning: str
    danger: str
    code_comment: str
    code_keyword: str
    code_string: str
    code_number: str
    code_function: str
    code_type: str


LIGHT: Final = Tokens(
    background="#ffffff",
    surface="#f6f6f7",
    raised="#fbfbfc",
    hover="#ececef",
    code_background="#f6f6f8",
    selection="#cfdffb",
    found="#fff1b8",
    found_current="#ffd24d",
    diff_added="#e1f5e6",
    diff_removed="#fce8e8",
    diff_added_word="#b9e6c6",
    diff_removed_word="#f6c4c2",
    border="#e3e3e7",
    border_strong="#c9c9d0",
    text="#1d1d21",
    text_secondary="#62626b",
    accent="#2b5cc4",
    on_accent="#ffffff",
    success="#17723a",
    warning="#855300",
    danger="#b3261e",
    code_comment="#66666f",
    code_keyword="#8b2f9e",
    code_string="#1b6e3c",
    code_number="#9a4a00",
    code_function="#2456b0",
    code_type="#0b6b78",
)

DARK: Final = Tokens(
    background="#1b1c1f",
    surface="#212226",
    raised="#25262b",
    hover="#2d2f35",
    code_background="#222328",
    selection="#2c4470",
    found="#4f4419",
    found_current="#7a5f00",
    diff_added="#1b3526",
    diff_removed="#412528",
    diff_added_word="#28583d",
    diff_removed_word="#6b3238",
    border="#33353b",
    border_strong="#4a4d55",
    text="#e2e3e7",
    text_secondary="#a2a4ad",
    accent="#86aaf9",
    on_accent="#11141b",
    success="#6cc488",
    warning="#e0b254",
    danger="#f28b86",
    code_comment="#999ba5",
    code_keyword="#cf9bea",
    code_string="#8fc98f",
    code_number="#e3a56f",
    code_function="#8db4ff",
    code_type="#74c4cf",
)

_EVERYWHERE: Final = ("text", "text_secondary", "accent", "success", "warning", "danger")
_CODE: Final = ("code_comment", "code_keyword", "code_string", "code_number", "code_function", "code_type")

TEXT_ON: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "background": _EVERYWHERE,
        "surface": _EVERYWHERE,
        "raised": _EVERYWHERE,
        "hover": ("text", "text_secondary", "accent", "danger"),
        "code_background": (*_EVERYWHERE, *_CODE),
        "selection": ("text",),
        "found": ("text",),
        "found_current": ("text",),
        "diff_added": ("text", "text_secondary", "success"),
        "diff_removed": ("text", "text_secondary", "danger"),
        "diff_added_word": ("text",),
        "diff_removed_word": ("text",),
        "accent": ("on_accent",),
    }
)
"""Which tokens may be written on which; a pair that is not here is not used. A test checks each contrast."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """Lengths in device-independent pixels at zoom 1, on a grid of 4."""

    xs: int = 4
    s: int = 8
    m: int = 12
    l: int = 16  # noqa: E741  the names of the grid's steps
    xl: int = 24
    radius: int = 6
    icon: int = 16
    column: int = 860
    sidebar: int = 240
    sidebar_min: int = 180
    sidebar_max: int = 400
    line: int = 20
    code_line: int = 18


SIZES: Final = Sizes()

_BODY_PX: Final = 13.0
_SMALL_PX: Final = 11.0
_HEADER_PX: Final = 15.0
_CODE_PX: Final = 12.5


@dataclass(frozen=True)
class Theme:
    """What a widget needs to draw itself. Passed in; a new one is handed out when anything changes."""

    tokens: Tokens
    dark: bool
    zoom: float = 1.0

    def color(self, token: str) -> QColor:
        """The colour named `token`, a field of `Tokens`."""
        return QColor(getattr(self.tokens, token))

    def px(self, length: float) -> int:
        """A length given at zoom 1, in device-independent pixels at this zoom."""
        return max(1, round(length * self.zoom)) if length else 0

    def zoomed(self, zoom: float) -> Theme:
        """The same colours at another zoom, kept within `MIN_ZOOM` and `MAX_ZOOM`."""
        return replace(self, zoom=min(MAX_ZOOM, max(MIN_ZOOM, zoom)))

    def body_font(self) -> QFont:
        """What messages and most of the window are set in."""
        return self._font(QFontDatabase.SystemFont.GeneralFont, _BODY_PX)

    def small_font(self) -> QFont:
        """Times, counts, hints."""
        return self._font(QFontDatabase.SystemFont.GeneralFont, _SMALL_PX)

    def strong_font(self) -> QFont:
        """Names of authors, the title of a card."""
        font = self.body_font()
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def header_font(self) -> QFont:
        """The conversation's name."""
        font = self._font(QFontDatabase.SystemFont.GeneralFont, _HEADER_PX)
        font.setWeight(QFont.Weight.DemiBold)
        return font

    def code_font(self) -> QFont:
        """Code, commands, paths and output."""
        font = self._font(QFontDatabase.SystemFont.FixedFont, _CODE_PX)
        font.setFixedPitch(True)
        return font

    def palette(self) -> QPalette:
        """The palette of the application (or of one widget), every group set."""
        palette = QPalette()
        for role, token in _ROLES.items():
            palette.setColor(role, self.color(token))
        for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
            palette.setColor(QPalette.ColorGroup.Disabled, role, self.color("text_secondary"))
        return palette

    def scroll_bar_style(self) -> str:
        """A style sheet for a scroll bar: a slim handle and nothing else."""
        width, inset = self.px(SIZES.m), self.px(3)
        return f"""
            QScrollBar {{ background: transparent; border: 0; margin: 0 }}
            QScrollBar:vertical {{ width: {width}px }}
            QScrollBar:horizontal {{ height: {width}px }}
            QScrollBar::handle {{
                background: {self.tokens.border_strong}; border-radius: {(width - 2 * inset) // 2}px;
                margin: {inset}px; min-height: {self.px(SIZES.xl)}px; min-width: {self.px(SIZES.xl)}px
            }}
            QScrollBar::handle:hover {{ background: {self.tokens.text_secondary} }}
            QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0 }}
            QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent }}
        """

    def _font(self, which: QFontDatabase.SystemFont, pixels: float) -> QFont:
        font = QFontDatabase.systemFont(which)
        # Points, not pixels: only they take fractions. The sizes are pixels, so undo the screen's ratio.
        screen = QGuiApplication.primaryScreen()
        font.setPointSizeF(pixels * self.zoom * 72 / (screen.logicalDotsPerInchY() if screen else 96))
        return font


_ROLES: Final = {
    QPalette.ColorRole.Window: "background",
    QPalette.ColorRole.WindowText: "text",
    QPalette.ColorRole.Base: "background",
    QPalette.ColorRole.AlternateBase: "surface",
    QPalette.ColorRole.ToolTipBase: "raised",
    QPalette.ColorRole.ToolTipText: "text",
    QPalette.ColorRole.PlaceholderText: "text_secondary",
    QPalette.ColorRole.Text: "text",
    QPalette.ColorRole.Button: "raised",
    QPalette.ColorRole.ButtonText: "text",
    QPalette.ColorRole.BrightText: "danger",
    QPalette.ColorRole.Light: "raised",
    QPalette.ColorRole.Midlight: "hover",
    QPalette.ColorRole.Mid: "border",
    QPalette.ColorRole.Dark: "border_strong",
    QPalette.ColorRole.Shadow: "border_strong",
    QPalette.ColorRole.Highlight: "selection",
    QPalette.ColorRole.HighlightedText: "text",
    QPalette.ColorRole.Accent: "accent",
    QPalette.ColorRole.Link: "accent",
    QPalette.ColorRole.LinkVisited: "accent",
}


def light(zoom: float = 1.0) -> Theme:
    """Dark text on white."""
    return Theme(LIGHT, dark=False).zoomed(zoom)


def dark(zoom: float = 1.0) -> Theme:
    """Light text on near-black."""
    return Theme(DARK, dark=True).zoomed(zoom)


def theme_for(choice: ThemeChoice, zoom: float = 1.0) -> Theme:
    """The theme that the configuration asks for; `system` follows the desktop's."""
    if choice == "system":
        scheme = QGuiApplication.styleHints().colorScheme()
        return dark(zoom) if scheme == Qt.ColorScheme.Dark else light(zoom)
    return dark(zoom) if choice == "dark" else light(zoom)
