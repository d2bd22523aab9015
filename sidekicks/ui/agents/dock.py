"""What an agent wrote on its stderr and what was said with it, below the conversation, live."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QPushButton,
    QStackedWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from sidekicks.ui import icons
from sidekicks.ui.elided import ElidedLabel
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

MAX_LINES = 200
TAIL_BYTES = 256 * 1024
"""So much of the end of a protocol log is shown."""
LOOK_MS = 2_000
"""While the dock can be seen its agent is looked at this often."""
_SHEET = """
AgentDock { background: $surface; border: none; border-top: 1px solid $border; }
QPlainTextEdit { background: $background; color: $text; border: none; }
QTabBar { background: transparent; border: none; }
QTabBar::tab {
    background: transparent; color: $text_secondary; border: none; border-bottom: 2px solid transparent;
    padding: ${p4}px ${p12}px;
}
QTabBar::tab:selected { color: $text; border-bottom-color: $accent; }
"""


class AgentDock(QFrame):
    """Shows one agent. `looked` is emitted while it can be seen, for whoever measures; `closed`."""

    looked = Signal()
    closed = Signal()
    settings_requested = Signal(str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.agent = ""
        self._protocol_path: Path | None = None
        self._title = QLabel(self)
        self._resources = ElidedLabel(self)
        self._resources.setProperty("tone", "secondary")
        self._tabs = QTabBar(self)
        self._tabs.setDrawBase(False)
        self._tabs.addTab("")
        self._tabs.addTab("")
        self._settings = QPushButton(self)
        self._settings.setProperty("role", "link")
        self._copy = QPushButton(self)
        self._copy.setProperty("role", "link")
        self._close = QToolButton(self)
        self.log, self.protocol = QPlainTextEdit(self), QPlainTextEdit(self)
        self.log.setMaximumBlockCount(MAX_LINES)
        self._pages = QStackedWidget(self)
        for text in (self.log, self.protocol):
            text.setReadOnly(True)
            text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
            self._pages.addWidget(text)
        self._look = QTimer(self)
        self._look.setInterval(LOOK_MS)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self._retranslate()

    def _lay_out(self) -> None:
        line = QHBoxLayout()
        line.setContentsMargins(SIZES.l, 0, SIZES.s, 0)
        line.setSpacing(SIZES.m)
        line.addWidget(self._title)
        line.addWidget(self._tabs)
        line.addWidget(self._resources, 1)
        for widget in (self._settings, self._copy, self._close):
            line.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, SIZES.xs, 0, 0)
        column.setSpacing(SIZES.xs)
        column.addLayout(line)
        column.addWidget(self._pages, 1)

    def _connect(self) -> None:
        self._tabs.currentChanged.connect(self._turn)
        self._copy.clicked.connect(self._copy_all)
        self._close.clicked.connect(self.closed)
        self._settings.clicked.connect(self._ask_settings)
        self._look.timeout.connect(self._look_at)

    def show_agent(self, agent: str, title: str, lines: Sequence[str], protocol: Path | None) -> None:
        """Shows another agent: its log so far, and where its protocol is logged; None: it is not."""
        self.agent, self._protocol_path = agent, protocol
        self._title.setText(title)
        self._resources.setText("")
        self.log.setPlainText("\n".join(lines))
        _to_end(self.log)
        self._settings.setVisible(protocol is None)
        self._read_protocol()
        self.looked.emit()

    def add(self, line: str) -> None:
        """Appends a line; the oldest goes when there are more than `MAX_LINES`."""
        _append(self.log, line)

    def show_resources(self, memory: int, share: float | None) -> None:
        """What the agent's processes use: bytes, and the share of a processor since the last look."""
        said = self.tr("{megabytes} MB").format(megabytes=f"{memory / 1e6:,.0f}")
        if share is not None:
            said += self.tr(" · {percent} % of a processor").format(percent=round(share * 100))
        self._resources.setText(said)

    def show_stopped(self) -> None:
        """The agent does not run."""
        self._resources.setText("")

    @property
    def said(self) -> str:
        """What is said of its memory and processor time."""
        return self._resources.text()

    def turn_to_protocol(self) -> None:
        """Shows what was said with the agent."""
        self._tabs.setCurrentIndex(1)

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.setStyleSheet(sheet(theme, _SHEET))
        self._title.setFont(theme.strong_font())
        for widget in (self._resources, self._settings, self._copy, self._tabs):
            widget.setFont(theme.small_font())
        for text in (self.log, self.protocol):
            text.setFont(theme.code_font())
            text.document().setDocumentMargin(theme.px(SIZES.s))
        icons.dress(self._close, "close", theme.color("text_secondary"), theme.px(SIZES.icon))

    def showEvent(self, event: QShowEvent) -> None:
        """Looks at the agent from now on."""
        super().showEvent(event)
        self._look.start()

    def hideEvent(self, event: QHideEvent) -> None:
        """Looks no more."""
        super().hideEvent(event)
        self._look.stop()

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language."""
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()
        super().changeEvent(event)

    def _retranslate(self) -> None:
        self._tabs.setTabText(0, self.tr("Log"))
        self._tabs.setTabText(1, self.tr("Protocol"))
        self._tabs.setAccessibleName(self.tr("Logs"))
        self.log.setPlaceholderText(self.tr("This agent has written nothing yet."))
        self.log.setAccessibleName(self.tr("Log"))
        self.protocol.setAccessibleName(self.tr("Protocol"))
        self.protocol.setPlaceholderText(
            self.tr("Nothing is written down: `protocolLog: on` in the agent's settings does it.")
        )
        self._settings.setText(self.tr("Settings…"))
        self._copy.setText(self.tr("Copy all"))
        self._close.setToolTip(self.tr("Close"))
        self._close.setAccessibleName(self.tr("Close"))

    def _turn(self, page: int) -> None:
        self._pages.setCurrentIndex(page)
        self._read_protocol()

    def _look_at(self) -> None:
        if self._tabs.currentIndex() == 1:
            self._read_protocol()
        self.looked.emit()

    def _read_protocol(self) -> None:
        text = _tail(self._protocol_path) if self._protocol_path is not None else ""
        if text != self.protocol.toPlainText():
            self.protocol.setPlainText(text)
            _to_end(self.protocol)

    def _copy_all(self) -> None:
        shown = self._pages.currentWidget()
        if isinstance(shown, QPlainTextEdit):
            QGuiApplication.clipboard().setText(shown.toPlainText())

    def _ask_settings(self) -> None:
        self.settings_requested.emit(self.agent)


def _append(text: QPlainTextEdit, line: str) -> None:
    """Stays at the end while it is there."""
    bar = text.verticalScrollBar()
    at_end = bar.value() >= bar.maximum()
    text.appendPlainText(line)
    if at_end:
        _to_end(text)


def _to_end(text: QPlainTextEdit) -> None:
    bar = text.verticalScrollBar()
    bar.setValue(bar.maximum())


def _tail(path: Path) -> str:
    """The whole lines at the end of a file; empty when there is none yet."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(0, size - TAIL_BYTES))
            data = file.read()
    except OSError:
        return ""
    if size > TAIL_BYTES:
        data = data.partition(b"\n")[2]
    return data.decode("utf-8", "replace").rstrip("\n")
