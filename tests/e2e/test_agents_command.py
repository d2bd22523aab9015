"""`sidekicks agents` as a real process, with scripted agents."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.agents import SCRIPT
from tests.e2e.test_cli import sidekicks
from tests.processes import is_running


def configure(folder: Path, *agents: dict[str, object], **further: object) -> Path:
    path = folder / "a.yaml"
    path.write_text(json.dumps({"agents": agents, **further}))
    return path


def scripted(name: str, *options: str, **fields: object) -> dict[str, object]:
    return {"name": name, "command": sys.executable, "args": [str(SCRIPT), *options], **fields}


def test_what_an_agent_is_and_can_do(tmp_path: Path) -> None:
    config = configure(
        tmp_path, scripted("ada", "commands", "load", f"pidfile={tmp_path / 'pid'}", title="Ada")
    )
    ran = sidekicks("agents", "--config", config, home=tmp_path)
    first, runs, *rest = ran.stdout.splitlines()
    assert first == "ada (Ada)"
    assert str(SCRIPT) in runs
    assert rest == [
        "  is        scripted 1, protocol version 1",
        "  can       load sessions",
        "  commands  /review /test",
    ]
    assert (ran.returncode, ran.stderr) == (0, "")
    assert not is_running(int((tmp_path / "pid").read_text()))


def test_what_is_wrong_stands_at_the_agent_and_the_others_are_told_of(tmp_path: Path) -> None:
    config = configure(
        tmp_path,
        scripted("broken", "stderr=no key", "exit=3"),
        {"name": "gone", "command": "no-such-program"},
        scripted("locked", "auth"),
        scripted("fine", "commands"),
    )
    ran = sidekicks("agents", "--config", config, "--json", home=tmp_path)
    broken, gone, locked, fine = json.loads(ran.stdout)
    assert broken["problem"] == "it ended with exit code 3 before it answered\nno key"
    assert gone["problem"].startswith("the program no-such-program was not found; install it")
    assert "log in" in locked["problem"]
    assert [(login["id"], login["name"]) for login in locked["logins"]] == [
        ("login", "Log in with a browser")
    ]
    assert fine["problem"] == ""
    assert [command["name"] for command in fine["commands"]] == ["review", "test"]
    assert fine["protocol"] == 1
    assert ran.returncode == 1
    text = sidekicks("agents", "broken", "--config", config, home=tmp_path).stdout
    assert text.endswith("  PROBLEM   it ended with exit code 3 before it answered\n            no key\n")


def test_no_more_run_at_once_than_the_limits_allow(tmp_path: Path) -> None:
    agents = [scripted(f"a{number}", "commands") for number in range(3)]
    config = configure(tmp_path, *agents, limits={"maxRunningAgents": 1})
    ran = sidekicks("agents", "--config", config, home=tmp_path)
    assert (ran.returncode, ran.stdout.count("/review")) == (0, 3)


def test_listing_starts_nothing(tmp_path: Path) -> None:
    config = configure(
        tmp_path,
        scripted("ada", f"pidfile={tmp_path / 'pid'}"),
        {"name": "bob", "command": "no-such-program"},
    )
    ran = sidekicks("agents", "--no-start", "--config", config, home=tmp_path)
    assert "PROBLEM   the program no-such-program was not found" in ran.stdout
    assert ran.returncode == 1
    assert not (tmp_path / "pid").exists()
    assert sidekicks("agents", "--no-start", "ada", "--config", config, home=tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("agents: []", ""),
        (
            "agents: [{name: ada, command: mm}]",
            "the configuration has no agent named adda: did you mean `ada`?\n",
        ),
        ("agents: 1", "nothing was done, because the configuration is not valid.\n"),
    ],
)
def test_agents_that_are_not_there(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    ran = sidekicks("agents", *(["adda"] if "ada" in text else []), "--config", "a.yaml", home=tmp_path)
    assert ran.stderr.endswith(f"sidekicks: {says}" if says else "")
    assert ran.returncode == (1 if says else 0)
    assert ran.stdout == ("" if says else "The configuration has no agents.\n")


def test_the_protocol_log_is_written_here_too(tmp_path: Path) -> None:
    config = configure(tmp_path, scripted("ada", protocolLog="on"), scripted("bob"))
    assert (
        sidekicks("agents", "--config", config, "--data-dir", tmp_path / "data", home=tmp_path).returncode
        == 0
    )
    [log] = (tmp_path / "data" / "protocol").rglob("*.jsonl")
    assert log.name == "ada.jsonl"
    assert '"method":"initialize"' in log.read_text()


def test_agents_of_one_name_in_two_configurations_have_two_protocol_logs(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        config = configure(tmp_path / folder, scripted("ada", protocolLog="on"))
        sidekicks("agents", "--config", config, "--data-dir", tmp_path / "data", home=tmp_path)
    logs = list((tmp_path / "data" / "protocol").rglob("*.jsonl"))
    assert [log.name for log in logs] == ["ada.jsonl", "ada.jsonl"]
