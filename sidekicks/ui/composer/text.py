"""The field one writes in: it grows with the text, and says which keys mean something to the conversation."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSizePolicy, QWidget

from sidekicks.ui.positions import characters, units

MAX_LINES = 10


class GrowingText(QPlainTextEdit):
    """One line high when empty, up to `MAX_LINES`, then it scrolls.

    `completing` is set by the owner while its completions are shown: then Enter, Tab, Escape and the arrows
    are theirs and come as `completion_key`. Up before the first character asks for what was said before;
    `recalling` is set while the text is empty or a recalled one: then Up anywhere in the first line does, and
    Down in the last asks for the next.
    """

    submitted = Signal()
    escaped = Signal()
    older_wanted = Signal()
    newer_wanted = Signal()
    completion_key = Signal(int)
    image_pasted = Signal(QImage)
    files_pasted = Signal(list)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.completing = False
        self.recalling = True
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(0)
        self.document().documentLayout().documentSizeChanged.connect(self._grow)
        self._grow()

    def before_cursor(self) -> str:
        """The text left of the cursor."""
        text = self.toPlainText()
        return text[: characters(text, self.textCursor().position())]

    def replace(self, start: int, text: str) -> None:
        """Replaces what stands from `start` to the cursor."""
        cursor = self.textCursor()
        cursor.setPosition(units(self.toPlainText(), start), QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText(text)
        self.setTextCursor(cursor)

    def set_text(self, text: str) -> None:
        """Sets the text, with the cursor at its end."""
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def fit(self) -> None:
        """Takes the height that the font and the text need."""
        self._grow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter sends, Shift+Enter breaks the line, Up in an empty field recalls."""
        key = Qt.Key(event.key())
        plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if self.completing and plain and key in _COMPLETION_KEYS:
            self.completion_key.emit(key.value)
        elif key in _ENTER and plain:
            self.submitted.emit()
        elif key in _ENTER and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        elif key == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif key == Qt.Key.Key_Up and plain and (self._recalls(0) or self.textCursor().atStart()):
            self.older_wanted.emit()
        elif key == Qt.Key.Key_Down and plain and self._recalls(self.blockCount() - 1):
            self.newer_wanted.emit()
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:  # noqa: A002  Qt's name
        """Tab leaves the field, except while it takes a completion."""
        return not self.completing and super().focusNextPrevChild(next)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Text, images, and files from the desktop."""
        return source.hasUrls() or source.hasImage() or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Files and images are for the owner to take; everything else is plain text."""
        files = [url.toLocalFile() for url in source.urls() if url.isLocalFile()]
        if files:
            self.files_pasted.emit(files)
        elif source.hasImage() and isinstance(image := source.imageData(), QImage):
            self.image_pasted.emit(image)
        else:
            super().insertFromMimeData(source)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrower field wraps into more lines."""
        super().resizeEvent(event)
        self._grow()

    def sizeHint(self) -> QSize:
        """As high as now."""
        return QSize(200, self.height())

    def _recalls(self, line: int) -> bool:
        return self.recalling and self.textCursor().blockNumber() == line

    def _grow(self) -> None:
        lines = max(1, round(self.document().size().height()))
        scrolls = lines > MAX_LINES
        policy = Qt.ScrollBarPolicy.ScrollBarAsNeeded if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.setVerticalScrollBarPolicy(policy)
        height = min(lines, MAX_LINES) * self.fontMetrics().lineSpacing() + 2
        if height != self.height():
            self.setFixedHeight(height)


_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_COMPLETION_KEYS = (*_ENTER, Qt.Key.Key_Tab, Qt.Key.Key_Escape, Qt.Key.Key_Up, Qt.Key.Key_Down)
