from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_agent.prompts.arguments import fill, split
from minime_agent.prompts.templates import discover, folders


@pytest.mark.parametrize(
    ("template", "given_", "filled"),
    [
        ("Review $1 for $2.", "a.py speed", "Review a.py for speed."),
        ("All: $@; $ARGUMENTS", 'one "two three"', "All: one two three; one two three"),
        ("${1:-main}..${2:-HEAD}", "dev", "dev..HEAD"),
        ("${@:-everything}", "", "everything"),
        ("${@:2}|${@:2:1}|${@:0}", "a b c", "b c|b|a b c"),
        ("$3 and ${4:-}", "a", " and "),
        ("$1", "'$2' x", "$2"),
        ("costs $5, ${HOME}, $ARGUMENTSX, $", "", "costs , ${HOME}, $ARGUMENTSX, $"),
        ("$1 $2", "don't stop", "don't stop"),
        ("$10", "1 2 3 4 5 6 7 8 9 ten", "ten"),
    ],
)
def test_arguments(template: str, given_: str, filled: str) -> None:
    assert fill(template, split(given_)) == filled


@given(st.text(alphabet="$@{}:-0123ARGUMENTS ab\n", max_size=60), st.lists(st.text(max_size=5), max_size=3))
def test_no_template_raises(template: str, arguments: list[str]) -> None:
    fill(template, arguments)


def write(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, "utf-8")


def test_a_template_is_a_command(tmp_path: Path) -> None:
    write(
        tmp_path,
        "review.md",
        "---\ndescription: Reviews a change\nargument-hint: <branch>\n---\nReview $1 with care.\n",
    )
    write(tmp_path, "plain.md", "# Say hello\n\nto ${@:-everybody}")
    templates = discover([tmp_path])
    assert [(t.name, t.description, t.hint) for t in templates.by_name.values()] == [
        ("plain", "Say hello", ""),
        ("review", "Reviews a change", "<branch>"),
    ]
    assert templates.expand("/review dev") == "Review dev with care."
    assert templates.expand("/plain") == "# Say hello\n\nto everybody"
    for other in ("/none x", "review dev", "/usr/bin/review", "see /review dev"):
        assert templates.expand(other) == other


def test_the_nearest_counts(tmp_path: Path) -> None:
    write(tmp_path / "near", "a.md", "near")
    write(tmp_path / "far", "a.md", "far")
    write(tmp_path / "far", "b.md", "b")
    found = discover([tmp_path / "near", tmp_path / "missing", tmp_path / "far"]).by_name
    assert {name: template.text for name, template in found.items()} == {"a": "near", "b": "b"}


def test_a_file_that_is_none_is_said(tmp_path: Path) -> None:
    write(tmp_path, "broken.md", "---\na: [\n---\n")
    (tmp_path / "latin.md").write_bytes(b"caf\xe9")
    write(tmp_path, "good.md", "good")
    found = discover([tmp_path])
    assert list(found.by_name) == ["good"]
    assert len(found.problems) == 2
    assert all("is left out: " in problem for problem in found.problems)


def test_a_repositorys_folders_count_from_the_working_folder_up(tmp_path: Path) -> None:
    inner = tmp_path / "repository" / "packages" / "one"
    inner.mkdir(parents=True)
    (tmp_path / "repository" / ".git").mkdir()
    near = [place.parent.parent for place in folders(inner)[:-1]]
    assert near == [inner, inner.parent, inner.parent.parent]
    assert [place.parent.parent for place in folders(tmp_path)[:-1]] == [tmp_path]
