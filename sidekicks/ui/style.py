"""The look of buttons, fields, menus and scroll bars, from the theme's tokens.

Set on the parts of the window, never on the application: the conversation's many widgets paint themselves,
and a style sheet would slow each of them down.
"""

from __future__ import annotations

from string import Template

from sidekicks.ui.theme import SIZES, Theme

_SHEET = Template("""
QToolTip { background: $raised; color: $text; border: 1px solid $border_strong; padding: 4px; }
QToolButton {
    border: 1px solid transparent; border-radius: ${r4}px; padding: ${p3}px; color: $text_secondary;
}
QToolButton:hover, QToolButton:open { background: $hover; color: $text; }
QToolButton:pressed { background: $border; }
QToolButton:focus { border-color: $accent; }
QToolButton::menu-indicator { image: none; width: 0; }
QPushButton {
    background: $raised; color: $text; border: 1px solid $border_strong; border-radius: ${r4}px;
    padding: ${p4}px ${p12}px; min-height: ${p16}px;
}
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $border; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $text_secondary; border-color: $border; }
QPushButton[role="primary"] { background: $accent; color: $on_accent; border-color: $accent; }
QPushButton[role="primary"]:focus { border-color: $text; }
QPushButton[role="primary"]:disabled {
    background: $raised; color: $text_secondary; border-color: $border;
}
QPushButton[role="danger"] { color: $danger; }
QPushButton[role="link"] {
    background: transparent; border-color: transparent; color: $accent; padding: ${p4}px;
}
QPushButton[role="link"]:hover { text-decoration: underline; }
QPushButton[role="link"]:focus { border-color: $accent; }
QLineEdit, QDialog QPlainTextEdit {
    background: $background; color: $text; border: 1px solid $border_strong; border-radius: ${r4}px;
    padding: ${p4}px ${p8}px; selection-background-color: $selection; selection-color: $text;
}
QLineEdit:focus, QDialog QPlainTextEdit:focus { border-color: $accent; }
QLabel[tone="secondary"] { color: $text_secondary; }
QLabel[tone="danger"] { color: $danger; }
QMenu { background: $raised; color: $text; border: 1px solid $border_strong; padding: ${p4}px; }
QMenu::item { padding: ${p4}px ${p24}px ${p4}px ${p8}px; border-radius: ${r4}px; }
QMenu::item:selected { background: $hover; }
QMenu::item:disabled { color: $text_secondary; }
QMenu::separator { height: 1px; background: $border; margin: ${p4}px 0; }
QScrollBar:vertical { background: transparent; width: ${p8}px; margin: 0; }
QScrollBar::handle:vertical {
    background: $border_strong; border-radius: ${r3}px; min-height: ${p24}px; margin: 0 1px;
}
QScrollBar:horizontal { background: transparent; height: ${p8}px; margin: 0; }
QScrollBar::handle:horizontal {
    background: $border_strong; border-radius: ${r3}px; min-width: ${p24}px; margin: 1px 0;
}
QAbstractScrollArea::corner { background: transparent; border: none; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
""")


def sheet(theme: Theme, extra: str = "") -> str:
    """The style sheet for a part of the window; `extra` is more of it, with the same `$names`."""
    lengths = {f"p{pixels}": theme.px(pixels) for pixels in (3, 4, 8, 12, 16, 24)}
    radii = {"r3": theme.px(3), "r4": theme.px(4), "r6": theme.px(SIZES.radius)}
    colors = {name: getattr(theme.tokens, name) for name in theme.tokens.__slots__}
    return Template(_SHEET.template + extra).substitute(colors | lengths | radii)
