from __future__ import annotations

import io
import re

import pytest

from minime_agent.repl.rendering import Renderer, lines_of
from minime_agent.ui.events import Diff

ESCAPES = re.compile(r"\x1b\[[\d;]*m")


@pytest.fixture
def renderer(monkeypatch: pytest.MonkeyPatch) -> Renderer:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Renderer(io.StringIO())


def bare(text: str) -> str:
    return ESCAPES.sub("", text)


def test_markdown(renderer: Renderer) -> None:
    shown = bare(renderer.markdown("# Title\n\nA **bold** [word](http://x.y).\n\n```python\nx = 1\n```", 40))
    assert shown == "Title\n\nA bold word (http://x.y).\n\nx = 1\n"


def test_code_is_coloured_and_not_filled_with_blanks(renderer: Renderer) -> None:
    shown = renderer.markdown("```python\ndef f(): return 'x'\n```", 80)
    assert bare(shown) == "def f(): return 'x'\n"
    assert "\x1b[" in shown


@pytest.mark.parametrize("width", [1, 10, 40])
def test_lines_are_never_wider(renderer: Renderer, width: int) -> None:
    source = "- a list with 漢字漢字 and words\n\n```\n" + "x" * 100 + "\n```\n"
    shown = bare(renderer.plain(source, "dim", width) + renderer.row("●", "bash", "a long " * 20, width))
    assert max(map(len, shown.splitlines())) <= width


def test_a_row_is_one_line(renderer: Renderer) -> None:
    assert bare(renderer.row("●", "bash", "for i in 1\ndo\n  x\ndone", 80)) == "● bash for i in 1 do x done\n"


def test_nothing_steers_the_terminal(renderer: Renderer) -> None:
    shown = renderer.markdown("a\x1b[2Jb\x07", 80) + renderer.row("●", "x\x1b]0;t\x07", "\x9b2J", 80)
    assert not set(bare(shown)) & {"\x1b", "\x07", "\x9b"}


def test_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-256color")
    renderer = Renderer(io.StringIO())
    shown = renderer.markdown("**b** `c`\n\n```python\nimport os\n```", 80) + renderer.row(
        "●", "bash", "ls", 80
    )
    codes = {code for style in re.findall(r"\x1b\[([\d;]*)m", shown) for code in style.split(";")}
    assert codes <= {"0", "1", "2", "3", "4"}


def test_a_change(renderer: Renderer) -> None:
    before, after = "a\nb\nc\n", "a\nB\nc\n"
    shown = renderer.render(lines_of([Diff("f", before, after)]), 80)
    assert bare(shown).splitlines() == ["  @@ -1,3 +1,3 @@", "   a", "  -b", "  +B", "   c"]
    assert "\x1b[32m" in shown


def test_a_long_change_is_cut(renderer: Renderer) -> None:
    shown = renderer.render(lines_of([Diff("f", None, "x\n" * 500)]), 80)
    assert bare(shown).splitlines()[-1].startswith("  … 44")
