"""The command line as a real process."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

VALID = "agents: [{name: mm, command: mm}]\n"


def sidekicks(*arguments: str | Path, home: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
    places = {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "APPDATA": str(home)}
    return subprocess.run(
        [sys.executable, "-m", "sidekicks", *arguments],
        stdin=subprocess.DEVNULL,
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


@pytest.mark.parametrize("arguments", [["check", "a", "b"], ["chekc"], ["ask", "mm"], ["--nope"]])
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
    for word in ("check", "ask", "--config", "--data-dir", "--version"):
        assert word in ran.stdout


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
