"""Turns a segment of Markdown into a laid out text: Qt reads it, this gives it the theme's look.

Everything happens while the layout is off, so that it is computed once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from PySide6.QtGui import (
    QFont,
    QTextBlock,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextLayout,
    QTextList,
    QTextListFormat,
)

from sidekicks.ui.conversation.decoration import CodeBox, Decoration, Mark, Quote
from sidekicks.ui.conversation.formats import Formats
from sidekicks.ui.conversation.highlight import Highlighter
from sidekicks.ui.conversation.reading import FEATURES
from sidekicks.ui.conversation.segments import Segment
from sidekicks.ui.conversation.tables import in_table, style_tables
from sidekicks.ui.theme import SIZES, Theme

HEAD: Final = 28
"""Height of the strip above a code block, at zoom 1."""
_HEADING_STEPS: Final = {1: 2, 2: 1}
"""Qt's steps of size: 2 is 1.5 times the body, 1 is 1.2 times. Qt's own headings are twice as large."""
_NORMAL: Final = QTextFormat.Property
_LINE_HEIGHT: Final = QTextBlockFormat.LineHeightTypes.MinimumHeight.value

_BULLETS: Final = (
    QTextListFormat.Style.ListDisc,
    QTextListFormat.Style.ListCircle,
    QTextListFormat.Style.ListSquare,
)


class Writer:
    """Writes segments into documents in one theme."""

    def __init__(self, theme: Theme, highlighter: Highlighter) -> None:
        self._theme = theme
        self._formats = Formats(theme, highlighter)

    def write(
        self, document: QTextDocument, markdown: str, segment: Segment, muted: bool, growing: bool
    ) -> Decoration:
        """Replaces what the document says with `markdown`: `segment`'s text with its links resolved."""
        document.setLayoutEnabled(False)
        document.setDefaultFont(self._formats.body)
        document.setIndentWidth(self._theme.px(SIZES.xl))
        document.setMarkdown(markdown, FEATURES)
        decoration = _Styling(self._formats, document, segment, muted, growing).run()
        document.setLayoutEnabled(True)
        return decoration


class _Styling:
    """One pass over a document that was just read."""

    def __init__(
        self, formats: Formats, document: QTextDocument, segment: Segment, muted: bool, growing: bool
    ) -> None:
        self._formats = formats
        self._document = document
        self._segment = segment
        self._muted = muted
        self._growing = growing
        self._px = formats.theme.px
        self._cursor = QTextCursor(document)
        self._run: list[QTextBlock] = []
        self._codes: list[CodeBox] = []
        self._quotes: list[Quote] = []
        self._rules: list[QTextBlock] = []
        self._ranges: list[tuple[QTextBlock, list[QTextLayout.FormatRange]]] = []
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
        style_tables(self._document, self._segment, self._formats.theme)
        self._cursor.endEditBlock()
        self._set_edges()
        for changed, ranges in self._ranges:
            changed.layout().setFormats(ranges)
        return Decoration(tuple(self._codes), tuple(self._quotes), tuple(self._rules), tuple(self._marks))

    def _prepare(self) -> None:
        first = self._document.begin()
        if not first.text() and first.next().isValid() and not in_table(self._cursor):
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
        everything.mergeCharFormat(self._formats.color(token))

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
        # A line that does not fit goes on in the next one: without it the whole segment would be wider.
        form.setNonBreakableLines(False)
        self._cursor.mergeBlockFormat(form)
        self._cursor.mergeCharFormat(self._formats.code)
        if first != self._document.begin():
            self._set_margins(first, top=self._px(SIZES.s) + self._px(HEAD))
        if last.next().isValid():
            self._set_margins(last, bottom=self._px(SIZES.s) + self._px(SIZES.xs))
        lines = self._formats.spans(language.split(" ")[0].lower(), [b.text() for b in blocks], self._growing)
        for block, spans in zip(blocks, lines, strict=False):
            if spans:
                self._ranges.append((block, [self._range(*span) for span in spans]))
        self._codes.append(CodeBox(QTextBlock(first), QTextBlock(last), language))

    def _range(self, start: int, length: int, token: str) -> QTextLayout.FormatRange:
        return _format_range(start, length, self._formats.color(token))

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
        elif previous is not None and not in_table(self._cursor):
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
        form.setProperty(_NORMAL.FontSizeAdjustment, _HEADING_STEPS.get(level, 0))
        form.setFontWeight(QFont.Weight.DemiBold)
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
        self._cursor.mergeCharFormat(self._formats.color("text_secondary"))
        for depth in range(1, level + 1):
            self._extend_quote(block, previous, depth)

    def _extend_quote(self, block: QTextBlock, previous: QTextBlock | None, depth: int) -> None:
        for place, quote in enumerate(self._quotes):
            if quote.depth == depth and quote.last == previous:
                self._quotes[place] = replace(quote, last=QTextBlock(block))
                return
        self._quotes.append(Quote(QTextBlock(block), QTextBlock(block), depth))

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
                code = self._formats.linked if form.isAnchor() else self._formats.inline
                ranges.append(_format_range(start, fragment.length(), code))
            elif form.isAnchor():
                ranges.append(_format_range(start, fragment.length(), self._formats.link))
            place += 1
        for position, length, form in reversed(images):
            self._replace_image(position, length, form)
        if images:
            self._style_fragments(block)
        elif ranges:
            self._ranges.append((block, ranges))

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

    def _set_edges(self) -> None:
        frame = self._document.rootFrame()
        form = frame.frameFormat()
        form.setMargin(0)
        muted = self._px(SIZES.line) if self._muted else 0
        form.setLeftMargin(muted + self._segment.depth * self._document.indentWidth())
        begins_in_code = bool(self._codes) and self._codes[0].first == self._document.begin()
        if begins_in_code and self._segment.join != "fence":
            # Qt gives the first block of a frame no margin of its own.
            form.setTopMargin(self._px(HEAD))
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
    """PySide's stubs do not say that there may be none."""
    return block.textList()


def _format_range(start: int, length: int, form: QTextCharFormat) -> QTextLayout.FormatRange:
    found = QTextLayout.FormatRange()
    found.start = start
    found.length = length
    found.format = form
    return found
