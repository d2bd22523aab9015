"""Selecting text over several rows and messages, most of which are no widgets, and copying it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from PySide6.QtCore import QPoint
from PySide6.QtGui import QGuiApplication, QTextCursor

from sidekicks.ui.conversation import phrases
from sidekicks.ui.conversation.body import Body
from sidekicks.ui.conversation.contents import (
    AuthorContent,
    PlanContent,
    SegmentContent,
    SystemContent,
    ToolContent,
)
from sidekicks.ui.conversation.decoration import CodeBox
from sidekicks.ui.conversation.model import ConversationModel
from sidekicks.ui.conversation.reading import code_blocks, plain
from sidekicks.ui.conversation.rows import Row


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the text of a row."""

    row: Row
    position: int


class Selection:
    """What is selected. One body selects by itself; this takes over when the mouse leaves it."""

    def __init__(self, model: ConversationModel, bodies: Callable[[], Iterable[Body]]) -> None:
        self._model = model
        self._bodies = bodies
        self._start: Spot | None = None
        self._end: Spot | None = None

    @property
    def spans(self) -> bool:
        """Whether more than one row is selected, or a row that is selected by this and not by its body."""
        return self._start is not None and self._end is not None

    # Selecting

    def press(self, body: Body, place: QPoint, extend: bool) -> None:
        """The mouse was pressed in a body: a new selection begins, or the old one is made longer."""
        if body.row is None:
            return
        spot = Spot(body.row, body.text_at(place))
        if extend and self._start is not None:
            self._end = spot
            self._apply()
            return
        for other in self._bodies():
            if other is not body:
                _clear(other)
        self._start, self._end = spot, None

    def drag(self, body: Body, place: QPoint) -> bool:
        """The mouse moves while pressed; whether the selection reaches beyond the body in which it began."""
        if self._start is None:
            return False
        target = self._body_at(body, place)
        if target is None or target.row is None or target.row is self._start.row:
            if self._end is not None:
                self._end = None
                self._apply()
            return False
        inside = target.viewport().mapFromGlobal(body.viewport().mapToGlobal(place))
        self._end = Spot(target.row, target.text_at(inside))
        self._apply()
        return True

    def select_message(self, row: Row) -> None:
        """Selects everything that the message of a row says."""
        self._select(row.entry.rows)

    def select_all(self) -> None:
        """Selects everything that is loaded."""
        self._select([row for entry in self._model.entries for row in entry.rows])

    def clear(self) -> None:
        """Selects nothing."""
        self._start = self._end = None
        for body in self._bodies():
            _clear(body)

    def restore(self, body: Body) -> None:
        """Selects in a body, which shows another row or other text than before, what is selected of it."""
        if self.spans and body.row is not None and body.row.alive:
            self._apply_to(body)
        elif body.textCursor().hasSelection():
            _clear(body)

    def _select(self, rows: list[Row]) -> None:
        texts = [row for row in rows if isinstance(row.content, SegmentContent)]
        if texts:
            self._start = Spot(texts[0], 0)
            self._end = Spot(texts[-1], _END)
            self._apply()

    def _body_at(self, body: Body, place: QPoint) -> Body | None:
        """The body beside the mouse, or the nearest one in its direction."""
        y = body.viewport().mapToGlobal(place).y()
        best, distance = None, 0
        for other in self._bodies():
            top = other.mapToGlobal(QPoint(0, 0)).y()
            away = max(top - y, y - top - other.height(), 0)
            if best is None or away < distance:
                best, distance = other, away
        return best

    def _apply(self) -> None:
        for body in self._bodies():
            self._apply_to(body)

    def _apply_to(self, body: Body) -> None:
        row = body.row
        bounds = self._bounds()
        if row is None or bounds is None:
            return
        first, last = bounds
        place = self._model.order(row)
        if not self._model.order(first.row) <= place <= self._model.order(last.row):
            _clear(body)
            return
        length = body.document().characterCount() - 1
        start = min(first.position, length) if row is first.row else 0
        end = min(last.position, length) if row is last.row else length
        cursor = QTextCursor(body.document())
        cursor.setPosition(start)
        cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        body.setTextCursor(cursor)

    def _bounds(self) -> tuple[Spot, Spot] | None:
        """Both ends, in order; None when a row of them is gone."""
        start, end = self._start, self._end
        if start is None or end is None or not (start.row.alive and end.row.alive):
            return None
        if self._key(start) <= self._key(end):
            return start, end
        return end, start

    def _key(self, spot: Spot) -> tuple[int, int, int]:
        return (*self._model.order(spot.row), spot.position)

    # Copying

    def copy(self) -> bool:
        """Copies what is selected over several rows; False if it is not, and the body has to."""
        bounds = self._bounds()
        if bounds is None:
            return False
        QGuiApplication.clipboard().setText(self._text(*bounds))
        return True

    def copy_message(self, row: Row) -> None:
        """Copies a message as Markdown."""
        QGuiApplication.clipboard().setText(row.entry.markdown())

    def copy_words(self, row: Row) -> None:
        """Copies a message as it is read, without the marks of Markdown."""
        rows = row.entry.rows
        said = [plain(r.content.markdown) for r in rows if isinstance(r.content, SegmentContent)]
        QGuiApplication.clipboard().setText("\n\n".join(said) or row.entry.markdown())

    def quotable(self, row: Row) -> str:
        """What a reply would quote: what is selected over several rows, else the message of a row."""
        bounds = self._bounds()
        return row.entry.markdown() if bounds is None else self._text(*bounds)

    def copy_code(self, row: Row, box: CodeBox, number: int) -> None:
        """Copies the code block `number` of a row, with what of it stands in the rows below."""
        content = row.content
        blocks = code_blocks(content.markdown) if isinstance(content, SegmentContent) else []
        text = blocks[number] if number < len(blocks) else box.text()
        at_end = not box.last.next().isValid()
        while at_end and isinstance(content, SegmentContent) and content.segment.goes_on == "fence":
            following = self._model.after(row)
            if following is None or not isinstance(following.content, SegmentContent):
                break
            broken_line = not content.segment.source.endswith("\n")
            row, content = following, following.content
            blocks = code_blocks(content.markdown)
            text += ("" if broken_line else "\n") + (blocks[0] if blocks else "")
            at_end = len(blocks) == 1
        QGuiApplication.clipboard().setText(text)

    def _text(self, first: Spot, last: Spot) -> str:
        several = first.row.entry is not last.row.entry
        pieces: list[str] = []
        row: Row | None = first.row
        if several:
            pieces.append(first.row.entry.byline)
        while row is not None:
            pieces.append(self._text_of(row, first, last, several))
            if row is last.row:
                break
            row = self._model.after(row)
        return "\n".join(piece for piece in pieces if piece)

    def _text_of(self, row: Row, first: Spot, last: Spot, several: bool) -> str:
        match row.content:
            case SegmentContent() as content:
                text = plain(content.markdown)
                start = first.position if row is first.row else 0
                end = last.position if row is last.row else len(text)
                if start == 0 and end >= len(text):
                    return content.segment.source.strip("\n")
                return text[start:end]
            case AuthorContent() if several:
                return f"\n{row.entry.byline}"
            case ToolContent() as content:
                return f"{phrases.tool_word(content.tool.kind)}: {content.tool.title}"
            case PlanContent() as content:
                return "\n".join(f"- {entry.content}" for entry in content.plan.entries)
            case SystemContent() as content:
                return phrases.happened(content.message, content.agent)
            case _:
                return ""


_END = 1_000_000_000


def _clear(body: Body) -> None:
    cursor = body.textCursor()
    if cursor.hasSelection():
        cursor.clearSelection()
        body.setTextCursor(cursor)
