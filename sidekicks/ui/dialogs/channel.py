"""Making a channel, and editing one: name, description, working folder, members."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from sidekicks.channels.service import NAME_LIMIT
from sidekicks.models import AgentStatus, Channel
from sidekicks.ui.check_box import CheckBox
from sidekicks.ui.dialogs.base import Dialog
from sidekicks.ui.theme import SIZES, Theme

_MEMBERS_HEIGHT = 180


@dataclass(frozen=True)
class ChannelForm:
    """What the user filled in."""

    name: str
    description: str
    cwd: str
    members: tuple[str, ...]


class ChannelDialog(Dialog):
    """`submitted` carries the form. Its owner closes the dialog, or says with `fail` why it stays."""

    submitted = Signal(object)

    def __init__(
        self,
        agents: Sequence[AgentStatus],
        theme: Theme,
        parent: QWidget | None = None,
        *,
        channel: Channel | None = None,
    ) -> None:
        title = self.tr("Edit channel") if channel else self.tr("New channel")
        super().__init__(title, theme, parent)
        self._name = self._field(self.tr("Name"), channel.name if channel else "")
        self._name.setMaxLength(NAME_LIMIT)
        self._name.setPlaceholderText(self.tr("for example parser-repair"))
        self._description = self._field(
            self.tr("Description (optional)"), channel.description if channel else ""
        )
        self._cwd = self._folder_field(channel.cwd if channel else "")
        self._members = self._add_members(agents, channel.members if channel else ())
        self._error = QLabel(self)
        self._error.setProperty("tone", "danger")
        self._error.setWordWrap(True)
        self._error.hide()
        self.content.addWidget(self._error)
        self.add_button(self.tr("Cancel")).clicked.connect(self.reject)
        self._submit = self.add_button(self.tr("Save") if channel else self.tr("Create channel"), "primary")
        self._submit.setDefault(True)
        self._submit.clicked.connect(self._send)
        self._name.textChanged.connect(self._check)
        self._check()
        self._name.setFocus()
        self.setMinimumWidth(theme.px(440))

    @property
    def error(self) -> str:
        """What was said last, or empty."""
        return "" if self._error.isHidden() else self._error.text()

    def fail(self, sentence: str) -> None:
        """Says in place why it could not be done; the form can be sent again."""
        self._error.setText(sentence)
        self._error.show()
        self._submit.setEnabled(True)

    def _field(self, label: str, text: str) -> QLineEdit:
        field = QLineEdit(text, self)
        self.content.addWidget(self._label(label, field))
        self.content.addWidget(field)
        return field

    def _label(self, text: str, buddy: QWidget | None = None) -> QLabel:
        label = QLabel(text, self)
        label.setProperty("tone", "secondary")
        label.setFont(self.theme.small_font())
        if buddy is not None:
            label.setBuddy(buddy)
            buddy.setAccessibleName(text)
        return label

    def _folder_field(self, cwd: str) -> QLineEdit:
        field = QLineEdit(cwd, self)
        field.setPlaceholderText(self.tr("your home folder"))
        browse = QPushButton(self.tr("Choose…"), self)
        browse.setAutoDefault(False)
        browse.clicked.connect(self._browse)
        row = QHBoxLayout()
        row.setSpacing(SIZES.s)
        row.addWidget(field, 1)
        row.addWidget(browse)
        self.content.addWidget(self._label(self.tr("Working folder of the agents"), field))
        self.content.addLayout(row)
        return field

    def _add_members(self, agents: Sequence[AgentStatus], chosen: Sequence[str]) -> dict[str, CheckBox]:
        if not agents:
            return {}
        self.content.addWidget(self._label(self.tr("Members")))
        holder = QWidget()
        column = QVBoxLayout(holder)
        column.setContentsMargins(0, 0, 0, 0)
        boxes: dict[str, CheckBox] = {}
        for agent in agents:
            box = CheckBox(f"{agent.title}  @{agent.name}", self.theme, holder)
            box.setChecked(agent.name in chosen or (not chosen and len(agents) == 1))
            box.setToolTip(agent.description)
            column.addWidget(box)
            boxes[agent.name] = box
        scroll = QScrollArea(self)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(holder)
        height = min(holder.sizeHint().height() + SIZES.s, self.theme.px(_MEMBERS_HEIGHT))
        scroll.setFixedHeight(height)
        self.content.addWidget(scroll)
        return boxes

    def _browse(self) -> None:
        dialog = QFileDialog(self, self.tr("Working folder of the agents"), self._cwd.text())
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly)
        dialog.fileSelected.connect(self._cwd.setText)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _check(self) -> None:
        self._submit.setEnabled(bool(self._name.text().strip().lstrip("#")))

    def _send(self) -> None:
        self._submit.setEnabled(False)
        self._error.hide()
        self.submitted.emit(
            ChannelForm(
                name=self._name.text().strip().lstrip("#"),
                description=self._description.text().strip(),
                cwd=self._cwd.text().strip(),
                members=tuple(name for name, box in self._members.items() if box.isChecked()),
            )
        )
