"""Where the user writes: field, completions, Stop, and what waits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from sidekicks.models import FilePart, ImagePart
from sidekicks.ui import icons
from sidekicks.ui.column import Column
from sidekicks.ui.composer.attachments import Attachments, image_of
from sidekicks.ui.composer.completion import Candidates, Offer, Query, offers, query
from sidekicks.ui.composer.text import GrowingText
from sidekicks.ui.composer.waiting import WaitingList
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

if TYPE_CHECKING:
    from sidekicks.ui.composer.popup import CompletionPopup

_SHEET = """
QFrame#field { background: $background; border: 1px solid $border_strong; border-radius: ${r6}px; }
QFrame#field[active="true"] { border-color: $accent; }
QFrame#field QPlainTextEdit { background: transparent; border: none; color: $text; }
"""


class Composer(Column):
    """Says what was written (`sent`) and that Stop was asked for (`stop_requested`).

    What is written before there is a conversation is kept for the first one.
    The text is cleared when it is sent; whoever could not send it gives it back with `restore`.
    """

    sent = Signal(str, object)
    stop_requested = Signal()
    nothing_sent = Signal()
    commands_wanted = Signal()
    files_wanted = Signal()
    files_given = Signal(list)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._name = ""
        self._direct = False
        self._busy = False
        self._queued = 0
        self._waiting = ""
        self._query: Query | None = None
        self._candidates = Candidates()
        self._said: list[str] = []
        self._recalled = 0
        self._unsent = ""
        self._status = QLabel(self)
        self._status.setProperty("tone", "secondary")
        self._field = QFrame(self)
        self._field.setObjectName("field")
        self.text = GrowingText(self._field)
        self.attachments = Attachments(theme, self._field)
        self.waiting = WaitingList(theme, self)
        self.stop_button = QPushButton(self._field)
        self._send = QToolButton(self._field)
        self._popup: CompletionPopup | None = None
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        self._retranslate()
        self._refresh()

    def _lay_out(self) -> None:
        whole = QVBoxLayout(self._field)
        whole.setContentsMargins(SIZES.m, SIZES.s, SIZES.s, SIZES.s)
        whole.setSpacing(SIZES.s)
        whole.addWidget(self.attachments)
        inside = QHBoxLayout()
        inside.setSpacing(SIZES.s)
        whole.addLayout(inside)
        inside.addWidget(self.text, 1)
        inside.addWidget(self.stop_button, 0, Qt.AlignmentFlag.AlignBottom)
        inside.addWidget(self._send, 0, Qt.AlignmentFlag.AlignBottom)
        self.body.setSpacing(SIZES.xs)
        self.body.addWidget(self._status)
        self.body.addWidget(self.waiting)
        self.body.addWidget(self._field)

    def _connect(self) -> None:
        self.text.submitted.connect(self._submit)
        self.text.escaped.connect(self._escape)
        self.text.older_wanted.connect(self._recall_older)
        self.text.newer_wanted.connect(self._recall_newer)
        self.text.completion_key.connect(self._completion_key)
        self.text.image_pasted.connect(self._take_image)
        self.text.files_pasted.connect(self.files_given)
        self.attachments.changed.connect(self._refresh)
        self.text.textChanged.connect(self._changed)
        self.text.cursorPositionChanged.connect(self._complete)
        self.text.installEventFilter(self)
        self.stop_button.clicked.connect(self.stop_requested)
        self._send.clicked.connect(self._submit)

    def show_conversation(
        self,
        name: str,
        *,
        direct: bool,
        draft: str,
        said: Sequence[str],
        attachments: Sequence[ImagePart | FilePart] = (),
    ) -> None:
        """Writes to another conversation: `name` as shown, its draft, and what the user said there before."""
        self.attachments.put([*attachments, *(() if self._name else self.attachments.parts)])
        early = "" if self._name else self.text.toPlainText()
        self._name, self._direct = name, direct
        self._said = list(said)
        self._forget_recalled()
        self.text.set_text("\n".join(part for part in (draft, early) if part))
        self.setEnabled(True)
        self._retranslate()

    def show_turn(self, *, busy: bool, queued: int, waiting: str = "") -> None:
        """Whether the conversation answers, how many messages wait, and for whom it waits (a sentence)."""
        self._busy, self._queued, self._waiting = busy, queued, waiting
        self._refresh()

    def offer_from(self, candidates: Candidates) -> None:
        """Completes from these agents and commands."""
        self._candidates = candidates
        if self._query is not None:
            self._complete()

    @property
    def status(self) -> str:
        """What is said above the field."""
        return self._status.text()

    @property
    def offered(self) -> list[str]:
        """The completions shown, from the top."""
        return self._popup.texts() if self._popup and self._popup.isVisible() else []

    def restore(self, text: str, attachments: Sequence[ImagePart | FilePart] = ()) -> None:
        """Gives back what could not be sent, before what has been written since."""
        self.attachments.put([*attachments, *self.attachments.parts])
        written = self.text.toPlainText()
        self.text.set_text(f"{text}\n{written}" if written else text)
        if self._said and self._said[-1] == text:
            self._said.pop()
        self._forget_recalled()

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        super().set_theme(theme)
        self.setStyleSheet(sheet(theme, _SHEET))
        self.text.setFont(theme.body_font())
        self.text.viewport().setFont(theme.body_font())
        self.text.setPalette(theme.palette())
        self.text.fit()
        self._status.setFont(theme.small_font())
        self.stop_button.setFont(theme.small_font())
        icons.dress(self.stop_button, "stop", theme.color("text"), theme.px(12))
        icons.dress(self._send, "send", theme.color("accent"), theme.px(SIZES.icon))
        self.attachments.set_theme(theme)
        self.waiting.set_theme(theme)
        if self._popup:
            self._popup.set_theme(theme)

    def changeEvent(self, event: QEvent) -> None:
        """Follows a change of the language, and says why it is switched off."""
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.EnabledChange):
            self._retranslate()
        super().changeEvent(event)

    def eventFilter(self, watched: object, event: QEvent) -> bool:
        """Marks the frame while the field has the focus; completions go with it."""
        if watched is self.text and event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self._field.setProperty("active", event.type() == QEvent.Type.FocusIn)
            self._field.style().polish(self._field)
            if event.type() == QEvent.Type.FocusOut:
                self._offer([])
        return False

    def _retranslate(self) -> None:
        if self._direct:
            hint = self.tr("Message {name}   (/ command)")
        else:
            hint = self.tr("Message {name}   (@ mention · / command)")
        if self._name:
            self.text.setPlaceholderText(hint.format(name=self._name))
        else:
            nobody = self.tr("There is nobody to write to yet: add an agent in the settings")
            self.text.setPlaceholderText("" if self.isEnabled() else nobody)
        self.text.setAccessibleName(self.tr("Message"))
        self.stop_button.setText(self.tr("Stop"))
        self.stop_button.setToolTip(self.tr("Stop the answer and drop what waits (Esc)"))
        self._send.setToolTip(self.tr("Send (Enter)"))
        self._send.setAccessibleName(self.tr("Send"))
        self._refresh()

    def _refresh(self) -> None:
        said = [self._waiting] if self._waiting else []
        if self._queued:
            said.append(self.tr("%n message(s) queued", "", self._queued))
        self._status.setText(" · ".join(said))
        self._status.setVisible(bool(said))
        self.stop_button.setVisible(self._busy)
        self._send.setVisible(bool(self.text.toPlainText().strip() or self.attachments.parts))

    def _changed(self) -> None:
        self.text.recalling = not self.text.toPlainText() or self._shows_recalled()
        self._refresh()
        self._complete()

    def _submit(self) -> None:
        text = self.text.toPlainText().strip()
        if not self._name:
            return
        attachments = self.attachments.parts
        if not text and not attachments:
            self.nothing_sent.emit()
            return
        if text:
            self._said.append(text)
        self._forget_recalled()
        self.text.set_text("")
        self.attachments.put(())
        self.sent.emit(text, attachments)

    def _escape(self) -> None:
        if self._busy:
            self.stop_requested.emit()

    def _shows_recalled(self) -> bool:
        recalled = self._recalled
        return recalled < len(self._said) and self.text.toPlainText() == self._said[recalled]

    def said_before(self, texts: Sequence[str]) -> None:
        """What the user said earlier still, oldest first: an older page has come."""
        self._said[:0] = texts
        self._recalled += len(texts)

    def _forget_recalled(self) -> None:
        self._recalled, self._unsent = len(self._said), ""

    def _recall_older(self) -> None:
        if self._recalled > 0:
            if not self._shows_recalled():
                self._unsent, self._recalled = self.text.toPlainText(), len(self._said)
            self._recalled -= 1
            self._show_recalled()

    def _recall_newer(self) -> None:
        if self._recalled < len(self._said):
            self._recalled += 1
            self._show_recalled()

    def _show_recalled(self) -> None:
        recalled = self._recalled
        self.text.set_text(self._said[recalled] if recalled < len(self._said) else self._unsent)

    def _complete(self) -> None:
        asked = query(self.text.before_cursor()) if self.text.hasFocus() else None
        if asked and (self._query is None or self._query.kind != asked.kind):
            (self.commands_wanted if asked.kind == "command" else self.files_wanted).emit()
        self._query = asked
        self._offer(offers(asked, self._candidates) if asked else [])

    def _offer(self, found: list[Offer]) -> None:
        self.text.completing = bool(found)
        if found and self._popup is None:
            from sidekicks.ui.composer.popup import CompletionPopup

            self._popup = CompletionPopup(self._theme, self.window())
            self._popup.chosen.connect(self._take)
        if self._popup:
            at = self._field.mapTo(self.window(), QPoint(0, 0))
            self._popup.offer(found, QRect(at, self._field.size()))

    def _completion_key(self, key: int) -> None:
        if self._popup is None:
            return
        match Qt.Key(key):
            case Qt.Key.Key_Up:
                self._popup.move_current(-1)
            case Qt.Key.Key_Down:
                self._popup.move_current(1)
            case Qt.Key.Key_Escape:
                self._offer([])
            case _:
                self._popup.take()

    def _take(self, offer: Offer) -> None:
        if self._query is not None:
            # In a folder one goes on choosing.
            end = "" if offer.text.endswith("/") else " "
            self.text.replace(self._query.start, offer.text + end)
        self.text.setFocus()

    def _take_image(self, image: QImage) -> None:
        number = 1 + sum(isinstance(part, ImagePart) for part in self.attachments.parts)
        self.attachments.add(image_of(image, self.tr("Image {number}").format(number=number)))
