"""`sidekicks history` as a real process, on a real store."""

from __future__ import annotations

import json
import subprocess
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sidekicks.history.open import data_path, open_history
from sidekicks.history.port import History
from sidekicks.ids import Ids
from sidekicks.models import Channel, Message, TextPart
from tests.e2e.test_cli import sidekicks

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[History]:
    """The history of `a.yaml` with a channel and a direct conversation; to be closed by the test."""
    (tmp_path / "a.yaml").write_text("agents: [{name: ada, command: mm}]")
    history, _ = await open_history(data_path(tmp_path / "a.yaml", tmp_path / "data"))
    ids, said_at = Ids(), datetime(2026, 12, 1, 10, tzinfo=UTC)
    plans = Channel(id=ids.new(), name="Plans", members=("ada", "bob"))
    for channel in (plans, Channel(id=ids.new(), direct="ada", members=("ada",))):
        await history.put_channel(channel)
    for role, agent, text in (("user", "", "a **boat**?"), ("agent", "ada", "Größer als ein Boot.")):
        message = Message(
            id=ids.new(),
            channel=plans.id,
            created_at=said_at,
            role=role,
            agent=agent,
            parts=(TextPart(text=text),),
        )
        await history.put_message(message)
    await history.search("boat")  # what comes after finds the index as a window leaves it
    yield history
    await history.close()


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def run(*arguments: str, **options: str) -> subprocess.CompletedProcess[str]:
        places = ("--config", "a.yaml", "--data-dir", "data")
        return sidekicks("history", *arguments, *places, home=tmp_path, **options)

    return run


async def test_what_there_is(store: History, run: Run) -> None:
    await store.close()
    first, second = run("list").stdout.splitlines()
    assert first.split()[3:] == ["#Plans", "ada,", "bob"]
    assert second.split()[1:] == ["-", "ada"]
    listed = json.loads(run("list", "--json").stdout)
    assert [(one["channel"]["name"], one["last"]) for one in listed] == [
        ("Plans", "2026-12-01T10:00:00Z"),
        ("", None),
    ]


async def test_a_window_that_is_open_is_told_of(store: History, run: Run) -> None:
    ran = run("list")
    says = "sidekicks: the history is open in another Sidekicks: close its window, then try again.\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (1, "", says)


async def test_export_and_import(store: History, run: Run, tmp_path: Path) -> None:
    await store.close()
    shown = run("export", "#plans", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0").stdout
    assert "a **boat**?" in shown
    assert "Größer als ein Boot." in shown
    written = run("export", "plans", "--format", "json", "-o", "plans.json")
    assert (written.returncode, written.stdout) == (0, "")
    printed = run("export", "#Plans", "--format", "json").stdout
    assert printed == (tmp_path / "plans.json").read_text("utf-8")
    assert run("import", "plans.json").stdout == "Imported as #Plans (2).\n"
    assert run("import", "-", stdin=printed).stdout == "Imported as #Plans (3).\n"
    assert run("export", "#plans (2)").stdout.partition("---")[2] == shown.partition("---")[2]


async def test_search(store: History, run: Run) -> None:
    await store.close()
    found = run("search", "boot")
    assert found.returncode == 0
    assert found.stdout.endswith("#Plans  ada: Größer als ein Boot.\n")
    [one] = json.loads(run("search", "größer", "boot", "--json").stdout)
    assert one["message"]["agent"] == "ada"
    nothing = run("search", "ship")
    assert (nothing.returncode, nothing.stdout, nothing.stderr) == (1, "", "Nothing was found.\n")


async def test_delete_asks_first(store: History, run: Run) -> None:
    await store.close()
    asked = run("delete", "ada")
    says = "sidekicks: nobody can be asked here: `--yes` deletes it without asking\n"
    assert (asked.returncode, asked.stderr) == (1, says)
    assert run("delete", "ada", "--yes").stdout == "Deleted ada.\n"
    assert "ada\n" not in run("list").stdout.replace("#Plans", "")


async def test_what_is_not_there(store: History, run: Run, tmp_path: Path) -> None:
    await store.close()
    says = "sidekicks: there is no conversation #nope; there are #Plans, ada\n"
    assert run("export", "#nope").stderr == says
    (tmp_path / "b.json").write_text("{}")
    refused = run("import", "b.json")
    assert refused.returncode == 1
    assert "can't be imported" in refused.stderr
    nowhere = run("export", "ada", "-o", "nowhere/ada.md")
    assert nowhere.returncode == 1
    assert nowhere.stderr.startswith("sidekicks: ")
    assert "nowhere/ada.md" in nowhere.stderr
