"""The line at the top of the settings: back, which file, theme, language, agents to add, other files."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton, QWidget

from sidekicks.ui import icons
from sidekicks.ui.elided import ElidedLabel
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

if TYPE_CHECKING:
    from sidekicks.config.service import KnownAgent

HEIGHT = 44
THEMES = ("system", "light", "dark")
LANGUAGES = ("system", "en", "fr")
_SHEET = """
SettingsBar { background: $background; border: none; border-bottom: 1px solid $border; }
"""


class SettingsBar(QFrame):
    """Says what was chosen and changes nothing itself."""

    back = Signal()
    agent_wanted = Signal(object)
    open_wanted = Signal()
    recent_wanted = Signal(str)
    editor_wanted = Signal()
    theme_chosen = Signal(str)
    language_chosen = Signal(str)
    zoom_chosen = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._known: Sequence[KnownAgent] = ()
        self._recent: Sequence[str] = ()
        self._back = QToolButton(self)
        self._title = QLabel(self)
        self._path = ElidedLabel(self)
        self._path.setProperty("tone", "secondary")
        self._theme_choice, self._language_choice = "system", "system"
        self.themes = QPushButton(self)
        self.languages = QPushButton(self)
        self.zoom = QPushButton(self)
        self.add = QPushButton(self)
        self.files = QPushButton(self)
        self._back.clicked.connect(self.back)
        self.themes.clicked.connect(self._show_themes)
        self.languages.clicked.connect(self._show_languages)
        self.zoom.clicked.connect(self._show_zoom)
        self.add.clicked.connect(self._show_agents)
        self.files.clicked.connect(self._show_files)
        line = QHBoxLayout(self)
        line.setContentsMargins(SIZES.s, 0, SIZES.l, 0)
        line.setSpacing(SIZES.s)
        line.addWidget(self._back)
        line.addWidget(self._title)
        line.addWidget(self._path, 1)
        for widget in (self.themes, self.languages, self.zoom, self.add, self.files):
            line.addWidget(widget)
        self._retranslate()
        self.set_theme(theme)

    def show_file(self, path: str, recent: Sequence[str], known: Sequence[KnownAgent]) -> None:
        """Which file is edited, which others were, and which agents can be added."""
        self._path.setText(path)
        self._path.setToolTip(path)
        self._recent = [other for other in recent if other != path]
        self._known = known

    def show_choices(self, theme: str, language: str) -> None:
        """What the text says of theme and language."""
        self._theme_choice = theme if theme in THEMES else THEMES[0]
        self._language_choice = language if language in LANGUAGES else LANGUAGES[0]
        self._name_choices()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.setStyleSheet(sheet(theme, _SHEET))
        self.setFixedHeight(theme.px(HEIGHT))
        self._title.setFont(theme.header_font())
        for widget in (self._path, self.themes, self.languages, self.zoom, self.add, self.files):
            widget.setFont(theme.small_font())
        self._name_choices()
        icons.dress(self._back, "back", theme.color("text_secondary"), theme.px(SIZES.icon))

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._back.setToolTip(self.tr("Back to the conversation (Esc)"))
        self._back.setAccessibleName(self.tr("Back"))
        self._title.setText(self.tr("Settings"))
        self.add.setText(self.tr("Add agent"))
        self.files.setText(self.tr("File"))
        self._name_choices()

    def _name_choices(self) -> None:
        for button, name, value in (
            (self.themes, self.tr("Theme"), self._theme_names()[self._theme_choice]),
            (self.languages, self.tr("Language"), self._language_names()[self._language_choice]),
            (self.zoom, self.tr("Size"), f"{round(self._theme.zoom * 100)} %"),
        ):
            button.setText(value)
            button.setToolTip(name)
            button.setAccessibleName(f"{name}: {value}")

    def _theme_names(self) -> dict[str, str]:
        return dict(zip(THEMES, (self.tr("System theme"), self.tr("Light"), self.tr("Dark")), strict=True))

    def _language_names(self) -> dict[str, str]:
        return dict(zip(LANGUAGES, (self.tr("System language"), "English", "Français"), strict=True))

    def themes_menu(self) -> QMenu:
        """The themes, the one in the text ticked."""
        return self._choices(self._theme_names(), self._theme_choice, self.theme_chosen)

    def languages_menu(self) -> QMenu:
        """The languages, the one in the text ticked."""
        return self._choices(self._language_names(), self._language_choice, self.language_chosen)

    def zoom_menu(self) -> QMenu:
        """Larger and smaller, as the keys do it."""
        menu = QMenu(self)
        for text, steps in (
            (self.tr("Larger (Ctrl++)"), 1),
            (self.tr("Smaller (Ctrl+-)"), -1),
            (self.tr("Normal size (Ctrl+0)"), 0),
        ):
            menu.addAction(text).triggered.connect(partial(self._zoom, steps))
        return menu

    def _choices(self, names: dict[str, str], current: str, chosen: SignalInstance) -> QMenu:
        menu = QMenu(self)
        for value, name in names.items():
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(value == current)
            action.triggered.connect(partial(self._choose, chosen, value))
        return menu

    @staticmethod
    def _choose(chosen: SignalInstance, value: str) -> None:
        chosen.emit(value)

    def _zoom(self, steps: int) -> None:
        self.zoom_chosen.emit(steps)

    def _show_zoom(self) -> None:
        self._popup(self.zoom_menu(), self.zoom)

    def _show_themes(self) -> None:
        self._popup(self.themes_menu(), self.themes)

    def _show_languages(self) -> None:
        self._popup(self.languages_menu(), self.languages)

    def agents_menu(self) -> QMenu:
        """The agents that can be added: those that are installed here, then the others."""
        menu = QMenu(self)
        for agent in (agent for agent in self._known if agent.installed):
            menu.addAction(agent.title).triggered.connect(partial(self._want_agent, agent))
        others = menu.addMenu(self.tr("Not installed here"))
        for agent in (agent for agent in self._known if not agent.installed):
            others.addAction(agent.title).triggered.connect(partial(self._want_agent, agent))
        others.menuAction().setVisible(not others.isEmpty())
        menu.addSeparator()
        menu.addAction(self.tr("Another program…")).triggered.connect(partial(self._want_agent, None))
        return menu

    def files_menu(self) -> QMenu:
        """Other configuration files, and the desktop's editor for this one."""
        menu = QMenu(self)
        menu.addAction(self.tr("Open another file…")).triggered.connect(self.open_wanted)
        menu.addAction(self.tr("Open in the editor of the desktop")).triggered.connect(self.editor_wanted)
        if self._recent:
            menu.addSeparator()
        for path in self._recent:
            menu.addAction(path).triggered.connect(partial(self._want_file, path))
        return menu

    def _want_agent(self, agent: KnownAgent | None) -> None:
        self.agent_wanted.emit(agent)

    def _want_file(self, path: str) -> None:
        self.recent_wanted.emit(path)

    def _show_agents(self) -> None:
        self._popup(self.agents_menu(), self.add)

    def _show_files(self) -> None:
        self._popup(self.files_menu(), self.files)

    def _popup(self, menu: QMenu, below: QWidget) -> None:
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(below.mapToGlobal(QPoint(0, below.height())))
