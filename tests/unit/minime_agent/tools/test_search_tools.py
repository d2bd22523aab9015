from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from minime_agent.tools import walk
from minime_agent.tools.find import Find
from minime_agent.tools.globs import matcher
from minime_agent.tools.grep import Grep
from minime_agent.tools.ls import Ls
from minime_agent.tools.tool import Tool
from minime_agent.tools.workspace import Workspace
from tests.unit.minime_agent.tools.conftest import Use


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", folder, *arguments], check=True)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with an ignored folder and file, a tracked, an untracked and a binary file."""
    files = {
        ".gitignore": "build/\n*.log\n",
        "README.md": "# Greet\n",
        "src/greet.py": "def greet(name):\n    return 'hello ' + name\n\n\nprint(greet('Bob'))\n",
        "src/deep/er/test_greet.py": "from greet import greet\n",
        "build/out.py": "greet\n",
        "run.log": "greet\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "data.bin").write_bytes(b"greet\0greet")
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "README.md", "src/greet.py")
    return tmp_path


@pytest.mark.usefixtures("project")
async def test_grep_says_where(use: Use) -> None:
    assert (await use(Grep(), pattern=r"greet\(")).output.splitlines() == [
        "src/greet.py:1: def greet(name):",
        "src/greet.py:5: print(greet('Bob'))",
    ]


@pytest.mark.usefixtures("project")
async def test_grep_narrowed(use: Use) -> None:
    assert (
        await use(Grep(), pattern="GREET", ignore_case=True, glob="*.md")
    ).output == "README.md:1: # Greet"
    assert (await use(Grep(), pattern="greet", path="src/deep")).output == (
        "src/deep/er/test_greet.py:1: from greet import greet"
    )
    assert (await use(Grep(), pattern="Bob", path="src/greet.py")).output.startswith("src/greet.py:5:")


@pytest.mark.usefixtures("project")
async def test_an_ignored_folder_that_is_named_is_searched(use: Use) -> None:
    assert (await use(Grep(), pattern="greet", path="build")).output == "build/out.py:1: greet"


@pytest.mark.usefixtures("project")
async def test_what_is_no_expression_is_searched_as_text(use: Use) -> None:
    output = (await use(Grep(), pattern="greet(")).output
    assert output.startswith("src/greet.py:1: def greet(name):")
    assert "[not a regular expression (missing ), unterminated subpattern" in output


async def test_grep_is_bounded(use: Use, workspace: Workspace, tmp_path: Path) -> None:
    (tmp_path / "many.txt").write_text("match\n" * 1000)
    output = (await use(Grep(), pattern="match")).output
    assert output.count("many.txt:") == 200
    assert output.endswith("[200 matches shown, there are more; narrow it with path, glob or pattern]")
    (tmp_path / "many.txt").write_text("x" * 100_000 + "needle" + "y" * 100_000)
    assert len((await use(Grep(), pattern="needle")).output) < 400
    workspace.max_output = 100
    (tmp_path / "many.txt").write_text("match\n" * 10)
    assert "more; narrow it" in (await use(Grep(), pattern="match")).output


async def test_an_expression_without_end_is_ended(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a" * 60 + "!\n")
    result = await use(Grep(budget=0.5), pattern="(a+)+$")
    assert result.failed
    assert "[error: the search took longer than 0.5s. Use a simpler pattern" in result.output


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("*.py", ["src/greet.py", "src/deep/er/test_greet.py"]),
        ("src/**/test_*.py", ["src/deep/er/test_greet.py"]),
        ("README", ["README.md"]),
        ("*.{md,bin}", ["README.md", "data.bin"]),
    ],
)
async def test_find(use: Use, pattern: str, found: list[str]) -> None:
    assert (await use(Find(), pattern=pattern)).output.splitlines() == found


async def test_find_is_bounded(use: Use, tmp_path: Path) -> None:
    for number in range(250):
        (tmp_path / f"f{number:03}.txt").touch()
    output = (await use(Find(), pattern="*.txt")).output
    assert output.endswith("[200 of 250 files shown; narrow it with a longer pattern or a path]")


@pytest.mark.parametrize(
    ("pattern", "path", "meant"),
    [
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/x/a.py", False),
        ("**/a.py", "a.py", True),
        ("src/**", "src/x/y", True),
        ("[!a]?.c", "bc.c", True),
        ("[!a]?.c", "ac.c", False),
        ("a{b", "za{b", False),
        ("./src/*", "src/a", True),
        ("src\\*.py", "src/a.py", True),
        ("[", "[", True),
    ],
)
def test_globs(pattern: str, path: str, *, meant: bool) -> None:
    assert matcher(pattern)(path) is meant


@pytest.mark.usefixtures("project")
async def test_ls(use: Use, project: Path) -> None:
    (project / "empty").mkdir()
    (project / "lost").symlink_to(project / "nowhere")
    assert (await use(Ls())).output.splitlines() == [
        "src/  2 files",
        ".gitignore  13",
        "README.md  8",
        "data.bin  11",
        "lost  (a broken link)",
        "[left out, ignored by git or empty: build, empty, run.log]",
    ]
    assert (await use(Ls(), path="empty")).output == "[empty is empty]"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("tool", "arguments", "said"),
    [
        (Grep(), {"pattern": "zzz"}, "[no match for zzz in 5 files. Try a shorter pattern"),
        (Grep(), {"pattern": ""}, "the pattern is empty; to list files use find"),
        (
            Grep(),
            {"pattern": "x", "path": "scr"},
            "[error: there is no scr; . holds: .git/, .gitignore, ",
        ),
        (Grep(), {}, "expected {pattern: string, path?: string, glob?: string, ignore_case?: boolean}"),
        (Find(), {"pattern": "zzz"}, "[no file matches zzz among 5 files; what git ignores is left out."),
        (Find(), {"pattern": "x", "path": "README.md"}, "README.md is a file, not a folder"),
        (Ls(), {"path": "src/none"}, "[error: there is no src/none; src holds: deep/, greet.py]"),
        (Ls(), {"path": "README.md"}, "README.md is a file of 8 bytes. Read it with read_file"),
        (Ls(), {"path": "a\0b"}, "cannot be looked at"),
    ],
)
async def test_failures_say_what_to_do(use: Use, tool: Tool, arguments: dict[str, str], said: str) -> None:
    assert said in (await use(tool, **arguments)).output.replace(os.sep, "/")


async def test_without_git_what_nobody_means_is_passed_over(
    use: Use, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a.py", "node_modules/b.py", ".venv/c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    monkeypatch.setenv("PATH", str(tmp_path))
    assert (await use(Find(), pattern="*.py")).output == "a.py"


async def test_another_repository_inside_is_searched(use: Use, project: Path) -> None:
    (project / "inner").mkdir()
    git(project / "inner", "init", "-q")
    (project / "inner" / "deep.py").touch()
    assert (await use(Find(), pattern="deep.py")).output == "inner/deep.py"


@pytest.mark.skipif(sys.platform == "win32", reason="a POSIX script")
async def test_a_repository_starts_no_program(use: Use, project: Path, tmp_path: Path) -> None:
    spy = tmp_path / "spy"
    spy.write_text(f"#!/bin/sh\ntouch {tmp_path}/started\n")
    spy.chmod(0o755)
    git(project, "config", "core.fsmonitor", str(spy))
    await use(Find(), pattern="*.py")
    assert not (tmp_path / "started").exists()


async def test_a_folder_with_too_many_files_says_so(
    use: Use, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(walk, "MOST", 2)
    for name in "abc":
        (tmp_path / name).write_text("x")
    assert "[only 2 files were searched; name a folder (path)]" in (await use(Grep(), pattern="x")).output
