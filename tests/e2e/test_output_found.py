"""`sidekicks ask` and `mm -p` when stdout takes nothing more, and when there is nobody to ask."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import ROOT, mm_environment
from tests.scripted_model import ScriptedModel

AGENT = ROOT / "tests" / "scripted_agent.py"
FULL = Path("/dev/full")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="needs /dev/full")


def start(
    *words: str, home: Path, stdout: int, stdin: int = subprocess.DEVNULL, **environment: str
) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", *words],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=mm_environment(home) | environment,
        cwd=home,
    )


def ask(
    folder: Path, text: str, stdout: int, stdin: int = subprocess.DEVNULL, **environment: str
) -> subprocess.Popen[str]:
    config = folder / "a.yaml"
    config.write_text(
        f"agents: [{{name: echo, command: {sys.executable}, args: [{AGENT}, 'pidfile={folder}/pid']}}]\n"
    )
    words = ("sidekicks", "ask", "--config", str(config), "--data-dir", str(folder), "echo", text)
    return start(*words, home=folder, stdout=stdout, stdin=stdin, **environment)


def test_a_reader_that_leaves_ends_the_answer_without_a_word(tmp_path: Path) -> None:
    with ask(tmp_path, "!stream(2000, 100, 0.002)", subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == "0"
        process.stdout.close()
        assert process.stderr is not None
        assert (process.stderr.read(), process.wait(60)) == ("", 1)
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


@needs_full
def test_ask_says_that_the_disk_is_full(tmp_path: Path) -> None:
    with FULL.open("w") as full:
        _, said = ask(tmp_path, "hello", full.fileno()).communicate(timeout=60)
    assert said == "sidekicks: the output can't be written: No space left on device\n"


@needs_full
async def test_mm_says_that_the_disk_is_full(tmp_path: Path) -> None:
    full = os.open(FULL, os.O_WRONLY)
    async with ScriptedModel() as server:
        process = start("minime_agent", "-p", "hi", "--base-url", server.url, home=tmp_path, stdout=full)
        os.close(full)
        _, said = await asyncio.to_thread(process.communicate, timeout=60)
    assert (said, process.returncode) == ("mm: the answer can't be written: No space left on device\n", 1)


@pytest.mark.skipif(os.name == "nt", reason="terminals of POSIX")
@pytest.mark.parametrize(("answer", "code"), [("", 130), ("y\n", 0)])
def test_a_question_on_the_terminal_takes_an_answer_and_ctrl_c(
    tmp_path: Path, answer: str, code: int
) -> None:
    keyboard, terminal = os.openpty()
    with ask(tmp_path, "!ask(execute, run it)", subprocess.PIPE, terminal) as process:
        assert process.stderr is not None
        said = ""
        while not said.endswith("[y/a/N] "):
            said += process.stderr.read(1)
        if answer:
            os.write(keyboard, answer.encode())
        else:
            process.send_signal(signal.SIGINT)
        assert process.wait(30) == code
    os.close(keyboard)
    os.close(terminal)


@pytest.mark.skipif(os.name == "nt", reason="arguments are bytes on POSIX")
@pytest.mark.parametrize(("encoding", "said"), [("utf-8", "echo: é\ufffd"), ("ascii", "echo: ??")])
def test_words_that_no_encoding_fits_are_sent_and_printed_all_the_same(
    tmp_path: Path, encoding: str, said: str
) -> None:
    text = os.fsdecode(b"\xc3\xa9\xff")
    process = ask(tmp_path, text, subprocess.PIPE, PYTHONIOENCODING=encoding)
    out, errors = process.communicate(timeout=60)
    assert (out.rstrip("\n"), errors, process.returncode) == (said, "", 0)


async def test_mm_takes_words_that_are_not_utf8(tmp_path: Path) -> None:
    async with ScriptedModel() as server:
        words = ("minime_agent", "-p", os.fsdecode(b"bad\xff"), "--base-url", server.url)
        process = start(*words, home=tmp_path, stdout=subprocess.PIPE)
        out, errors = await asyncio.to_thread(process.communicate, timeout=60)
        assert server.chats[-1]["messages"][-1]["content"] == "bad\ufffd"
    assert (out, errors) == ("Hello from the scripted model.\n", "")


def test_ask_says_that_the_history_is_not_kept(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("agents: []\n")
    (tmp_path / "file").touch()
    words = ("sidekicks", "ask", "--config", "a.yaml", "--data-dir", "file", "mm", "hello")
    _, errors = start(*words, home=tmp_path, stdout=subprocess.PIPE).communicate(timeout=60)
    assert "kept in memory only" in errors.splitlines()[0]


@pytest.mark.skipif(sys.platform != "linux", reason="the others always have a display")
@pytest.mark.parametrize("display", [{"DISPLAY": ":987654"}, {"DISPLAY": "", "WAYLAND_DISPLAY": "none"}])
def test_a_display_that_does_not_answer_is_one_sentence(tmp_path: Path, display: dict[str, str]) -> None:
    nothing = {"QT_QPA_PLATFORM": "", "WAYLAND_DISPLAY": ""}
    process = start("sidekicks", home=tmp_path, stdout=subprocess.PIPE, **(nothing | display))
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert len(errors.splitlines()) == 1
    assert "nothing answers at" in errors


def test_with_a_broken_configuration_nobody_is_asked(tmp_path: Path) -> None:
    (tmp_path / "b.yaml").write_text("agents:\n  - name: mm\n    comand: mm\n")
    words = ("sidekicks", "ask", "--config", "b.yaml", "--data-dir", str(tmp_path), "mm", "hello")
    process = start(*words, home=tmp_path, stdout=subprocess.PIPE)
    out, said = process.communicate(timeout=60)
    *problems, last = said.splitlines()
    assert (out, process.returncode) == ("", 1)
    assert problems
    assert "comand" in problems[0] + problems[-1]
    assert last == "sidekicks: nobody was asked, because the configuration is not valid."
