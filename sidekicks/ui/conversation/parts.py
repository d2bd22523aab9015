"""The rows of one part of a message: text, reasoning, a tool call, a plan."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from sidekicks.models import FilePart, ImagePart, Part, PlanPart, TextPart, ThoughtPart, ToolPart
from sidekicks.ui.conversation.contents import (
    Content,
    ImageContent,
    PlanContent,
    SegmentContent,
    ThoughtContent,
    ToolContent,
    ToolDetailContent,
)
from sidekicks.ui.conversation.reading import with_line_breaks
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.conversation.segments import Segment, Splitter, resolved
from sidekicks.ui.reveal import reveal_direction

if TYPE_CHECKING:
    from sidekicks.ui.conversation.entry import Entry


class PartRows:
    """What every part can do; most parts can do little of it. Methods say whether rows came or went."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self.rows: list[Row] = []

    def add(self, text: str) -> bool:
        """Adds text at the end."""
        del text
        return False

    def rest(self) -> None:
        """Nothing more is expected, for now."""

    def toggle(self) -> None:
        """Folds or unfolds."""

    def show_whole(self) -> None:
        """Shows everything there is."""

    def markdown(self) -> str:
        """What a copy of the message says of this part."""
        return ""

    def said(self) -> str:
        """What can be looked for in it."""
        return self.markdown()

    def _fill(self, contents: list[Content]) -> None:
        del self.rows[len(contents) :]
        for row, content in zip(self.rows, contents, strict=False):
            row.show(content)
        self.rows += [Row(self._entry, content) for content in contents[len(self.rows) :]]


class Prose(PartRows):
    """Markdown that may still grow: whole segments are left alone, only the last one changes."""

    def __init__(self, entry: Entry, muted: bool = False) -> None:
        super().__init__(entry)
        self._muted = muted
        self._start()

    def _start(self) -> None:
        self._text: list[str] = []
        self._splitter = Splitter()
        self._growing = True
        self._done = 0
        self._known = 0
        self._missing: defaultdict[str, list[Row]] = defaultdict(list)

    def markdown(self) -> str:
        """What a copy of the message says of this part."""
        if len(self._text) > 1:
            self._text = ["".join(self._text)]
        return self._text[0] if self._text else ""

    def add(self, text: str) -> bool:
        """Adds text at the end."""
        if not text:
            return False
        if not self._growing:
            return self.replace(self.markdown() + text, growing=True)
        self._text.append(text)
        return self._take(self._splitter.feed(text), self._splitter.tail())

    def rest(self) -> None:
        """Nothing more is expected, for now."""
        if self._growing:
            self._growing = False
            *done, last = self._splitter.finish() or [self._splitter.tail()]
            self._take(done, last)

    def replace(self, text: str, growing: bool) -> bool:
        """Makes it say `text`; what is there already stays as it is."""
        known = self.markdown()
        changed = False
        if text != known:
            if self._growing and text.startswith(known):
                changed = self.add(text[len(known) :])
            else:
                self._start()
                self._text = [text]
                changed = self._take(self._splitter.feed(text), self._splitter.tail())
        if not growing:
            self.rest()
        return changed

    def _take(self, done: list[Segment], tail: Segment) -> bool:
        before = len(self.rows)
        segments = [*done, tail] if tail.source or not (done or self._done) else done
        for number, segment in enumerate(segments, self._done):
            self._show(number, segment, growing=self._growing and segment is tail)
        self._done += len(done)
        del self.rows[self._done + (segments[-1:] == [tail]) :]
        self._resolve_late()
        return len(self.rows) != before or bool(done)

    def _show(self, number: int, segment: Segment, growing: bool) -> None:
        definitions = self._splitter.definitions
        content = SegmentContent(segment, self._written(segment), self._muted, growing)
        if number < len(self.rows):
            self.rows[number].show(content)
        else:
            self.rows.append(Row(self._entry, content))
        if not growing:
            for name in segment.labels() - definitions.keys():
                self._missing[name].append(self.rows[number])

    def _resolve_late(self) -> None:
        """Writes anew the segments that used a link before it was defined."""
        definitions = self._splitter.definitions
        if len(definitions) == self._known:
            return
        self._known = len(definitions)
        for name in [name for name in self._missing if name in definitions]:
            for row in self._missing.pop(name):
                if isinstance(row.content, SegmentContent):
                    segment = row.content.segment
                    row.show(SegmentContent(segment, self._written(segment), self._muted))

    def _written(self, segment: Segment) -> str:
        """What to render of a segment. A person who breaks a line wants a new line; a model may just wrap."""
        markdown = reveal_direction(resolved(segment, self._splitter.definitions))
        return with_line_breaks(markdown) if self._entry.message.role == "user" else markdown


class Reasoning(PartRows):
    """Reasoning behind a line that folds it; split into segments only while it is unfolded."""

    def __init__(self, entry: Entry, index: int, part: ThoughtPart, running: bool) -> None:
        super().__init__(entry)
        self._index = index
        self._seconds = part.seconds
        self._running = running
        self._opened = False
        self._text = [part.text]
        self._prose: Prose | None = None
        self._arrange()

    def said(self) -> str:
        """What can be looked for in it."""
        return "".join(self._text)

    def add(self, text: str) -> bool:
        """Adds text at the end."""
        self._text.append(text)
        if self._prose is None or not self._prose.add(text):
            return False
        self._arrange()
        return True

    def put(self, part: ThoughtPart, running: bool) -> None:
        """Replaces the part."""
        self._seconds = part.seconds
        self._running = running
        self._text = [part.text]
        if self._prose is not None:
            self._prose.replace(part.text, running)
        self._arrange()

    def rest(self) -> None:
        """Nothing more is expected, for now."""
        self._running = False
        if self._prose is not None:
            self._prose.rest()
        self._arrange()

    def toggle(self) -> None:
        """Folds or unfolds."""
        self._opened = not self._opened
        self._prose = Prose(self._entry, muted=True) if self._opened else None
        if self._prose is not None:
            self._prose.replace("".join(self._text), self._running)
        self._arrange()

    def _arrange(self) -> None:
        head = self.rows[:1]
        content = ThoughtContent(self._index, self._seconds, self._running, self._opened)
        if head:
            head[0].show(content)
        else:
            head = [Row(self._entry, content)]
        self.rows = head + (self._prose.rows if self._prose is not None else [])


class Call(PartRows):
    """A tool call: a line, and what it unfolds to."""

    def __init__(self, entry: Entry, index: int, part: ToolPart) -> None:
        super().__init__(entry)
        self._index = index
        self._opened = False
        self._whole = False
        self.put(part)

    def put(self, part: ToolPart) -> None:
        """Replaces the part."""
        self._part = part
        self._arrange()

    def toggle(self) -> None:
        """Folds or unfolds."""
        self._opened = not self._opened
        self._whole = False
        self._arrange()

    def said(self) -> str:
        """What can be looked for in it."""
        return said(self._part)

    def show_whole(self) -> None:
        """Shows everything there is."""
        self._whole = True
        self._arrange()

    def _arrange(self) -> None:
        contents: list[Content] = [ToolContent(self._index, self._part, self._opened)]
        if self._opened:
            contents.append(ToolDetailContent(self._index, self._part, self._whole))
            contents += [ImageContent(image) for image in self._part.images]
        self._fill(contents)


class Checklist(PartRows):
    """A plan."""

    def __init__(self, entry: Entry, part: PlanPart) -> None:
        super().__init__(entry)
        self.put(part)

    def put(self, part: PlanPart) -> None:
        """Replaces the part."""
        self._part = part
        self._fill([PlanContent(part)] if part.entries else [])

    def markdown(self) -> str:
        """What a copy of the message says of this part."""
        marks = {"completed": "x", "in_progress": " ", "pending": " "}
        return "\n".join(f"- [{marks[e.status]}] {e.content}" for e in self._part.entries)


class Attached(PartRows):
    """An image that a message brings along."""

    def __init__(self, entry: Entry, content: ImageContent) -> None:
        super().__init__(entry)
        self._image = content.image
        self._fill([content])

    def markdown(self) -> str:
        """What a copy of the message says of this part."""
        return f"*{self._image.name or self._image.mime_type}*"


def said(part: Part) -> str:
    """What can be looked for in a part that has no rows yet."""
    match part:
        case TextPart(text=text) | ThoughtPart(text=text):
            return text
        case ToolPart():
            return f"{part.title}\n{part.output}"
        case _:
            return ""


def put(rows: PartRows | None, entry: Entry, index: int, part: Part, running: bool) -> PartRows:
    """The rows of a part: the given ones changed where they are of its type, else new ones."""
    match part, rows:
        case TextPart(), Prose():
            rows.replace(part.text, running)
            return rows
        case TextPart(), _:
            made = Prose(entry)
            made.replace(part.text, running)
            return made
        case ThoughtPart(), Reasoning():
            rows.put(part, running)
            return rows
        case ThoughtPart(), _:
            return Reasoning(entry, index, part, running)
        case ToolPart(), Call():
            rows.put(part)
            return rows
        case ToolPart(), _:
            return Call(entry, index, part)
        case PlanPart(), Checklist():
            rows.put(part)
            return rows
        case PlanPart(), _:
            return Checklist(entry, part)
        case ImagePart(), _:
            return Attached(entry, ImageContent(part))
        case FilePart(), _:
            named = Prose(entry)
            named.replace(f"`{part.path}`", running)
            return named
