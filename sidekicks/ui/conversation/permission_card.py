"""The card with which an agent asks. It shows what will be done whole, and answers by mouse or keyboard.

It never takes the keyboard by itself: a card that did would be answered by whoever is typing. Its keys are
named only while it has the keyboard: in the composer Escape stops the whole answer.
"""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QCoreApplication, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from sidekicks.models import PermissionOption, PermissionRequest, ToolKind
from sidekicks.ui.conversation import phrases
from sidekicks.ui.conversation.code_text import CodeText
from sidekicks.ui.conversation.contents import PermissionContent
from sidekicks.ui.conversation.diff_view import DiffView
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.conversation.tool_detail import Spares, shown_input
from sidekicks.ui.reveal import hides_something, reveal
from sidekicks.ui.theme import SIZES

_ORDER = ("allow_once", "allow_always", "reject_once", "reject_always")
_NAME = 48


class OptionButton(QPushButton):
    """One answer."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.option_id = ""
        self.label = ""
        self.key = ""
        self.primary = False
        self.look: Look | None = None
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints a filled button for the answer that Enter gives, an outlined one for the others."""
        del event
        if self.look is None:
            return
        theme = self.look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        radius = theme.px(SIZES.xs)
        fill = "accent" if self.primary else ("hover" if self.underMouse() or self.isDown() else "raised")
        painter.setPen(theme.color("accent" if self.primary or self.hasFocus() else "border_strong"))
        painter.setBrush(theme.color(fill))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(theme.color("on_accent" if self.primary else "accent"))
            painter.drawRoundedRect(box.adjusted(2.5, 2.5, -2.5, -2.5), radius - 1, radius - 1)
        painter.setFont(self.font())
        painter.setPen(theme.color("on_accent" if self.primary else "text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()


class PermissionCard(QWidget):
    """The widget of a `PermissionContent`. Enter gives the first answer that allows once, Escape rejects."""

    answered = Signal(str, str)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: Row | None = None
        self._look: Look | None = None
        self._request: PermissionRequest | None = None
        self._agent = ""
        self._title = QLabel(self)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        self._note = QLabel(self)
        self._note.setTextFormat(Qt.TextFormat.PlainText)
        self._note.setWordWrap(True)
        self._command = CodeText(self)
        self._command.around = "raised"
        self._diffs = Spares(DiffView, self)
        self._buttons = Spares(OptionButton, self, self._connect)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAutoFillBackground(True)

    def bind(self, row: Row, width: int, look: Look) -> int:
        """Shows the row's question; the height."""
        content = row.content
        assert isinstance(content, PermissionContent)
        self.row, self._look, self._request = row, look, content.request
        self.setPalette(look.theme.palette())
        self._agent = reveal(content.agent)
        title = phrases.wants(content.request, self._agent)
        self._title.setText(title)
        self._title.setFont(look.theme.strong_font())
        self._title.setPalette(look.theme.palette())
        self.setAccessibleName(title)
        pad = look.theme.px(SIZES.m)
        room = width - 2 * pad
        top = pad
        top += self._put(self._title, self._title.heightForWidth(room), top, room)
        top += self._show_what(content.request, top, room, look)
        top += self._show_note(content.request, top, room, look)
        top += self._show_options(content.request, top, room, look)
        self.update()
        return top + pad

    def focus_answer(self) -> None:
        """Puts the keyboard on the card."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    # Parts of the card

    def _put(self, widget: QWidget, height: int, top: int, room: int) -> int:
        assert self._look is not None
        widget.setGeometry(self._look.theme.px(SIZES.m), top, room, height)
        return height + self._look.theme.px(SIZES.s)

    def _show_what(self, request: PermissionRequest, top: int, room: int, look: Look) -> int:
        tool = request.tool_call
        begun = top
        self._diffs.begin()
        for diff in tool.diffs:
            view = self._diffs.take()
            view.around = "raised"
            top += self._put(view, view.show_diff(diff, room, look), top, room)
        self._diffs.end()
        text = "" if tool.diffs else reveal_command(shown_input(tool) or tool.title)
        self._command.setVisible(bool(text))
        if text:
            self._command.setAccessibleName(text)
            top += self._put(self._command, self._command.show_text(text, room, look), top, room)
        return top - begun

    def _show_note(self, request: PermissionRequest, top: int, room: int, look: Look) -> int:
        tool = request.tool_call
        notes: list[str] = []
        if hides_something(shown_input(tool).replace("\n", "") + tool.title):
            notes.append(self.tr("It contains characters that cannot be seen; they are shown as ⟨U+…⟩."))
        if request.rejections == 1:
            notes.append(self.tr("You rejected one request of this answer."))
        elif request.rejections:
            notes.append(
                self.tr("You rejected {count} requests of this answer.").format(count=request.rejections)
            )
        self._note.setVisible(bool(notes))
        if not notes:
            return 0
        self._note.setFont(look.theme.small_font())
        self._note.setPalette(look.quiet())
        self._note.setText(" ".join(notes))
        return self._put(self._note, self._note.heightForWidth(room), top, room)

    def _show_options(self, request: PermissionRequest, top: int, room: int, look: Look) -> int:
        px = look.theme.px
        pad, gap, height = px(SIZES.m), px(SIZES.s), px(30)
        options = sorted(request.options, key=lambda option: _ORDER.index(option.kind))
        kinds = Counter(option.kind for option in options)
        by_enter, by_escape = self._for_enter(), self._for_escape()
        left = pad
        self._buttons.begin()
        begun = top
        for option in options:
            button = self._buttons.take()
            button.key = " ⏎" if option is by_enter else " ⎋" if option is by_escape else ""
            button.label = label = _label(option, request.tool_call.kind, kinds[option.kind] > 1)
            button.look, button.option_id, button.primary = look, option.option_id, option is by_enter
            button.setFont(look.theme.body_font())
            button.setAccessibleName(label)
            told = (reveal(option.name), phrases.what_is_remembered(option, self._agent))
            button.setAccessibleDescription("\n".join(filter(None, told)))
            button.setToolTip("\n".join(filter(None, told)))
            width = button.fontMetrics().horizontalAdvance(label + button.key) + px(SIZES.xl)
            if left > pad and left + width > pad + room:
                left, top = pad, top + height + gap
            button.setGeometry(left, top, width, height)
            left += width + gap
        self._buttons.end()
        self._name_keys()
        return top - begun + height

    def _name_keys(self) -> None:
        for button in self.findChildren(OptionButton):
            button.setText(button.label + button.key if self.hasFocus() else button.label)

    def _for_enter(self) -> PermissionOption | None:
        return self._first("allow_once")

    def _for_escape(self) -> PermissionOption | None:
        return self._first("reject_once") or self._first("reject_always")

    def _first(self, kind: str) -> PermissionOption | None:
        options = self._request.options if self._request is not None else ()
        return next((option for option in options if option.kind == kind), None)

    # Answers

    def _connect(self, button: OptionButton) -> None:
        button.clicked.connect(self._clicked)

    def _clicked(self) -> None:
        button = self.sender()
        if isinstance(button, OptionButton):
            self._answer(button.option_id)

    def _answer(self, option_id: str) -> None:
        if self._request is not None:
            self.answered.emit(self._request.id, option_id)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Answers: Enter allows once, or presses the button that has the keyboard; Escape rejects."""
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            option = self._for_enter()
            if isinstance(focused, OptionButton) and focused.hasFocus():
                self._answer(focused.option_id)
            elif option is not None and not event.isAutoRepeat():
                self._answer(option.option_id)
            return
        if event.key() == Qt.Key.Key_Escape and (option := self._for_escape()) is not None:
            self._answer(option.option_id)
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Names the keys that answer from now on."""
        super().focusInEvent(event)
        self._name_keys()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """The keys answer no more."""
        super().focusOutEvent(event)
        self._name_keys()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the card, with an accent while it has the keyboard."""
        del event
        if self._look is None:
            return
        theme = self._look.theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(theme.color("accent" if self.hasFocus() else "border_strong"))
        painter.setBrush(theme.color("raised"))
        radius = theme.px(SIZES.s)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        painter.end()


def reveal_command(text: str) -> str:
    """A command with its line breaks kept and everything else that hides shown."""
    return "\n".join(reveal(line) for line in text.split("\n"))


def _label(option: PermissionOption, tool: ToolKind, ambiguous: bool) -> str:
    """What the answer does, first in our words: an agent's name for it may say anything.

    Its name follows where ours do not say it all: an `always` of the agent's own, or two answers of a kind.
    """
    if option.remembered and not ambiguous:
        return phrases.remembered_word(option.kind, tool)
    word = phrases.option_word(option.kind)
    name = reveal(" ".join(option.name.split()))[:_NAME]
    if not name or name == word or not (ambiguous or option.kind.endswith("always")):
        return word
    # A name that begins with our word says it already.
    if name.casefold().startswith(word.casefold()):
        return name
    return QCoreApplication.translate("PermissionCard", "{answer}: {name}").format(answer=word, name=name)
