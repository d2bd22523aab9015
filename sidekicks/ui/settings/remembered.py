"""The answers to permission requests that are remembered, each with the way to be asked again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from sidekicks.models import PermissionRule
from sidekicks.ui.conversation.phrases import remembered_word
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

_SHEET = """
QScrollArea, QScrollArea > QWidget > QWidget { background: transparent; border: none; }
"""


class RememberedAnswers(QScrollArea):
    """One row a rule. `revoked` (agent, kind) asks to forget one."""

    revoked = Signal(str, str)

    def __init__(self, theme: Theme, title_of: Callable[[str], str], parent: QWidget | None = None) -> None:
        """`title_of` tells an agent's title by its name."""
        super().__init__(parent)
        self._theme = theme
        self._title_of = title_of
        self._rules: tuple[PermissionRule, ...] = ()
        self._holder = QWidget()
        self._rows = QVBoxLayout(self._holder)
        self._rows.setContentsMargins(SIZES.l, SIZES.m, SIZES.l, SIZES.m)
        self._rows.setSpacing(SIZES.s)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setWidget(self._holder)
        self.set_theme(theme)

    def show_rules(self, rules: Sequence[PermissionRule]) -> None:
        """Lists exactly these."""
        self._rules = tuple(rules)
        while (item := self._rows.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        if not rules:
            text = self.tr("Nothing is remembered: each agent asks as its entry in the file says.")
            self._rows.addWidget(self._label(text, "secondary"))
        for rule in rules:
            self._rows.addWidget(self._row(rule))
        self._rows.addStretch(1)

    def words(self) -> list[str]:
        """What is listed."""
        return [label.text() for label in self._holder.findChildren(QLabel) if not label.isHidden()]

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self._theme = theme
        self.setStyleSheet(sheet(theme, _SHEET))
        self.show_rules(self._rules)

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self.show_rules(self._rules)
        super().changeEvent(event)

    def _row(self, rule: PermissionRule) -> QWidget:
        row = QWidget(self._holder)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        word = remembered_word("allow_always" if rule.allowed else "reject_always", rule.kind)
        text = f"{self._title_of(rule.agent)} · {word}"
        line.addWidget(self._label(text))
        line.addStretch(1)
        button = QPushButton(self.tr("Ask again"), row)
        button.setFont(self._theme.body_font())
        button.setAccessibleName(f"{button.text()}: {text}")
        button.clicked.connect(partial(self.revoked.emit, rule.agent, rule.kind))
        line.addWidget(button)
        return row

    def _label(self, text: str, tone: str = "") -> QLabel:
        label = QLabel(text, self._holder)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setFont(self._theme.body_font())
        label.setProperty("tone", tone)
        return label
