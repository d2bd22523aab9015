"""Shows one segment of Markdown. It lays out nothing twice, loads nothing and opens nothing by itself."""

from __future__ import annotations

import math
from typing import Protocol

from PySide6.QtCore import QPoint, QRectF, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextCursor,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextBrowser, QTextEdit, QToolButton, QWidget

from sidekicks.ui.conversation.contents import SegmentContent
from sidekicks.ui.conversation.decoration import CodeBox, Decoration, Mark
from sidekicks.ui.conversation.document import HEAD
from sidekicks.ui.conversation.glyphs import draw
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.message_menu import Copying, MessageMenu
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.positions import folded, units
from sidekicks.ui.theme import SIZES

_SHOWN_MS = 1_500
_PASSED_ON = frozenset(
    (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_Home, Qt.Key.Key_End)
)


class Selecting(Copying, Protocol):
    """What a body tells about selecting, which goes on from one body to the next."""

    @property
    def spans(self) -> bool:
        """Whether what is selected reaches beyond one body."""
        ...

    def press(self, body: Body, place: QPoint, extend: bool) -> None:
        """A mouse button was pressed in a body."""
        ...

    def drag(self, body: Body, place: QPoint) -> bool:
        """The mouse moves while pressed; True if the body need not select by itself."""
        ...

    def restore(self, body: Body) -> None:
        """A body shows another text: what is selected of it is to be shown."""
        ...

    def copy_code(self, row: Row, box: CodeBox, number: int) -> None:
        """Copies the code block `number` of a row."""
        ...


class CopyButton(QToolButton):
    """Copies one block of code, and says so for a moment."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAutoRaise(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(_SHOWN_MS)
        self._timer.timeout.connect(self.rest)
        self.box: CodeBox | None = None

    def rest(self) -> None:
        """Offers to copy."""
        self._timer.stop()
        self.setText(self.tr("Copy"))
        self.setAccessibleName(self.tr("Copy code"))

    def say_copied(self) -> None:
        """Says that it copied."""
        self.setText(self.tr("Copied"))
        self._timer.start()


class Body(QTextBrowser):
    """The widget of a `SegmentContent`."""

    link_activated = Signal(str)
    link_pointed = Signal(str)
    quoted = Signal(str)
    dragged = Signal(object, QPoint)
    released = Signal()

    def __init__(self, selecting: Selecting, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: Row | None = None
        self._selecting = selecting
        self._look: Look | None = None
        self._shown: SegmentContent | None = None
        self._decoration = Decoration()
        self._buttons: list[CopyButton] = []
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(0)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse
            | Qt.TextInteractionFlag.TextSelectableByKeyboard
            | Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.anchorClicked.connect(self._open)
        self.highlighted.connect(self._point)

    def bind(self, row: Row, width: int, look: Look) -> int:
        """Shows the row's segment in `width` pixels; its height."""
        content = row.content
        assert isinstance(content, SegmentContent)
        fresh = row is not self.row
        self.row = row
        if look is not self._look:
            self._look = look
            self._shown = None
            self.setPalette(look.theme.palette())
            # A widget's font becomes its document's whenever it changes, also by inheritance.
            self.setFont(look.theme.body_font())
            # Below a widget with a style sheet the viewport keeps the palette it was made with.
            self.viewport().setPalette(look.theme.palette())
        if self.lineWrapColumnOrWidth() != width:
            self.setLineWrapColumnOrWidth(width)
        if content != self._shown:
            self._shown = content
            self._decoration = look.writer.write(
                self.document(), content.markdown, content.segment, content.muted, content.growing
            )
            fresh = True
        height = math.ceil(self.document().size().height())
        self._place_buttons(look, width)
        if fresh:
            self._selecting.restore(self)
        return height

    def mark(self, needle: str, current: int, look: Look) -> QRectF | None:
        """Marks where `needle` (folded) stands; where the `current` one is in the widget, if there is one."""
        selections: list[QTextEdit.ExtraSelection] = []
        place = None
        text = folded(self.document().toPlainText()) if needle else ""
        at = text.find(needle) if needle else -1
        while at >= 0:
            cursor = QTextCursor(self.document())
            cursor.setPosition(units(text, at))
            if len(selections) == current:
                place = QRectF(self.cursorRect(cursor))
            cursor.setPosition(units(text, at + len(needle)), QTextCursor.MoveMode.KeepAnchor)
            mark = QTextEdit.ExtraSelection()
            mark.cursor = cursor
            token = "found_current" if len(selections) == current else "found"
            mark.format.setBackground(look.theme.color(token))
            mark.format.setForeground(look.theme.color("text"))
            if len(selections) == current:
                mark.format.setFontUnderline(True)
            selections.append(mark)
            at = text.find(needle, at + len(needle))
        if selections or self.extraSelections():
            self.setExtraSelections(selections)
        return place

    def loadResource(self, type: int, name: QUrl | str) -> None:  # noqa: A002  Qt's name
        """Nothing: a message loads no image, no style, no page."""

    def text_at(self, place: QPoint) -> int:
        """The position in the text that is nearest to a place in the viewport."""
        return self.cursorForPosition(place).position()

    def _open(self, url: QUrl) -> None:
        self.link_activated.emit(url.toString())

    def _point(self, url: QUrl) -> None:
        self.link_pointed.emit(url.toString())

    # Code blocks

    def _code_rect(self, box: CodeBox) -> QRectF:
        assert self._look is not None
        assert self._shown is not None
        px, layout = self._look.theme.px, self.document().documentLayout()
        first, last = layout.blockBoundingRect(box.first), layout.blockBoundingRect(box.last)
        at_start = box.first == self.document().begin()
        at_end = box.last == self.document().lastBlock()
        segment = self._shown.segment
        left = box.first.layout().lineAt(0).x() - px(SIZES.m)
        top = first.top() - px(HEAD)
        bottom = last.bottom() + px(SIZES.s)
        if at_start and segment.join == "fence":
            top = -2.0 * px(SIZES.radius)
        if at_end and segment.goes_on == "fence":
            bottom = self.document().size().height() + 2 * px(SIZES.radius)
        return QRectF(left + 0.5, top + 0.5, self.lineWrapColumnOrWidth() - left - 1, bottom - top - 1)

    def _has_head(self, box: CodeBox) -> bool:
        joined = self._shown is not None and self._shown.segment.join == "fence"
        return not (joined and box.first == self.document().begin())

    def _place_buttons(self, look: Look, width: int) -> None:
        boxes = [box for box in self._decoration.codes if self._has_head(box)]
        while len(self._buttons) < len(boxes):
            button = CopyButton(self.viewport())
            button.clicked.connect(self._copy_code)
            self._buttons.append(button)
        for button in self._buttons[len(boxes) :]:
            button.hide()
        px = look.theme.px
        for button, box in zip(self._buttons, boxes, strict=False):
            if button.box is not box:
                button.box = box
                button.setFont(look.theme.small_font())
                button.setPalette(look.quiet())
                button.rest()
            size = button.sizeHint()
            rect = self._code_rect(box)
            height = min(size.height(), px(HEAD) - 2)
            button.setGeometry(
                width - size.width() - px(SIZES.xs),
                round(rect.top()) + (px(HEAD) - height) // 2,
                size.width(),
                height,
            )
            button.show()

    def _copy_code(self) -> None:
        button = self.sender()
        if isinstance(button, CopyButton) and button.box is not None and self.row is not None:
            number = self._decoration.codes.index(button.box)
            self._selecting.copy_code(self.row, button.box, number)
            button.say_copied()

    # Painting

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints what stands behind the text, then the text."""
        if self._look is not None and self._decoration != Decoration():
            painter = QPainter(self.viewport())
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_behind(painter, self._look)
            painter.end()
        super().paintEvent(event)

    def _paint_behind(self, painter: QPainter, look: Look) -> None:
        theme, layout = look.theme, self.document().documentLayout()
        radius = theme.px(SIZES.radius)
        for box in self._decoration.codes:
            rect = self._code_rect(box)
            painter.setPen(theme.color("border"))
            painter.setBrush(theme.color("code_background"))
            painter.drawRoundedRect(rect, radius, radius)
            if box.language and self._has_head(box):
                painter.setPen(theme.color("text_secondary"))
                painter.setFont(theme.small_font())
                head = QRectF(rect.left() + theme.px(SIZES.m), rect.top(), rect.width() / 2, theme.px(HEAD))
                painter.drawText(head, Qt.AlignmentFlag.AlignVCenter, box.language[:40])
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("border_strong"))
        for quote in self._decoration.quotes:
            top, bottom = layout.blockBoundingRect(quote.first), layout.blockBoundingRect(quote.last)
            left = self.document().rootFrame().frameFormat().leftMargin()
            left += theme.px(SIZES.l) * (quote.depth - 1)
            painter.drawRoundedRect(QRectF(left, top.top(), theme.px(3), bottom.bottom() - top.top()), 1, 1)
        for mark in self._decoration.marks:
            self._paint_mark(painter, look, mark)
        for rule in self._decoration.rules:
            rect = layout.blockBoundingRect(rule)
            painter.fillRect(
                QRectF(rect.left(), round(rect.center().y()), self.lineWrapColumnOrWidth() - rect.left(), 1),
                theme.color("border"),
            )

    def _paint_mark(self, painter: QPainter, look: Look, mark: Mark) -> None:
        """Paints a bullet or the box of a task, before the first line of an item."""
        theme, line = look.theme, mark.block.layout().lineAt(0)
        top = self.document().documentLayout().blockBoundingRect(mark.block).top()
        middle = top + line.y() + line.height() / 2
        if mark.kind == "bullet":
            size = theme.px(5)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("text_secondary"))
            painter.drawEllipse(QRectF(line.x() - theme.px(14), middle - size / 2, size, size))
            return
        size = theme.px(13)
        box = QRectF(line.x() - theme.px(19) + 0.5, round(middle - size / 2) + 0.5, size, size)
        done = mark.kind == "checked"
        painter.setPen(theme.color("accent" if done else "border_strong"))
        painter.setBrush(theme.color("accent") if done else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, theme.px(3), theme.px(3))
        if done:
            draw(painter, "done", box.adjusted(1, 1, -1, -1), theme.color("on_accent"))

    # Mouse and keyboard

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begins a selection, which ends those of other bodies."""
        if event.button() == Qt.MouseButton.LeftButton:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._selecting.press(self, event.position().toPoint(), extend)
            if extend:
                event.accept()
                return
        super().mousePressEvent(event)
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Goes on selecting, here or where the mouse has gone."""
        dragging = bool(event.buttons() & Qt.MouseButton.LeftButton)
        if dragging:
            self.dragged.emit(self, event.position().toPoint())
        if not (dragging and self._selecting.drag(self, event.position().toPoint())):
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Ends selecting."""
        super().mouseReleaseEvent(event)
        self.released.emit()
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leaves scrolling to the conversation."""
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Copies and selects; leaves moving about to the conversation."""
        if event.matches(QKeySequence.StandardKey.Copy) and self._selecting.copy():
            return
        if event.matches(QKeySequence.StandardKey.SelectAll) and self.row is not None:
            self._selecting.select_message(self.row)
            return
        if event.key() in _PASSED_ON and event.modifiers() in (
            Qt.KeyboardModifier.NoModifier,
            Qt.KeyboardModifier.KeypadModifier,
        ):
            event.ignore()
            return
        super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Offers what can be done with the message."""
        if self.row is None:
            return
        alone = "" if self._selecting.spans else self.textCursor().selection().toPlainText()
        link = self.anchorAt(self.viewport().mapFromGlobal(event.globalPos()))
        menu = MessageMenu(self.row, self._selecting, alone, link, self)
        menu.quote.triggered.connect(self._quote)
        menu.popup(event.globalPos())

    def _quote(self) -> None:
        menu = self.findChild(MessageMenu)
        if menu is not None:
            self.quoted.emit(menu.quoted())
