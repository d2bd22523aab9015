"""The command line as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

needs_shell = pytest.mark.skipif(os.name == "nt", reason="redirections of sh")

VALID = "agents: [{name: mm, command: mm}]\n"


def sidekicks(
    *arguments: str | Path, home: Path, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    places = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "APPDATA": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "sidekicks", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env=kept | places | {"PYTHONPATH": str(Path(__file__).parents[2]), "PYTHONUTF8": "1"} | environment,
        cwd=home,
        timeout=60,
    )


def test_a_valid_file_has_nothing_to_say(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(VALID)
    ran = sidekicks("check", "a.yaml", home=tmp_path)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")


def test_problems_are_printed_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("limit: {}\nagents:\n  - name: a\n    command: no-such-program-xyz\n")
    ran = sidekicks("check", "a.yaml", home=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr == ""
    first, second = ran.stdout.splitlines()
    assert first == "a.yaml:1:1: unknown key `limit`: did you mean `limits`?"
    assert second == "a.yaml:4:14: warning: the command `no-such-program-xyz` is not found"


def test_a_warning_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("agents: [{name: a, command: no-such-program-xyz}]")
    ran = sidekicks("check", "a.yaml", home=tmp_path)
    assert ran.returncode == 0
    assert "warning" in ran.stdout


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    ran = sidekicks("check", "none.yaml", home=tmp_path)
    assert ran.returncode == 1
    assert ran.stdout.startswith("none.yaml:1:1: ")
    assert "does not exist" in ran.stdout


@pytest.mark.parametrize("arguments", [["--config", "a.yaml", "check"], ["check", "--config", "a.yaml"]])
def test_without_a_file_the_one_in_use_is_checked(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "a.yaml").write_text("agents: 1")
    assert sidekicks(*arguments, home=tmp_path).stdout.startswith("a.yaml:1:9: ")
    by_variable = sidekicks("check", home=tmp_path, SIDEKICKS_CONFIG=str(tmp_path / "a.yaml"))
    assert by_variable.stdout.startswith(f"{tmp_path / 'a.yaml'}:1:9: ")


def test_checking_makes_no_file(tmp_path: Path) -> None:
    ran = sidekicks("check", home=tmp_path)
    assert ran.returncode == 1
    assert list(tmp_path.iterdir()) == []


def test_the_text_of_stdin_is_checked(tmp_path: Path) -> None:
    ran = sidekicks("check", "-", home=tmp_path, stdin="agents: 1\n")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.startswith("<stdin>:1:9: ")
    assert sidekicks("check", "-", home=tmp_path, stdin=VALID).returncode == 0


def test_problems_as_json(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("limit: {}\nagents:\n  - name: a\n    command: no-such-program-xyz\n")
    ran = sidekicks("check", "a.yaml", "--json", home=tmp_path)
    found = json.loads(ran.stdout)
    assert (found["file"], found["valid"], ran.returncode) == ("a.yaml", False, 1)
    assert [problem["line"] for problem in found["problems"]] == [1]
    assert [warning["line"] for warning in found["warnings"]] == [4]
    ran = sidekicks("check", "-", "--json", home=tmp_path, stdin=VALID)
    assert json.loads(ran.stdout) == {"file": "<stdin>", "valid": True, "problems": [], "warnings": []}


@pytest.mark.parametrize(
    ("arguments", "command", "guess"),
    [
        (["chekc"], "sidekicks", "there is no `chekc`: did you mean `check`?"),
        (["ask", "mm", "hi", "--jsno"], "sidekicks ask", "did you mean `--json`?"),
        (["ask", "mm", "hi", "--allow", "onec"], "sidekicks ask", "there is no `onec`: did you mean `once`?"),
        (["history", "exprot", "x"], "sidekicks history", "did you mean `export`?"),
        (["check", "a", "b"], "sidekicks check", "not understood: b"),
        (["ask", "mm", "hi", "--timeout", "soon"], "sidekicks ask", "invalid seconds value: 'soon'"),
        (["--conf=a.yaml"], "sidekicks", "did you mean `--config`?"),
    ],
)
def test_what_may_have_been_meant(tmp_path: Path, arguments: list[str], command: str, guess: str) -> None:
    ran = sidekicks(*arguments, home=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    *_, last = ran.stderr.splitlines()
    assert last.startswith(f"{command}: error: ")
    assert last.endswith(guess)


@pytest.mark.parametrize("arguments", [["check", "a", "b"], ["ask", "mm"], ["history"], ["--nope"]])
def test_wrong_usage(tmp_path: Path, arguments: list[str]) -> None:
    ran = sidekicks(*arguments, home=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith("usage: sidekicks")


def test_the_version(tmp_path: Path) -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    assert sidekicks("--version", home=tmp_path).stdout == f"sidekicks {project['version']}\n"


def test_help_names_the_commands(tmp_path: Path) -> None:
    ran = sidekicks("--help", home=tmp_path)
    assert ran.returncode == 0
    for word in ("check", "ask", "doctor", "--config", "--data-dir", "--version"):
        assert word in ran.stdout


QUICK = """
import sys
from sidekicks.cli import main
try:
    main(sys.argv[1:])
finally:
    print(*{"PySide6", "qasync", "argcomplete", "plyvel", "asyncio"}.intersection(sys.modules))
"""


@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"], ["check", "a.yaml"]])
def test_what_needs_no_window_and_no_agent_starts_without_them(tmp_path: Path, arguments: list[str]) -> None:
    (tmp_path / "a.yaml").write_text(VALID)
    ran = subprocess.run(
        [sys.executable, "-c", QUICK, *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "HOME": str(tmp_path)},
        timeout=60,
    )
    assert ran.stdout.splitlines()[-1] == "", ran.stdout
    assert ran.stderr == ""


@needs_shell
@pytest.mark.parametrize(
    ("redirection", "code", "says"),
    [
        (">&-", 1, ""),
        ("2>&-", 1, ""),
        ("<&- >&- 2>&-", 1, ""),
        ("| true", 0, ""),
        (">/dev/full", 1, "sidekicks: the output can't be written: No space left on device\n"),
    ],
)
def test_wherever_the_output_goes(tmp_path: Path, redirection: str, code: int, says: str) -> None:
    (tmp_path / "a.yaml").write_text("agents: 1")
    if "/dev/full" in redirection and not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full")
    ran = subprocess.run(
        ["sh", "-c", f'"$0" -m sidekicks check a.yaml {redirection}', sys.executable],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2]), "HOME": str(tmp_path)},
        timeout=60,
    )
    assert (ran.returncode, ran.stderr) == (code, says)


def test_a_locale_without_letters(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("agents: [{name: é, command: mm}]\n", "utf-8")
    ran = sidekicks("check", "a.yaml", home=tmp_path, LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.startswith("a.yaml:1:17: ")


@pytest.mark.skipif(sys.platform != "linux", reason="the others always have a display")
def test_without_a_display_there_is_one_sentence(tmp_path: Path) -> None:
    ran = sidekicks(home=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert len(ran.stderr.splitlines()) == 1
    assert "no display" in ran.stderr
    assert "sidekicks ask" in ran.stderr


def test_the_bundled_agent_is_started_by_its_name(tmp_path: Path) -> None:
    package = tmp_path / "packages" / "minime_agent"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text("import sys\nprint(sys.argv[1:])\nsys.exit(7)\n")
    path = os.pathsep.join([str(package.parent), str(Path(__file__).parents[2])])
    ran = sidekicks("mm", "--acp", "--help", home=tmp_path, PYTHONPATH=path)
    assert (ran.returncode, ran.stdout) == (7, "['--acp', '--help']\n")
