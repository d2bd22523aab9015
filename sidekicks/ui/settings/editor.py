"""A field for YAML: numbers, colours, problems at their places, completion and help from the schema."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QToolTip, QWidget

from sidekicks.models import Problem
from sidekicks.ui.composer.completion import Offer
from sidekicks.ui.composer.popup import CompletionPopup
from sidekicks.ui.positions import characters, units
from sidekicks.ui.settings import hints
from sidekicks.ui.settings.colors import YamlColors
from sidekicks.ui.settings.gutter import ERROR, WARNING, Gutter
from sidekicks.ui.settings.place import Place, key_at, keys_beside, place
from sidekicks.ui.style import sheet
from sidekicks.ui.theme import SIZES, Theme

STEP = 2
"""Blanks of one level of indentation."""
_SHEET = """
YamlEditor { background: $background; border: none; selection-background-color: $selection; }
"""


class YamlEditor(QPlainTextEdit):
    """Edits a text by the rules of a JSON Schema. `explained` tells what the key at the cursor is for."""

    explained = Signal(str)

    def __init__(self, theme: Theme, schema: hints.Node, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme = theme
        self._schema = schema
        self._problems: tuple[Problem, ...] = ()
        self._place: Place | None = None
        self._popup: CompletionPopup | None = None
        self._gutter = Gutter(self)
        self._colors = YamlColors(self.document(), theme)
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setAccessibleName(self.tr("Configuration file"))
        self.blockCountChanged.connect(self._fit_gutter)
        self.updateRequest.connect(self._scroll_gutter)
        self.cursorPositionChanged.connect(self._moved)
        self.verticalScrollBar().valueChanged.connect(self._offer_nothing)
        self.set_theme(theme)

    # -- what it shows -------------------------------------------------------------------------------

    def set_theme(self, theme: Theme) -> None:
        """Draws with `theme` from now on."""
        self.theme = theme
        self.setStyleSheet(sheet(theme, _SHEET) + theme.scroll_bar_style())
        self.setFont(theme.code_font())
        self._colors.set_theme(theme)
        if self._popup is not None:
            self._popup.set_theme(theme)
        self._fit_gutter()
        self._mark()

    def show_text(self, text: str) -> None:
        """Shows another text as one step that can be undone; the cursor and the view stay where they are."""
        line, column = self.textCursor().blockNumber(), self.textCursor().positionInBlock()
        seen = self.verticalScrollBar().value()
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)
        self.go_to(line + 1, column + 1)
        self.verticalScrollBar().setValue(seen)

    def show_problems(self, problems: Sequence[Problem]) -> None:
        """Marks them at their places."""
        self._problems = tuple(problems)
        self._mark()
        self._gutter.update()

    def go_to(self, line: int, column: int) -> None:
        """Puts the cursor at a place, 1-based, as far as there is one."""
        block = self.document().findBlockByNumber(min(line, self.blockCount()) - 1)
        cursor = self.textCursor()
        cursor.setPosition(block.position() + units(block.text(), min(max(column - 1, 0), len(block.text()))))
        self.setTextCursor(cursor)
        self.centerCursor()

    def lines(self) -> list[str]:
        """The text by its lines."""
        return self.toPlainText().split("\n")

    def mark_of(self, line: int) -> str:
        """What stands beside a line, 1-based."""
        found = [problem for problem in self._problems if problem.line == line]
        if not found:
            return ""
        return WARNING if all(problem.warning for problem in found) else ERROR

    def visible_lines(self) -> Iterator[tuple[int, int]]:
        """The numbers of the lines that can be seen, 0-based, and where each begins."""
        block = self.firstVisibleBlock()
        while block.isValid():
            box = self.blockBoundingGeometry(block).translated(self.contentOffset())
            if box.top() > self.viewport().height():
                return
            yield block.blockNumber(), round(box.top())
            block = block.next()

    @property
    def offered(self) -> list[str]:
        """The completions shown, from the top."""
        return self._popup.texts() if self._popup and self._popup.isVisible() else []

    # -- keys ----------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tab indents, Enter keeps the indentation, Ctrl+Space completes; the rest is a text field's."""
        key = Qt.Key(event.key())
        if self.offered and key in _COMPLETION_KEYS and not event.modifiers():
            self._completion_key(key)
        elif key == Qt.Key.Key_Space and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._complete(wanted=True)
        elif key == Qt.Key.Key_Tab and not event.modifiers():
            self._indent()
        elif key == Qt.Key.Key_Backtab:
            self._outdent()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self._break_line()
        else:
            super().keyPressEvent(event)
            if (event.text().isprintable() and event.text()) or (
                key == Qt.Key.Key_Backspace and self.offered
            ):
                self._complete(wanted=False)
            elif key not in _MODIFIERS:
                self._offer_nothing()

    def _indent(self) -> None:
        cursor = self.textCursor()
        if not cursor.hasSelection():
            cursor.insertText(" " * (STEP - cursor.positionInBlock() % STEP))
            return
        self._change_lines(" " * STEP)

    def _outdent(self) -> None:
        self._change_lines("")

    def _change_lines(self, added: str) -> None:
        """Moves the selected lines to the right by `added`, or to the left by a step."""
        cursor = self.textCursor()
        document = self.document()
        first = document.findBlock(cursor.selectionStart()).blockNumber()
        last = document.findBlock(cursor.selectionEnd()).blockNumber()
        cursor.beginEditBlock()
        for number in range(first, last + 1):
            block = document.findBlockByNumber(number)
            at = QTextCursor(block)
            if added:
                at.insertText(added)
                continue
            blanks = len(block.text()) - len(block.text().lstrip(" "))
            for _ in range(min(STEP, blanks)):
                at.deleteChar()
        cursor.endEditBlock()

    def _break_line(self) -> None:
        """A new line with the indentation of this one; after a key without a value, one step more."""
        cursor = self.textCursor()
        before = cursor.block().text()[: cursor.positionInBlock()]
        indent = len(before) - len(before.lstrip(" "))
        stripped = before.strip()
        if stripped.startswith("- ") and not stripped.endswith(":"):
            indent += STEP
        elif stripped.endswith(":"):
            indent += STEP * (2 if stripped.startswith("- ") else 1)
        cursor.insertText("\n" + " " * indent)
        self.ensureCursorVisible()

    # -- completion ----------------------------------------------------------------------------------

    def _complete(self, *, wanted: bool) -> None:
        """Offers what can stand here; without being `wanted` only once something is typed."""
        line, column = self._place_of(self.textCursor())
        lines = self.lines()
        self._place = found = place(lines, line, column)
        if found is None or not (wanted or found.typed or found.kind == "value"):
            self._offer_nothing()
            return
        if found.kind == "key":
            there = keys_beside(lines, line, found.start)
            offers = [
                o for o in hints.keys(self._schema, found.path) if o.text.partition(":")[0] not in there
            ]
        else:
            offers = hints.values(self._schema, found.path)
        typed = found.typed.casefold()
        offers = [offer for offer in offers if offer.text.casefold().startswith(typed)]
        if any(offer.text.strip().casefold() == typed for offer in offers):
            offers = []
        self._offer(offers)

    def _offer(self, offers: list[Offer]) -> None:
        if not offers:
            self._offer_nothing()
            return
        if self._popup is None:
            self._popup = CompletionPopup(self.theme, self.window())
            self._popup.chosen.connect(self._take)
        caret = self.cursorRect()
        at = self.viewport().mapTo(self.window(), caret.topLeft())
        width = min(self.theme.px(460), max(self.theme.px(200), self.window().width() - at.x() - SIZES.l))
        self._popup.offer(offers, QRect(at.x(), at.y(), width, caret.height()))

    def _offer_nothing(self) -> None:
        if self._popup is not None:
            self._popup.hide()

    def _completion_key(self, key: Qt.Key) -> None:
        assert self._popup is not None
        match key:
            case Qt.Key.Key_Up:
                self._popup.move_current(-1)
            case Qt.Key.Key_Down:
                self._popup.move_current(1)
            case Qt.Key.Key_Escape:
                self._offer_nothing()
            case _:
                self._popup.take()

    def _take(self, offer: Offer) -> None:
        if self._place is None:
            return
        cursor = self.textCursor()
        block = cursor.block()
        start = block.position() + units(block.text(), self._place.start)
        cursor.setPosition(start, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(offer.text)
        self.setTextCursor(cursor)
        self.setFocus()
        if offer.text.endswith(" "):
            self._complete(wanted=True)

    # -- explanations --------------------------------------------------------------------------------

    def _moved(self) -> None:
        self.explained.emit(self._explanation(*self._place_of(self.textCursor())))
        self._gutter.update()
        self._mark()

    @staticmethod
    def _place_of(cursor: QTextCursor) -> tuple[int, int]:
        """The line and the column of a cursor, 0-based, in characters."""
        return cursor.blockNumber(), characters(cursor.block().text(), cursor.positionInBlock())

    def _explanation(self, line: int, column: int) -> str:
        lines = self.lines()
        path = key_at(lines, line, column)
        if path is None and (found := place(lines, line, column)) is not None and found.kind == "value":
            path = found.path
        return hints.explanation(self._schema, path) if path else ""

    def event(self, event: QEvent) -> bool:
        """Explains the key under the mouse, and the problem there."""
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            at = self.viewport().mapFrom(self, event.pos())
            line, column = self._place_of(self.cursorForPosition(at))
            said = [problem.message for problem in self._problems if problem.line == line + 1]
            said.append(self._explanation(line, column))
            QToolTip.showText(event.globalPos(), "\n\n".join(filter(None, said)), self)
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Completions go with the focus."""
        super().focusOutEvent(event)
        self._offer_nothing()

    # -- drawing -------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keeps the gutter beside the text."""
        super().resizeEvent(event)
        self._fit_gutter()
        if self.hasFocus():
            self.ensureCursorVisible()  # the list of problems takes room when one types something wrong

    def _fit_gutter(self) -> None:
        width = self._gutter.wanted_width()
        self.setViewportMargins(width, 0, 0, 0)
        box = self.contentsRect()
        self._gutter.setGeometry(box.left(), box.top(), width, box.height())

    def _scroll_gutter(self, rect: QRect, dy: int) -> None:
        if dy:
            self._gutter.scroll(0, dy)
        else:
            self._gutter.update(0, rect.y(), self._gutter.width(), rect.height())

    def _mark(self) -> None:
        """The current line's ground, and a wave under each problem."""
        current = QTextEdit.ExtraSelection()
        current.format.setBackground(self.theme.color("surface"))
        current.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        current.cursor = self.textCursor()
        current.cursor.clearSelection()
        marks = [current]
        for problem in self._problems:
            block = self.document().findBlockByNumber(problem.line - 1)
            if block.isValid():
                color = self.theme.color("warning" if problem.warning else "danger")
                marks.append(_wave(QTextCursor(block), problem.column - 1, color))
        self.setExtraSelections(marks)


def _wave(cursor: QTextCursor, column: int, color: QColor) -> QTextEdit.ExtraSelection:
    """A wave under the word at a column of the cursor's line; under the whole line where there is no word."""
    text = cursor.block().text()
    end = column
    while end < len(text) and not text[end].isspace():
        end += 1
    start = column if end > column else len(text) - len(text.lstrip())
    end = end if end > column else len(text)
    position = cursor.block().position()
    cursor.setPosition(position + units(text, min(start, len(text))))
    cursor.setPosition(position + units(text, end), QTextCursor.MoveMode.KeepAnchor)
    mark = QTextEdit.ExtraSelection()
    mark.cursor = cursor
    mark.format.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
    mark.format.setUnderlineColor(color)
    return mark


_COMPLETION_KEYS = (
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_Tab,
)
_MODIFIERS = (Qt.Key.Key_Shift, Qt.Key.Key_Control, Qt.Key.Key_Alt, Qt.Key.Key_Meta)
