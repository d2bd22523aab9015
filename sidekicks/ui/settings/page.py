"""The settings as a page of the window: the configuration file with help, and the remembered answers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QVBoxLayout,
    QWidget,
)

from sidekicks.models import Problem
from sidekicks.ui.notices import Notice
from sidekicks.ui.settings import edits, hints
from sidekicks.ui.settings.bar import SettingsBar
from sidekicks.ui.settings.editor import YamlEditor
from sidekicks.ui.settings.problems import ProblemList
from sidekicks.ui.settings.remembered import RememberedAnswers
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

if TYPE_CHECKING:
    from sidekicks.config.service import KnownAgent

CHECK_MS = 150
"""How long nothing is typed before the text is checked."""
NEW_AGENT = "- name: another\n  title: Another agent\n  command: another-agent\n  args: [--acp]"
_SHEET = """
SettingsPage { background: $background; }
QFrame#foot { border: none; border-top: 1px solid $border; background: $background; }
QTabBar { background: transparent; border: none; }
QTabBar::tab {
    background: transparent; color: $text_secondary; border: none; border-bottom: 2px solid transparent;
    padding: ${p4}px ${p12}px;
}
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
QTabBar::tab:hover { color: $text; }
"""


class SettingsPage(QFrame):
    """Edits a text. `changed` when it is to be checked, `save_wanted`, `left`; the rest is said by `bar`.

    `refused` is another's version of the file that is not to be taken.

    `saved` is the text as it is in the file: what differs from it is not saved.
    """

    changed = Signal(str)
    save_wanted = Signal(str)
    left = Signal()
    refused = Signal(str)

    def __init__(
        self,
        theme: Theme,
        schema: hints.Node,
        title_of: Callable[[str], str],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._saved = ""
        self._theirs: str | None = None
        self._problems: tuple[Problem, ...] = ()
        self.bar = SettingsBar(theme, self)
        self._tabs = QTabBar(self)
        self._tabs.setDrawBase(False)
        self._tabs.setExpanding(False)
        self._tabs.addTab("")
        self._tabs.addTab("")
        self.outside = Notice("warning", "warning", theme, self)
        self.keep = self.outside.add_button()
        self.editor = YamlEditor(theme, schema, self)
        self.problems = ProblemList(theme, self)
        self.answers = RememberedAnswers(theme, title_of, self)
        self._hint = QLabel(self)
        self._hint.setProperty("tone", "secondary")
        self._hint.setWordWrap(True)
        self._hint.setTextFormat(Qt.TextFormat.PlainText)
        self._state = QLabel(self)
        self.discard = QPushButton(self)
        self.save = QPushButton(self)
        self.save.setProperty("role", "primary")
        self._pages = QStackedWidget(self)
        self._check_soon = QTimer(self)
        self._check_soon.setSingleShot(True)
        self._check_soon.setInterval(CHECK_MS)
        self._lay_out()
        self._connect()
        self._retranslate()
        self.set_theme(theme)

    def _lay_out(self) -> None:
        file = QWidget(self)
        column = QVBoxLayout(file)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.outside)
        column.addWidget(self.editor, 1)
        column.addWidget(self.problems)
        foot = QFrame(file)
        foot.setObjectName("foot")
        line = QHBoxLayout(foot)
        line.setContentsMargins(SIZES.l, SIZES.s, SIZES.l, SIZES.s)
        line.setSpacing(SIZES.m)
        line.addWidget(self._hint, 1)
        for widget in (self._state, self.discard, self.save):
            line.addWidget(widget)
        column.addWidget(foot)
        self._pages.addWidget(file)
        self._pages.addWidget(self.answers)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.bar)
        whole.addWidget(self._tabs)
        whole.addWidget(self._pages, 1)

    def _connect(self) -> None:
        self._tabs.currentChanged.connect(self._pages.setCurrentIndex)
        self.bar.back.connect(self.left)
        self.bar.agent_wanted.connect(self.add_agent)
        self.bar.theme_chosen.connect(self._choose_theme)
        self.bar.language_chosen.connect(self._choose_language)
        self.editor.textChanged.connect(self._text_changed)
        self.editor.explained.connect(self._hint.setText)
        self.problems.chosen.connect(self._lead_to)
        self.problems.accepted.connect(self._accept)
        self.outside.pressed.connect(self._take_theirs)
        self.keep.clicked.connect(self._keep_mine)
        self.discard.clicked.connect(self._discard)
        self.save.clicked.connect(self._save)
        self._check_soon.timeout.connect(self._check)

    # -- the text ------------------------------------------------------------------------------------

    @property
    def text(self) -> str:
        """What is being written."""
        return self.editor.toPlainText()

    @property
    def saved(self) -> str:
        """What is in the file, as far as that was seen."""
        return self._saved

    @property
    def is_dirty(self) -> bool:
        """Whether something of it is not saved."""
        return self.text != self._saved

    @property
    def state(self) -> str:
        """What is said of the text: saved, not saved, not valid."""
        return self._state.text()

    def show_file(self, text: str) -> None:
        """Begins with another file's text: nothing of the former one can be undone into it."""
        self._saved, self._theirs = text, None
        self.editor.setPlainText(text)
        self._show_outside()
        self._check()

    def file_changed(self, text: str) -> None:
        """Somebody else saved the file, or it was saved here.

        Where nothing was written here their text is shown; else the user decides, and both are kept.
        """
        if text == self.text:
            self._saved, self._theirs = text, None
            self._check()  # why it could not be saved before is over
        elif not self.is_dirty:
            self._saved = text
            self.editor.show_text(text)
        else:
            self._theirs = text if text != self._saved else None
        self._show_outside()
        self._refresh()

    @property
    def theirs(self) -> str | None:
        """What somebody else wrote meanwhile into the file, until it is decided whose text it shall be."""
        return self._theirs

    def add_agent(self, agent: KnownAgent | None) -> None:
        """Adds an agent's entry, one to be filled in for None, and leads to it."""
        text, line = edits.with_agent(self.text, agent.entry() if agent is not None else NEW_AGENT)
        self._tabs.setCurrentIndex(0)
        self.editor.show_text(text)
        self.editor.go_to(line + 1, self.editor.lines()[line].find("name: ") + 7)
        self.editor.setFocus()

    def lead_to(self, line: int, column: int) -> None:
        """Shows the text, with the cursor at a place, 1-based."""
        self._tabs.setCurrentIndex(0)
        self.editor.go_to(line, column)

    def show_problems(self, text: str, problems: Sequence[Problem]) -> None:
        """Takes what is wrong with `text`, if that is still what stands there."""
        if text == self.text:
            self._show(problems)

    def refuse(self, problems: Sequence[Problem]) -> None:
        """It was not saved, because of these; what the text is not to blame for can be tried again."""
        self._mark(problems)

    # -- keys and looks ------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ctrl+S saves, Escape goes back: what is not saved stays here."""
        if event.matches(QKeySequence.StandardKey.Save):
            self._save()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            event.accept()  # letters that no field took are no message for the conversation

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.setStyleSheet(sheet(theme, _SHEET))
        self.setPalette(theme.palette())
        for part in (self.bar, self.outside, self.editor, self.problems, self.answers):
            part.set_theme(theme)
        for widget in (self._tabs, self._state, self.discard, self.save):
            widget.setFont(theme.body_font())
        self._hint.setFont(theme.small_font())
        self._hint.setFixedHeight(theme.px(SIZES.line) * 2)

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._tabs.setTabText(0, self.tr("Configuration file"))
        self._tabs.setTabText(1, self.tr("Remembered answers"))
        self._tabs.setAccessibleName(self.tr("Settings"))
        self.keep.setText(self.tr("Keep mine"))
        self.discard.setText(self.tr("Discard"))
        self.discard.setToolTip(self.tr("Go back to what is in the file"))
        self.save.setText(self.tr("Save"))
        self.save.setToolTip(self.tr("Save (Ctrl+S)"))
        self._show_outside()
        self._refresh()

    # -- what happens --------------------------------------------------------------------------------

    def _text_changed(self) -> None:
        self._check_soon.start()
        self._refresh()

    def _check(self) -> None:
        self._check_soon.stop()
        self.bar.show_choices(edits.scalar(self.text, "theme"), edits.scalar(self.text, "language"))
        self.changed.emit(self.text)

    def _show(self, problems: Sequence[Problem]) -> None:
        self._problems = tuple(problems)
        self._mark(problems)
        self._refresh()

    def _mark(self, problems: Sequence[Problem]) -> None:
        self.editor.show_problems(problems)
        self.problems.show_problems(problems)

    def _is_valid(self) -> bool:
        return all(problem.warning for problem in self._problems)

    def _refresh(self) -> None:
        wrong = sum(not problem.warning for problem in self._problems)
        if wrong:
            state = self.tr("%n problem(s)", "", wrong)
        else:
            state = self.tr("Not saved") if self.is_dirty else self.tr("Saved")
        self._state.setText(state)
        self._state.setProperty("tone", "danger" if wrong else "secondary")
        self._state.style().polish(self._state)
        self.save.setEnabled(self.is_dirty and not wrong and self._theirs is None)
        self.discard.setEnabled(self.is_dirty)

    def _show_outside(self) -> None:
        told = self._theirs is not None
        self.keep.setVisible(told)
        text = self.tr(
            "The file was changed elsewhere while you were writing. Undo brings yours back after loading it;"
            " a copy of theirs stays beside the file when you keep yours."
        )
        self.outside.say(text if told else "", self.tr("Load theirs"))

    def _take_theirs(self) -> None:
        if self._theirs is not None:
            self._saved, theirs, self._theirs = self._theirs, self._theirs, None
            self.editor.show_text(theirs)
            self._show_outside()

    def _keep_mine(self) -> None:
        if self._theirs is not None:
            self._saved, theirs, self._theirs = self._theirs, self._theirs, None
            self.refused.emit(theirs)
            self._show_outside()
            self._refresh()

    def _discard(self) -> None:
        self.editor.show_text(self._saved)

    def _save(self) -> None:
        if self.save.isEnabled():
            self.save_wanted.emit(self.text)

    def _lead_to(self, problem: Problem) -> None:
        self.editor.go_to(problem.line, problem.column)
        self.editor.setFocus()

    def _accept(self, problem: Problem) -> None:
        word = edits.suggestion(problem.message)
        self.editor.show_text(edits.replaced_word(self.text, problem.line, problem.column, word))
        self.editor.go_to(problem.line, problem.column)
        self.editor.setFocus()

    def _choose_theme(self, value: str) -> None:
        self._choose("theme", value)

    def _choose_language(self, value: str) -> None:
        self._choose("language", value)

    def _choose(self, key: str, value: str) -> None:
        """Writes it into the text; saved at once, unless there is more that is not saved."""
        saves = not self.is_dirty
        self.editor.show_text(edits.with_scalar(self.text, key, value))
        if saves and self.is_dirty and self._is_valid():
            self.save_wanted.emit(self.text)
