"""The sessions that an agent keeps: one is chosen, and the conversation goes on with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QDateTime, QLocale, Qt, Signal
from PySide6.QtWidgets import QLabel, QListWidget, QListWidgetItem, QWidget

from sidekicks.models import StoredSession
from sidekicks.ui.composer.completion import Offer
from sidekicks.ui.composer.popup import OFFER_ROLE, OfferDelegate
from sidekicks.ui.dialogs.base import Dialog
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import Theme


class SessionsDialog(Dialog):
    """Lists them. `chosen` gives the id; `more_wanted` asks for the page that `following` names."""

    chosen = Signal(str)
    more_wanted = Signal()

    def __init__(self, agent: str, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(self.tr("Sessions of {agent}").format(agent=agent), theme, parent)
        self.following = ""
        self._said = QLabel(self.tr("Asking the agent…"), self)
        self._said.setWordWrap(True)
        self._said.setTextFormat(Qt.TextFormat.PlainText)
        self._list = QListWidget(self)
        self._list.setAccessibleName(self.windowTitle())
        self._list.setItemDelegate(OfferDelegate(theme, self._list))
        self._list.itemActivated.connect(self._take)
        self.content.addWidget(self._said)
        self.content.addWidget(self._list, 1)
        self.more = self.add_button(self.tr("More"), "link")
        self.more.clicked.connect(self.more_wanted)
        self.more.hide()
        self.add_button(self.tr("Cancel")).clicked.connect(self.reject)
        self.go = self.add_button(self.tr("Go on with it"), "primary")
        self.go.setEnabled(False)
        self.go.clicked.connect(self._take_current)
        self.resize(theme.px(560), theme.px(400))

    def add(self, sessions: Sequence[StoredSession], *, more: bool) -> None:
        """Lists some more."""
        for session in sessions:
            title = reveal(session.title) or session.session_id
            item = QListWidgetItem(f"{title}, {_date(session)}, {session.cwd}", self._list)
            item.setData(OFFER_ROLE, Offer(title, _date(session), session.cwd))
            item.setData(OFFER_ROLE + 1, session.session_id)
        count = self._list.count()
        self._said.setText("" if count else self.tr("It keeps no session for this folder."))
        self._said.setVisible(not count)
        self.go.setEnabled(bool(count))
        self.more.setVisible(more)
        if count and self._list.currentRow() < 0:
            self._list.setCurrentRow(0)
            self._list.setFocus()

    def fail(self, sentence: str) -> None:
        """Says why there is nothing to choose."""
        self._said.setText(sentence)
        self._said.show()

    def texts(self) -> list[str]:
        """The titles, from the top."""
        return [self._list.item(number).data(OFFER_ROLE).text for number in range(self._list.count())]

    def said(self) -> str:
        """What is said above the list."""
        return self._said.text()

    def _take_current(self) -> None:
        if self._list.currentRow() >= 0:
            self._take(self._list.item(self._list.currentRow()))

    def _take(self, item: QListWidgetItem) -> None:
        self.chosen.emit(item.data(OFFER_ROLE + 1))


def _date(session: StoredSession) -> str:
    moment = QDateTime.fromString(session.updated_at, Qt.DateFormat.ISODateWithMs)
    return (
        QLocale().toString(moment.toLocalTime(), QLocale.FormatType.ShortFormat) if moment.isValid() else ""
    )
