"""`sidekicks completion` in the real shells."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.e2e.test_cli import sidekicks

ROOT = Path(__file__).parents[2]
BASH = """
eval "$(sidekicks completion bash)"
COMP_LINE="$1"; COMP_POINT=${#1}; COMP_TYPE=9; read -ra COMP_WORDS <<<"$1"
_python_argcomplete sidekicks
echo "${COMPREPLY[@]}"
"""
FISH = 'sidekicks completion fish | source; complete -C "$argv[1]" | string split -f1 \\t'
CASES = [
    ("sidekicks che", {"check"}),
    ("sidekicks --config a.yaml ask a", {"ada", "amy"}),
    ("sidekicks ask ada --al", {"--allow"}),
    ("sidekicks ask --allow ", {"once", "always", "reject"}),
    ("sidekicks rules forget ada ex", {"execute"}),
    ("sidekicks history ex", {"export"}),
]


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment with a `sidekicks` on PATH, in a folder with a configuration."""
    program = tmp_path / "bin" / "sidekicks"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m sidekicks "$@"\n')
    program.chmod(0o755)
    (tmp_path / "a.yaml").write_text("agents: [{name: ada, command: mm}, {name: amy, command: mm}]")
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "HOME": str(tmp_path), "TERM": "dumb"}


def needs(name: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(name) is None, reason=f"{name} is not installed")


@needs("bash")
@pytest.mark.parametrize(("typed", "offered"), CASES)
def test_bash(shell: dict[str, str], typed: str, offered: set[str]) -> None:
    ran = subprocess.run(
        ["bash", "-c", BASH, "bash", typed], capture_output=True, env=shell, cwd=shell["HOME"]
    )
    assert set(ran.stdout.decode().split()) == offered, ran.stderr


@needs("fish")
@pytest.mark.parametrize(("typed", "offered"), CASES)
def test_fish(shell: dict[str, str], typed: str, offered: set[str]) -> None:
    ran = subprocess.run(["fish", "-c", FISH, typed], capture_output=True, env=shell, cwd=shell["HOME"])
    assert set(ran.stdout.decode().split()) == offered, ran.stderr


@needs("zsh")
@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("sidekicks --config a.yaml ask ad\t", "sidekicks --config a.yaml ask ada"),
        ("sidekicks che\t", "check"),
    ],
)
def test_zsh(shell: dict[str, str], typed: str, shown: str) -> None:
    Path(shell["HOME"], ".zshrc").write_text(
        'autoload -Uz compinit; compinit -u; eval "$(sidekicks completion zsh)"; PS1="ready> "\n'
    )
    process, terminal = pty.fork()
    if process == 0:
        os.chdir(shell["HOME"])
        os.execvpe("zsh", ["zsh", "-i"], shell | {"ZDOTDIR": shell["HOME"]})
    try:
        read_until(terminal, "ready> ")
        os.write(terminal, typed.encode())
        assert shown in read_until(terminal, shown)
    finally:
        os.close(terminal)
        os.waitpid(process, 0)


def read_until(terminal: int, wanted: str) -> str:
    said, deadline = "", time.monotonic() + 20
    while wanted not in said and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.5)[0]:
            said += os.read(terminal, 65536).decode()
    return said


def test_a_configuration_that_can_t_be_read_completes_nothing(tmp_path: Path, shell: dict[str, str]) -> None:
    (tmp_path / "a.yaml").write_text("agents: [")
    ran = sidekicks("completion", "bash", home=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    if shutil.which("bash"):
        command = ["bash", "-c", BASH, "bash", "sidekicks --config a.yaml ask a"]
        asked = subprocess.run(command, capture_output=True, env=shell, cwd=tmp_path)
        assert (asked.stdout, asked.stderr) == (b"\n", b"")
