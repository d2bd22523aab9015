"""What is shown, as text with the terminal's colours: Markdown, code, differences, rows."""

from __future__ import annotations

import difflib
import io
from collections.abc import Iterable, Iterator
from typing import ClassVar, TextIO

from rich.color import ColorSystem
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.segment import Segment
from rich.style import Style
from rich.syntax import Syntax
from rich.text import Text

from minime_agent.repl.visible import visible
from minime_agent.ui.events import Diff

_CODE_THEME = "ansi_dark"
"""The sixteen colours of the terminal itself: readable on dark and on light ones."""
_DIFF_LINES = 60
_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}


class Renderer:
    """Renders for one terminal, which decides about colours; NO_COLOR leaves bold and dim."""

    def __init__(self, terminal: TextIO) -> None:
        detected = Console(file=terminal, force_terminal=True)
        self._no_color = detected.no_color
        self._colours = ColorSystem[(detected.color_system or "standard").upper().replace("256", "EIGHT_BIT")]
        self._console = Console(
            file=io.StringIO(), force_terminal=True, legacy_windows=False, highlight=False
        )

    def render(self, what: RenderableType, width: int) -> str:
        """The lines of `what`, each ended, with no blanks at their ends: copied text is what was said."""
        options = self._console.options.update(width=max(width, 1))
        lines = self._console.render_lines(what, options, pad=False)
        return "".join(f"{self._text(_trimmed(line))}\n" for line in lines)

    def markdown(self, source: str, width: int) -> str:
        """An answer, or a part of it that ends with a block."""
        return (
            self.render(_Answer(visible(source), code_theme=_CODE_THEME, hyperlinks=False), width).strip("\n")
            + "\n"
        )

    def plain(self, text: str, style: str, width: int) -> str:
        """Text as it is, wrapped, in one style."""
        return self.render(Text(visible(text), style=style, overflow="fold"), width)

    def row(self, mark: str, name: str, text: str, width: int) -> str:
        """One line: what begins, by its name; as much of the text as there is room for."""
        line = Text.assemble((f"{mark} ", "cyan"), (visible(name), "bold"), " ", visible(_one_line(text)))
        line.truncate(max(width, 1), overflow="ellipsis")
        return self.render(line, width)

    def _text(self, segments: Iterable[Segment]) -> str:
        return "".join(
            self._shown(style).render(text, color_system=self._colours) if style else text
            for text, style, _ in segments
        )

    def _shown(self, style: Style) -> Style:
        return style.without_color if self._no_color else style


def lines_of(diffs: Iterable[Diff]) -> Text:
    """Changes to files as coloured lines; of long ones the beginning."""
    lines = [line for diff in diffs for line in _changed(diff)]
    shown = Text()
    for line in lines[:_DIFF_LINES]:
        shown.append(f"  {visible(line)}\n", style=_DIFF_STYLES.get(line[:1], "dim"))
    if (left := len(lines) - _DIFF_LINES) > 0:
        shown.append(f"  … {left} more lines\n", style="dim")
    shown.rstrip()
    return shown


def _changed(diff: Diff) -> Iterator[str]:
    before, after = (diff.old_text or "").splitlines(), diff.new_text.splitlines()
    for number, line in enumerate(difflib.unified_diff(before, after, lineterm="", n=2)):
        if number > 1:  # the names of the files, which stand in the call's row
            yield line


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _trimmed(line: list[Segment]) -> list[Segment]:
    """A line without the blanks that only fill it."""
    line = list(line)
    while line:
        last = line.pop()
        if text := last.text.rstrip(" "):
            return [*line, Segment(text, last.style)]
    return line


class _Code(CodeBlock):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = str(self.text).rstrip()
        yield Syntax(code, self.lexer_name, theme=self.theme, word_wrap=True, background_color="default")


class _Heading(Heading):
    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        self.text.stylize("bold")
        yield self.text


class _Answer(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "fence": _Code,
        "code_block": _Code,
        "heading_open": _Heading,
    }
