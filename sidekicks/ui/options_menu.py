"""What can be chosen for an agent in a conversation, as entries of a menu: mode, model, thinking."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QMenu

from sidekicks.models import SessionOption
from sidekicks.ui.reveal import reveal

Choose = Callable[[str, str | bool], None]
"""An option by its id, and the value that was chosen."""


def add_options(menu: QMenu, options: Sequence[SessionOption], choose: Choose) -> None:
    """A submenu for each option with what is chosen ticked; a tick for what is on or off."""
    if not options:
        text = QCoreApplication.translate("OptionsMenu", "Its options are known once it has started here")
        menu.addAction(text).setEnabled(False)
    for option in options:
        name = reveal(option.name)
        if isinstance(option.value, bool):
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(option.value)
            action.setToolTip(reveal(option.description))
            action.triggered.connect(partial(_choose, choose, option.id, not option.value))
            continue
        current = next((one.name for one in option.choices if one.value == option.value), str(option.value))
        submenu = menu.addMenu(f"{name}: {reveal(current)}".replace("&", "&&"))
        submenu.setToolTipsVisible(True)
        submenu.setStyleSheet("QMenu { menu-scrollable: 1; }")
        _add_choices(submenu, option, choose)


def _add_choices(menu: QMenu, option: SessionOption, choose: Choose) -> None:
    group = QActionGroup(menu)
    heading = ""
    for one in option.choices:
        if one.group != heading:
            heading = one.group
            menu.addSection(reveal(heading))
        action = menu.addAction(reveal(one.name or one.value).replace("&", "&&"))
        action.setCheckable(True)
        action.setChecked(one.value == option.value)
        action.setToolTip(reveal(one.description))
        action.triggered.connect(partial(_choose, choose, option.id, one.value))
        group.addAction(action)


def _choose(choose: Choose, option: str, value: str | bool) -> None:
    choose(option, value)
