"""Tables in the theme's look, and the traces that Qt leaves around them taken away."""

from __future__ import annotations

from PySide6.QtGui import (
    QBrush,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextLength,
    QTextTable,
    QTextTableFormat,
)

from sidekicks.ui.conversation.segments import Segment
from sidekicks.ui.theme import Theme


def in_table(cursor: QTextCursor) -> bool:
    """Whether the cursor is in a cell of a table."""
    return bool(cursor.currentTable())


def style_tables(document: QTextDocument, segment: Segment, theme: Theme) -> None:
    """Gives every table of the document its look; a head row that a joined table repeats is dropped."""
    for frame in document.rootFrame().childFrames():
        if isinstance(frame, QTextTable):
            frame.setFormat(_format(frame, segment, theme))
            _set_line_height(frame)
            if segment.join == "table" and frame.rows() > 1:
                frame.removeRows(0, 1)
            _mend_first_cell(frame)
            _shrink_around(document, frame)


def _format(table: QTextTable, segment: Segment, theme: Theme) -> QTextTableFormat:
    form = QTextTableFormat(table.format())
    form.setCellPadding(theme.px(6))
    form.setCellSpacing(0)
    form.setBorder(1)
    form.setBorderCollapse(True)
    form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    form.setBorderBrush(QBrush(theme.color("border")))
    form.setMargin(0)
    if segment.weights and len(segment.weights) == table.columns():
        total = sum(segment.weights)
        percentage = QTextLength.Type.PercentageLength
        form.setWidth(QTextLength(percentage, 100))
        form.setColumnWidthConstraints([QTextLength(percentage, 100 * w / total) for w in segment.weights])
    return form


def _set_line_height(table: QTextTable) -> None:
    cursor = table.firstCursorPosition()
    cursor.setPosition(table.lastCursorPosition().position(), QTextCursor.MoveMode.KeepAnchor)
    natural = QTextBlockFormat()
    natural.setLineHeight(0, QTextBlockFormat.LineHeightTypes.SingleHeight.value)
    cursor.mergeBlockFormat(natural)


def _mend_first_cell(table: QTextTable) -> None:
    """Qt puts an empty paragraph into the first cell of a table that follows a code block in a list."""
    cell = table.cellAt(0, 0)
    cursor = cell.firstCursorPosition()
    if cursor.block().length() == 1 and cell.lastCursorPosition().block() != cursor.block():
        cursor.deleteChar()


def _shrink_around(document: QTextDocument, table: QTextTable) -> None:
    after = table.lastCursorPosition().block().next()
    if after.isValid() and not after.text() and not after.next().isValid():
        _flatten(QTextCursor(after))
    first = document.begin()
    if not first.text() and not in_table(QTextCursor(first)):
        _flatten(QTextCursor(first))


def _flatten(cursor: QTextCursor) -> None:
    """Qt needs a paragraph before and after a table; it shall take no room."""
    form = QTextBlockFormat()
    form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    form.setTopMargin(0)
    cursor.mergeBlockFormat(form)
    char = QTextCharFormat()
    char.setFontPointSize(1)
    cursor.setBlockCharFormat(char)
