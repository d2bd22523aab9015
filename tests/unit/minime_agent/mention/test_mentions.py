from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from minime_agent.mention.complete import matching
from minime_agent.mention.mentions import expand, written


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("a.txt", "b c.txt", "src/main.py", "odd).md", "end."):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    return tmp_path


@pytest.mark.parametrize(
    ("text", "expanded"),
    [
        ("read @a.txt", "read [attached file: {}/a.txt]"),
        ("@a.txt, @src/main.py.", "[attached file: {0}/a.txt], [attached file: {0}/src/main.py]."),
        ('see @"b c.txt"!', "see [attached file: {}/b c.txt]!"),
        ("(@./src/../a.txt)", "([attached file: {}/a.txt])"),
        ("@odd).md)", "[attached file: {}/odd).md])"),
        ("@end.", "[attached file: {}/end.]"),
        ("first\n@a.txt\nlast", "first\n[attached file: {}/a.txt]\nlast"),
        ("@{}/a.txt", "[attached file: {0}/a.txt]"),
    ],
)
def test_files_that_exist(folder: Path, text: str, expanded: str) -> None:
    assert expand(text.format(folder), folder) == expanded.format(folder)


@pytest.mark.parametrize(
    "text",
    [
        "me@a.txt",
        "@missing.txt",
        "@src",
        "@",
        "@@a.txt",
        '@"',
        '@"missing.txt"',
        "@staticmethod\ndef f(): ...",
        "@" + "x" * 5000,
        "@a\0b",
        "@~nobody-here/x",
    ],
)
def test_all_else_stays(folder: Path, text: str) -> None:
    assert expand(text, folder) == text


def test_a_file_of_the_home_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(folder))
    monkeypatch.setenv("USERPROFILE", str(folder))
    assert expand("@~/a.txt", folder / "src") == f"[attached file: {folder / 'a.txt'}]"


@given(st.text(alphabet="@ab\"'. /\n(){}~\0é", max_size=60))
def test_no_text_raises(text: str) -> None:
    assert expand(text, Path("/nowhere")) == text


@pytest.mark.parametrize("name", ["a.txt", "b c.txt", "end.", "src/main.py"])
def test_what_is_completed_is_understood(folder: Path, name: str) -> None:
    assert expand(f"see {written(name)}", folder) == f"see [attached file: {folder / name}]"


def test_what_begins_so_comes_before_what_contains_it() -> None:
    paths = ["docs/main.md", "main.py", "src/domain.py", "src/main.py", "x.txt"]
    assert matching("MAIN", paths) == ["main.py", "src/main.py", "docs/main.md", "src/domain.py"]
    assert matching("src/", paths) == ["src/main.py", "src/domain.py"]
    assert matching("", paths, limit=2) == ["x.txt", "main.py"]
