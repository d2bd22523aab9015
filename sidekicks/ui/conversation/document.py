"""Turns a segment of Markdown into a laid out text: Qt reads it, this gives it the theme's look.

Everything happens while the layout is off, so that it is computed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from PySide6.QtGui import (
    QBrush,
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextFrameFormat,
    QTextLayout,
    QTextLength,
    QTextList,
    QTextListFormat,
    QTextTable,
    QTextTableFormat,
)

from sidekicks.ui.conversation.highlight import Highlighter, Span
from sidekicks.ui.conversation.segments import Segment
from sidekicks.ui.theme import SIZES, Theme

_FRONT_MATTER: Final = 0x100000
FEATURES: Final = QTextDocument.MarkdownFeature(
    QTextDocument.MarkdownFeature.MarkdownDialectGitHub.value & ~_FRONT_MATTER
    | QTextDocument.MarkdownFeature.MarkdownNoHTML.value
)
"""GitHub's dialect, tags shown as text, no front matter: Qt would swallow what stands between two rules."""

HEAD: Final = 28
"""Height of the strip above a code block, at zoom 1."""
_HEADING_PX: Final = {1: 1.38, 2: 1.23, 3: 1.08}
_NORMAL: Final = QTextFormat.Property
_LINE_HEIGHT: Final = QTextBlockFormat.LineHeightTypes.MinimumHeight.value

_BULLETS: Final = (
    QTextListFormat.Style.ListDisc,
    QTextListFormat.Style.ListCircle,
    QTextListFormat.Style.ListSquare,
)


@dataclass(frozen=True, slots=True)
class CodeBox:
    """A block of code in a document, from its first line to its last."""

    first: QTextBlock
    last: QTextBlock
    language: str

    def text(self) -> str:
        """The code as it was written."""
        lines: list[str] = []
        block = self.first
        while block.isValid():
            lines.append(block.text())
            if block == self.last:
                break
            block = block.next()
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Mark:
    """What stands before an item of a list that is not numbered."""

    block: QTextBlock
    kind: Literal["bullet", "checked", "unchecked"]


@dataclass(frozen=True, slots=True)
class Decoration:
    """What is to be painted behind the text of a document."""

    codes: tuple[CodeBox, ...] = ()
    quotes: tuple[tuple[QTextBlock, QTextBlock], ...] = ()
    rules: tuple[QTextBlock, ...] = ()
    marks: tuple[Mark, ...] = ()


class Writer:
    """Writes segments into documents in one theme."""

    def __init__(self, theme: Theme, highlighter: Highlighter) -> None:
        self._theme = theme
        self._highlighter = highlighter
        self._body = theme.body_font()
        self._code = QTextCharFormat()
        self._code.setFont(theme.code_font())
        self._code.setForeground(theme.color("text"))
        self._inline = QTextCharFormat(self._code)
        self._inline.setBackground(theme.color("code_background"))
        self._link = QTextCharFormat()
        self._link.setForeground(theme.color("accent"))
        self._link.setFontUnderline(False)
        self._colors: dict[str, QTextCharFormat] = {}

    def write(
        self, document: QTextDocument, markdown: str, segment: Segment, muted: bool, growing: bool
    ) -> Decoration:
        """Replaces what the document says with `markdown`: `segment`'s text with its links resolved."""
        document.setLayoutEnabled(False)
        document.setDefaultFont(self._body)
        document.setIndentWidth(self._theme.px(SIZES.xl))
        document.setMarkdown(markdown, FEATURES)
        styling = _Styling(self, document, segment, muted, growing)
        decoration = styling.run()
        document.setLayoutEnabled(True)
        return decoration

    def spans(self, language: str, lines: list[str], growing: bool) -> list[list[Span]]:
        """The colours of code, line by line."""
        if not language:
            return [[] for _ in lines]
        if growing:
            return [self._highlighter.line(language, line) for line in lines]
        return self._highlighter.block(language, lines)

    def color(self, token: str) -> QTextCharFormat:
        """A format that only sets the colour of text."""
        found = self._colors.get(token)
        if found is None:
            found = self._colors[token] = QTextCharFormat()
            found.setForeground(self._theme.color(token))
        return found

    @property
    def theme(self) -> Theme:
        """The theme written in."""
        return self._theme

    @property
    def code(self) -> QTextCharFormat:
        """Code in a block."""
        return self._code

    @property
    def inline(self) -> QTextCharFormat:
        """Code in a sentence."""
        return self._inline

    @property
    def link(self) -> QTextCharFormat:
        """A link."""
        return self._link


class _Styling:
    """One pass over a document that was just read."""

    def __init__(
        self, writer: Writer, document: QTextDocument, segment: Segment, muted: bool, growing: bool
    ) -> None:
        self._writer = writer
        self._document = document
        self._segment = segment
        self._muted = muted
        self._growing = growing
        self._px = writer.theme.px
        self._cursor = QTextCursor(document)
        self._run: list[QTextBlock] = []
        self._codes: list[CodeBox] = []
        self._quotes: list[tuple[QTextBlock, QTextBlock]] = []
        self._rules: list[QTextBlock] = []
        self._formats: list[tuple[QTextBlock, list[QTextLayout.FormatRange]]] = []
        self._lists: set[int] = set()
        self._bulleted: set[int] = set()
        self._marks: list[Mark] = []

    def run(self) -> Decoration:
        self._cursor.beginEditBlock()
        self._prepare()
        block, previous = self._document.begin(), None
        while block.isValid():
            form = block.blockFormat()
            if form.hasProperty(_NORMAL.BlockCodeFence):
                if self._run and form.property(_NORMAL.BlockCodeLanguage) != self._language():
                    self._end_code()
                self._run.append(block)
            else:
                self._end_code()
                self._style_block(block, form, previous)
            previous = block
            block = block.next()
        self._end_code()
        for frame in self._document.rootFrame().childFrames():
            if isinstance(frame, QTextTable):
                self._style_table(frame)
        self._cursor.endEditBlock()
        self._set_edges()
        for changed, ranges in self._formats:
            changed.layout().setFormats(ranges)
        return Decoration(tuple(self._codes), tuple(self._quotes), tuple(self._rules), tuple(self._marks))

    def _prepare(self) -> None:
        first = self._document.begin()
        if not first.text() and first.next().isValid() and not _in_table(self._cursor):
            following = first.next()
            if following.blockFormat().hasProperty(_NORMAL.BlockTrailingHorizontalRulerWidth):
                # Qt begins with an empty paragraph when a rule comes first.
                self._cursor.deleteChar()
        everything = QTextCursor(self._document)
        everything.select(QTextCursor.SelectionType.Document)
        line = QTextBlockFormat()
        line.setLineHeight(self._px(SIZES.line), _LINE_HEIGHT)
        line.setTopMargin(0)
        line.setBottomMargin(0)
        everything.mergeBlockFormat(line)
        token = "text_secondary" if self._muted else "text"
        everything.mergeCharFormat(self._writer.color(token))

    # Code

    def _language(self) -> str:
        language = self._run[0].blockFormat().property(_NORMAL.BlockCodeLanguage)
        return language if isinstance(language, str) else ""

    def _end_code(self) -> None:
        if not self._run:
            return
        blocks, language = self._run, self._language()
        self._run = []
        first, last = blocks[0], blocks[-1]
        self._select(first.position(), last.position() + last.length() - 1)
        form = QTextBlockFormat()
        form.setLineHeight(self._px(SIZES.code_line), _LINE_HEIGHT)
        margin = first.blockFormat().leftMargin() + self._px(SIZES.m)
        form.setLeftMargin(margin)
        form.setRightMargin(self._px(SIZES.m))
        self._cursor.mergeBlockFormat(form)
        self._cursor.mergeCharFormat(self._writer.code)
        top = 0 if first == self._document.begin() else self._px(SIZES.s)
        self._set_margins(first, top=top + self._code_head(first))
        if last.next().isValid():
            self._set_margins(last, bottom=self._px(SIZES.s) + self._px(SIZES.xs))
        lines = self._writer.spans(language.split(" ")[0].lower(), [b.text() for b in blocks], self._growing)
        for block, spans in zip(blocks, lines, strict=False):
            if spans:
                self._formats.append((block, [self._range(*span) for span in spans]))
        self._codes.append(CodeBox(QTextBlock(first), QTextBlock(last), language))

    def _code_head(self, first: QTextBlock) -> int:
        joined = self._segment.join == "fence" and first == self._document.begin()
        return 0 if joined else self._px(HEAD)

    def _range(self, start: int, length: int, token: str) -> QTextLayout.FormatRange:
        return _format_range(start, length, self._writer.color(token))

    # Everything else

    def _style_block(self, block: QTextBlock, form: QTextBlockFormat, previous: QTextBlock | None) -> None:
        self._cursor.setPosition(block.position())
        listed = _list_of(block)
        level = form.headingLevel()
        if listed is not None:
            self._style_item(block, form, listed)
        if form.hasProperty(_NORMAL.BlockTrailingHorizontalRulerWidth):
            self._style_rule(block)
        elif level:
            self._style_heading(block, level)
        elif previous is not None and not _in_table(self._cursor):
            tight = listed is not None and _list_of(previous) is not None
            self._set_margins(block, top=self._px(SIZES.xs if tight else SIZES.s))
        quote = form.property(_NORMAL.BlockQuoteLevel)
        if isinstance(quote, int) and quote:
            self._style_quote(block, previous, quote)
        self._style_fragments(block)

    def _style_item(self, block: QTextBlock, form: QTextBlockFormat, listed: QTextList) -> None:
        key = listed.objectIndex()
        self._style_list(key, listed)
        if key not in self._bulleted:
            return
        marker = form.marker()
        if marker == QTextBlockFormat.MarkerType.NoMarker:
            self._marks.append(Mark(QTextBlock(block), "bullet"))
            return
        done = marker == QTextBlockFormat.MarkerType.Checked
        self._marks.append(Mark(QTextBlock(block), "checked" if done else "unchecked"))
        unmarked = QTextBlockFormat()
        unmarked.setMarker(QTextBlockFormat.MarkerType.NoMarker)
        self._cursor.mergeBlockFormat(unmarked)

    def _style_list(self, key: int, listed: QTextList) -> None:
        if key in self._lists:
            return
        form = listed.format()
        if not self._lists and self._segment.start is not None:
            form.setStart(self._segment.start)
            listed.setFormat(form)
        if form.style() in _BULLETS:
            # Drawn by the body, finer than Qt does.
            form.setStyle(QTextListFormat.Style.ListStyleUndefined)
            listed.setFormat(form)
            self._bulleted.add(key)
        self._lists.add(key)

    def _style_rule(self, block: QTextBlock) -> None:
        form = QTextBlockFormat(block.blockFormat())
        form.clearProperty(_NORMAL.BlockTrailingHorizontalRulerWidth)
        form.setLineHeight(self._px(SIZES.l), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        self._cursor.setBlockFormat(form)
        self._rules.append(QTextBlock(block))

    def _style_heading(self, block: QTextBlock, level: int) -> None:
        form = QTextCharFormat()
        form.clearProperty(_NORMAL.FontSizeAdjustment)
        form.setFontWeight(QFont.Weight.DemiBold)
        form.setFontPointSize(self._document.defaultFont().pointSizeF() * _HEADING_PX.get(level, 1.0))
        self._select(block.position(), block.position() + block.length() - 1)
        self._cursor.mergeCharFormat(form)
        self._cursor.setPosition(block.position())
        top = 0 if block == self._document.begin() else self._px(SIZES.l)
        self._set_margins(block, top=top)

    def _style_quote(self, block: QTextBlock, previous: QTextBlock | None, level: int) -> None:
        form = QTextBlockFormat()
        form.setLeftMargin(self._px(SIZES.l) * level)
        self._cursor.mergeBlockFormat(form)
        self._select(block.position(), block.position() + block.length() - 1)
        self._cursor.mergeCharFormat(self._writer.color("text_secondary"))
        if self._quotes and previous is not None and self._quotes[-1][1] == previous:
            self._quotes[-1] = (self._quotes[-1][0], QTextBlock(block))
        else:
            self._quotes.append((QTextBlock(block), QTextBlock(block)))

    def _style_fragments(self, block: QTextBlock) -> None:
        ranges: list[QTextLayout.FormatRange] = []
        images: list[tuple[int, int, QTextCharFormat]] = []
        place = block.begin()
        while not place.atEnd():
            fragment = place.fragment()
            form = fragment.charFormat()
            start = fragment.position() - block.position()
            if form.isImageFormat():
                images.append((fragment.position(), fragment.length(), form))
            elif form.fontFixedPitch():
                ranges.append(_format_range(start, fragment.length(), self._writer.inline))
            elif form.isAnchor():
                ranges.append(_format_range(start, fragment.length(), self._writer.link))
            place += 1
        for position, length, form in reversed(images):
            self._replace_image(position, length, form)
        if images:
            self._style_fragments(block)
        elif ranges:
            self._formats.append((block, ranges))

    def _replace_image(self, position: int, length: int, form: QTextCharFormat) -> None:
        """Puts a link in the place of an image: nothing in a message is loaded."""
        image = form.toImageFormat()
        target = image.name()
        words = image.property(_NORMAL.ImageAltText)
        link = QTextCharFormat()
        link.setAnchor(True)
        link.setAnchorHref(target)
        self._select(position, position + length)
        self._cursor.insertText(words if isinstance(words, str) and words else target, link)

    def _style_table(self, table: QTextTable) -> None:
        form = QTextTableFormat(table.format())
        form.setCellPadding(self._px(6))
        form.setCellSpacing(0)
        form.setBorder(1)
        form.setBorderCollapse(True)
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderBrush(QBrush(self._writer.theme.color("border")))
        form.setMargin(0)
        if self._segment.weights and len(self._segment.weights) == table.columns():
            total = sum(self._segment.weights)
            form.setWidth(QTextLength(QTextLength.Type.PercentageLength, 100))
            form.setColumnWidthConstraints(
                [
                    QTextLength(QTextLength.Type.PercentageLength, 100 * w / total)
                    for w in self._segment.weights
                ]
            )
        table.setFormat(form)
        self._select(table.firstCursorPosition().position(), table.lastCursorPosition().position())
        natural = QTextBlockFormat()
        natural.setLineHeight(0, QTextBlockFormat.LineHeightTypes.SingleHeight.value)
        self._cursor.mergeBlockFormat(natural)
        if self._segment.join == "table" and table.rows() > 1:
            table.removeRows(0, 1)
        self._mend_first_cell(table)
        self._shrink_after(table)

    def _mend_first_cell(self, table: QTextTable) -> None:
        """Qt puts an empty paragraph into the first cell of a table that follows a code block in a list."""
        cell = table.cellAt(0, 0)
        cursor = cell.firstCursorPosition()
        if cursor.block().length() == 1 and cell.lastCursorPosition().block() != cursor.block():
            cursor.deleteChar()

    def _shrink_after(self, table: QTextTable) -> None:
        after = table.lastCursorPosition().block().next()
        if after.isValid() and not after.text() and not after.next().isValid():
            self._cursor.setPosition(after.position())
            self._flatten()
        first = self._document.begin()
        if not first.text() and not _in_table(QTextCursor(first)):
            self._cursor.setPosition(first.position())
            self._flatten()

    def _flatten(self) -> None:
        """Qt needs a paragraph before and after a table; it shall take no room."""
        form = QTextBlockFormat()
        form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        form.setTopMargin(0)
        self._cursor.mergeBlockFormat(form)
        char = QTextCharFormat()
        char.setFontPointSize(1)
        self._cursor.setBlockCharFormat(char)

    def _set_edges(self) -> None:
        frame = self._document.rootFrame()
        form = frame.frameFormat()
        form.setMargin(0)
        muted = self._px(SIZES.line) if self._muted else 0
        form.setLeftMargin(muted + self._segment.depth * self._document.indentWidth())
        ends_in_code = bool(self._codes) and self._codes[-1].last == self._document.lastBlock()
        if ends_in_code and self._segment.goes_on != "fence":
            form.setBottomMargin(self._px(SIZES.s) + 1)
        frame.setFrameFormat(form)

    def _set_margins(self, block: QTextBlock, top: float | None = None, bottom: float | None = None) -> None:
        form = QTextBlockFormat()
        if top is not None:
            form.setTopMargin(top)
        if bottom is not None:
            form.setBottomMargin(bottom)
        self._cursor.setPosition(block.position())
        self._cursor.mergeBlockFormat(form)

    def _select(self, start: int, end: int) -> None:
        self._cursor.setPosition(start)
        self._cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)


def _list_of(block: QTextBlock) -> QTextList | None:
    return block.textList()


def _in_table(cursor: QTextCursor) -> bool:
    return bool(cursor.currentTable())


def _format_range(start: int, length: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start = start
    found.length = length
    found.format = form
    return found


def plain(markdown: str) -> str:
    """What a segment says, without its marks."""
    document = QTextDocument()
    document.setMarkdown(markdown, FEATURES)
    return document.toPlainText()


def code_blocks(markdown: str) -> list[str]:
    """The code blocks of a segment as they were written: Qt's own reading turns tabs into spaces."""
    from markdown_it import MarkdownIt

    tokens = MarkdownIt("commonmark").parse(markdown)
    return [token.content.removesuffix("\n") for token in tokens if token.type in ("fence", "code_block")]
