"""`sidekicks login` as a real process."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_cli import sidekicks

SCRIPT = Path(__file__).parents[1] / "scripted_sessions.py"


def configure(folder: Path, *options: str) -> Path:
    agent = {"name": "ada", "command": sys.executable, "args": [str(SCRIPT), *options]}
    (folder / "a.yaml").write_text(json.dumps({"agents": [agent]}))
    return folder / "a.yaml"


def test_a_login_that_the_agent_does_by_itself(tmp_path: Path) -> None:
    config = configure(tmp_path, "login=agent")
    ran = sidekicks("login", "ada", "main", "--config", config, home=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "Logged in to ada.\n")
    assert ran.stderr.startswith("Logging in to ada: ")


def test_without_a_terminal_a_way_has_to_be_named(tmp_path: Path) -> None:
    config = configure(tmp_path, "login=agent")
    ran = sidekicks("login", "ada", "--config", config, home=tmp_path)
    *listed, last = ran.stderr.splitlines()
    assert listed[0].startswith("  1. ")
    assert last == "sidekicks: name one of them: `sidekicks login ada METHOD`"
    assert (ran.returncode, ran.stdout) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["adda"], "the configuration has no agent named adda: did you mean `ada`?"),
        (["ada", "mian"], "ada has no way to log in named mian: did you mean `main`?"),
    ],
)
def test_what_is_not_there(tmp_path: Path, arguments: list[str], says: str) -> None:
    config = configure(tmp_path, "login=agent")
    ran = sidekicks("login", *arguments, "--config", config, home=tmp_path)
    assert (ran.returncode, ran.stderr) == (1, f"sidekicks: {says}\n")


def test_an_agent_that_offers_none(tmp_path: Path) -> None:
    ran = sidekicks("login", "ada", "--config", configure(tmp_path), home=tmp_path)
    says = "sidekicks: ada offers no way to log in here: log in with its own program\n"
    assert (ran.returncode, ran.stderr) == (1, says)


def test_a_login_in_the_terminal_is_the_agent_s_own_program(tmp_path: Path) -> None:
    config = configure(tmp_path, "login=terminal", "stderr=who are you?")
    ran = sidekicks("login", "ada", "main", "--config", config, home=tmp_path)
    # What an agent says on its stderr is for its log; what is run in the terminal speaks there.
    assert (ran.returncode, ran.stdout) == (0, "Logged in to ada.\n")
    told, *said = ran.stderr.splitlines()
    assert told.startswith("Logging in to ada with: ")
    assert told.endswith(" --login")
    assert said == ["who are you?"]


def test_a_login_with_a_program_that_the_agent_names_is_shown_before_it_is_run(tmp_path: Path) -> None:
    config = configure(tmp_path, "login=named")
    ran = sidekicks("login", "ada", "main", "--config", config, home=tmp_path)
    assert (ran.returncode, ran.stdout) == (0, "named\nLogged in to ada.\n")
    command = shlex.join([sys.executable, "-c", "print('named')"])
    assert ran.stderr == f"Logging in to ada with: {command}\n"


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
def test_at_a_terminal_the_way_is_chosen(tmp_path: Path) -> None:
    config = configure(tmp_path, "login=agent")
    keyboard, terminal = os.openpty()
    os.write(keyboard, b"3\n2\n")
    environment = os.environ | {"HOME": str(tmp_path), "PYTHONPATH": str(SCRIPT.parents[1])}
    command = [sys.executable, "-m", "sidekicks", "login", "ada", "--config", str(config)]
    ran = subprocess.run(command, stdin=terminal, capture_output=True, text=True, env=environment, timeout=60)
    os.close(keyboard)
    os.close(terminal)
    assert ran.stderr.count("Which one? ") == 2
    assert (ran.returncode, ran.stdout) == (0, "Logged in to ada.\n")
