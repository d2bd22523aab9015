"""What an agent asks the user to fill in, or a link that it asks to open."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from sidekicks.models import Elicitation, FormField, FormValue
from sidekicks.ui.check_box import CheckBox
from sidekicks.ui.dialogs.base import Dialog
from sidekicks.ui.dialogs.choice_field import ChoiceField
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES, Theme

_FORM_HEIGHT = 360

Reading = Callable[[], FormValue | None]
"""The value of a field as it stands in the form; None when it is left empty."""


class FormDialog(Dialog):
    """One of three answers: `sent` with the values by field, `declined`, or `dropped` (nobody decided).

    Its owner closes it with `withdraw`, or says with `fail` why the answer was not taken.
    """

    sent = Signal(object)
    declined = Signal()
    dropped = Signal()

    def __init__(self, agent: str, request: Elicitation, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("{agent} asks").format(agent=agent), theme, parent)
        self.url = request.url
        self._readings: dict[str, Reading] = {}
        self._withdrawn = False
        self.content.addWidget(self._text(request.message))
        if request.url:
            link = self._text(request.url)
            link.setFont(theme.code_font())
            self.content.addWidget(link)
        elif request.fields:
            self.content.addWidget(self._form(request.fields), 1)
        self._error = QLabel(self)
        self._error.setProperty("tone", "danger")
        self._error.setWordWrap(True)
        self._error.hide()
        self.content.addWidget(self._error)
        self.add_button(self.tr("Decline")).clicked.connect(self.declined)
        agree = self.tr("Open the link") if request.url else self.tr("Send")
        self._agree = self.add_button(agree, "primary")
        self._agree.setDefault(True)
        self._agree.clicked.connect(self._accept)
        self.setMinimumWidth(theme.px(440))
        self.setMaximumWidth(theme.px(640))

    @property
    def error(self) -> str:
        """What was said last, or empty."""
        return "" if self._error.isHidden() else self._error.text()

    def fail(self, sentence: str) -> None:
        """Says in place why the answer was not taken; it can be given again."""
        self._error.setText(sentence)
        self._error.show()
        self._agree.setEnabled(True)

    def withdraw(self) -> None:
        """The question is no longer asked, or was answered: the dialog goes without an answer."""
        self._withdrawn = True
        self.accept()

    def reject(self) -> None:
        """Escape, or the window was closed: nobody decided, which the agent is told."""
        if not self._withdrawn:
            self.dropped.emit()
        super().reject()

    # -- the fields ----------------------------------------------------------------------------------

    def _form(self, fields: tuple[FormField, ...]) -> QScrollArea:
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(SIZES.s)
        for field in fields:
            self._add(field, column)
        scroll = QScrollArea(self)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(holder)
        height = min(holder.sizeHint().height() + SIZES.s, self.theme.px(_FORM_HEIGHT))
        scroll.setMinimumHeight(height)
        return scroll

    def _add(self, field: FormField, column: QVBoxLayout) -> None:
        title = reveal(field.title)
        if field.kind == "boolean":
            box = CheckBox(title, self.theme)
            box.setChecked(field.default is True)
            self._readings[field.name] = box.isChecked
            column.addWidget(box)
        else:
            label = self._text(title if field.required else self.tr("{field} (optional)").format(field=title))
            label.setProperty("tone", "secondary")
            column.addWidget(label)
            column.addWidget(self._input(field, label))
        if field.description:
            hint = self._text(field.description)
            hint.setProperty("tone", "secondary")
            hint.setFont(self.theme.small_font())
            column.addWidget(hint)

    def _input(self, field: FormField, label: QLabel) -> QWidget:
        if field.kind in ("choice", "choices"):
            choice = ChoiceField(field, self.theme)
            choice.setAccessibleName(label.text())
            self._readings[field.name] = choice.value
            return choice
        line = QLineEdit("" if field.default is None else f"{field.default}")
        line.setAccessibleName(label.text())
        label.setBuddy(line)
        self._readings[field.name] = lambda: _typed(line.text(), field)
        return line

    def _text(self, text: str) -> QLabel:
        label = QLabel(reveal(text), self)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setWordWrap(True)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        return label

    # -- the answers ---------------------------------------------------------------------------------

    def _accept(self) -> None:
        self._error.hide()
        self._agree.setEnabled(False)
        values = {name: read() for name, read in self._readings.items()}
        self.sent.emit({name: value for name, value in values.items() if value is not None})


def _typed(text: str, field: FormField) -> FormValue | None:
    """What was typed as the value that it is; what is no number stays text, and is refused with a reason."""
    if not text:
        return None
    try:
        match field.kind:
            case "integer":
                return int(text)
            case "number":
                return float(text)
            case _:
                return text
    except ValueError:
        return text
