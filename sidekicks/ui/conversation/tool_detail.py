"""What a tool call was given, what it gave, and what it changed."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Generic, TypeVar, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from sidekicks.models import Location, ToolPart
from sidekicks.ui.conversation.code_text import CodeText
from sidekicks.ui.conversation.contents import ToolDetailContent
from sidekicks.ui.conversation.diff_view import DiffView
from sidekicks.ui.conversation.look import Look
from sidekicks.ui.conversation.rows import Row
from sidekicks.ui.reveal import reveal
from sidekicks.ui.theme import SIZES

CAP = 12
"""Lines of an output that are shown at first: the last ones, which say how it went."""
INDENT = 20
_FENCED = re.compile(r"(?P<fence>`{3,})[\w-]*\n(?P<text>.*?)(?:\n(?P=fence))?", re.DOTALL)
"""The closing fence is missing while the output still grows."""
_Made = TypeVar("_Made", bound=QWidget)


class Spares(Generic[_Made]):
    """Widgets of one kind that are used again."""

    def __init__(
        self, kind: type[_Made], parent: QWidget, made: Callable[[_Made], None] | None = None
    ) -> None:
        self._kind = kind
        self._on_made = made
        self._parent = parent
        self._made: list[_Made] = []
        self._used = 0

    def begin(self) -> None:
        """All are free from now on."""
        self._used = 0

    def take(self) -> _Made:
        """The next one."""
        if self._used == len(self._made):
            widget = self._kind(self._parent)
            self._made.append(widget)
            if self._on_made is not None:
                self._on_made(widget)
        self._used += 1
        widget = self._made[self._used - 1]
        widget.show()
        return widget

    def end(self) -> None:
        """Hides those that were not taken."""
        for widget in self._made[self._used :]:
            widget.hide()


class ToolDetail(QWidget):
    """The widget of a `ToolDetailContent`."""

    whole_requested = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.row: Row | None = None
        self._labels = Spares(QLabel, self)
        self._texts = Spares(CodeText, self)
        self._diffs = Spares(DiffView, self)
        self._more = QToolButton(self)
        self._more.setAutoRaise(True)
        self._more.setCursor(Qt.CursorShape.PointingHandCursor)
        self._more.clicked.connect(self._ask_whole)
        self._top = 0
        self.setAutoFillBackground(True)

    def bind(self, row: Row, width: int, look: Look) -> int:
        """Shows the row's tool call; the height."""
        content = row.content
        assert isinstance(content, ToolDetailContent)
        self.row = row
        self.setPalette(look.theme.palette())
        self._more.hide()
        self._top = 0
        spares = cast("tuple[Spares[QWidget], ...]", (self._labels, self._texts, self._diffs))
        for spare in spares:
            spare.begin()
        inner = width - look.theme.px(INDENT)
        self._show_sections(content, inner, look)
        for spare in spares:
            spare.end()
        return self._top

    def mark(self, needle: str, look: Look) -> None:
        """Marks each place where `needle` (folded) stands in what is shown."""
        for box in self.findChildren(CodeText):
            if not box.isHidden():
                box.mark(needle, look)

    def _show_sections(self, content: ToolDetailContent, width: int, look: Look) -> None:
        tool = content.tool
        text = shown_input(tool)
        if text and not tool.diffs:
            label = self.tr("Command") if tool.kind == "execute" else self.tr("Input")
            self._add_text(label, reveal(text), width, look)
        for diff in tool.diffs:
            name = self.tr("{path} (new file)") if diff.new_file else "{path}"
            self._add_label(name.format(path=reveal(diff.path)), width, look)
            view = self._diffs.take()
            self._place(view, view.show_diff(diff, width, look), width, look)
        if tool.output.strip():
            self._add_output(content, width, look)
        changed = {diff.path for diff in tool.diffs}
        places = [place for place in tool.locations if place.path not in changed]
        if places:
            self._add_label("\n".join(_place_name(place) for place in places), width, look)
        if not self._top:
            running = tool.status in ("pending", "in_progress")
            text = self.tr("Nothing to show yet.") if running else self.tr("No output.")
            self._add_label(text, width, look)

    def _add_output(self, content: ToolDetailContent, width: int, look: Look) -> None:
        lines = unfenced(content.tool.output).rstrip("\n").split("\n")
        shown = lines if content.whole else lines[-CAP:]
        label = self._add_text(self.tr("Output"), reveal_lines(shown), width, look)
        if len(shown) < len(lines):
            self._more.setText(self.tr("Show all {count} lines").format(count=len(lines)))
            self._more.setFont(look.theme.small_font())
            self._more.setPalette(look.quiet())
            size = self._more.sizeHint()
            height = min(size.height(), label.height() + look.theme.px(SIZES.xs))
            top = label.geometry().center().y() - height // 2
            self._more.setGeometry(look.theme.px(INDENT) + width - size.width(), top, size.width(), height)
            self._more.show()
            self._more.raise_()

    def _add_text(self, label: str, text: str, width: int, look: Look) -> QLabel:
        shown = self._add_label(label, width, look)
        box = self._texts.take()
        box.setAccessibleName(label)
        self._place(box, box.show_text(text, width, look), width, look)
        return shown

    def _add_label(self, text: str, width: int, look: Look) -> QLabel:
        label = self._labels.take()
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setFont(look.theme.small_font())
        label.setPalette(look.quiet())
        label.setWordWrap(True)
        label.setText(text)
        gap = look.theme.px(SIZES.xs)
        height = label.heightForWidth(width)
        label.setGeometry(look.theme.px(INDENT), self._top, width, height)
        self._top += height + gap
        return label

    def _place(self, widget: QWidget, height: int, width: int, look: Look) -> None:
        widget.setGeometry(look.theme.px(INDENT), self._top, width, height)
        self._top += height + look.theme.px(SIZES.s)

    def _ask_whole(self) -> None:
        self.whole_requested.emit(self.row)


def shown_input(tool: ToolPart) -> str:
    """What a tool call was given, as a person reads it: the command that is run, else JSON."""
    if not tool.input:
        return tool.title if tool.kind == "execute" else ""
    try:
        data: object = json.loads(tool.input)
    except ValueError:
        return tool.input
    if isinstance(data, dict):
        command = cast("dict[str, object]", data).get("command")
        if tool.kind == "execute" and isinstance(command, str):
            return command
        if tool.kind == "execute" and isinstance(command, list):
            return " ".join(str(word) for word in cast("list[object]", command))
    return json.dumps(data, indent=2, ensure_ascii=False)


def unfenced(output: str) -> str:
    """An output without the code fence around it, by which agents keep it from being read as Markdown."""
    found = _FENCED.fullmatch(output.strip("\n"))
    return output if found is None else found["text"]


def reveal_lines(lines: list[str]) -> str:
    """Lines of an output without what would hide something; control sequences of terminals show as such."""
    return "\n".join(reveal(line.rstrip("\r")) for line in lines)


def _place_name(place: Location) -> str:
    return reveal(place.path) if place.line is None else f"{reveal(place.path)}:{place.line}"
