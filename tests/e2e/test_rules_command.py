"""`sidekicks rules` as a real process."""

from __future__ import annotations

import json
from pathlib import Path

from sidekicks.history.open import data_path, open_history
from sidekicks.models import PermissionRule
from tests.e2e.test_cli import sidekicks


async def test_rules_are_listed_and_forgotten(tmp_path: Path) -> None:
    config = tmp_path / "a.yaml"
    config.write_text("agents: [{name: ada, command: mm}]")
    places = ("--config", config, "--data-dir", tmp_path / "data")
    assert sidekicks("rules", "list", *places, home=tmp_path).stdout.startswith("No permission")
    history, _ = await open_history(data_path(config, tmp_path / "data"))
    await history.put_rule(PermissionRule(agent="ada", kind="execute", allowed=True))
    await history.put_rule(PermissionRule(agent="ada", kind="edit", allowed=False))
    locked = sidekicks("rules", "list", *places, home=tmp_path)
    says = "sidekicks: the history is open in another Sidekicks: close its window, then try again.\n"
    assert (locked.returncode, locked.stderr) == (1, says)
    await history.close()
    listed = sidekicks("rules", "list", *places, home=tmp_path).stdout.splitlines()
    assert [line.split() for line in listed] == [
        ["ada", "edit", "always", "refused"],
        ["ada", "execute", "always", "allowed"],
    ]
    assert sidekicks("rules", "forget", "ada", "edit", *places, home=tmp_path).returncode == 0
    left = json.loads(sidekicks("rules", "list", "--json", *places, home=tmp_path).stdout)
    assert left == [{"agent": "ada", "kind": "execute", "allowed": True}]
    again = sidekicks("rules", "forget", "ada", "edit", *places, home=tmp_path)
    assert (again.returncode, again.stderr) == (1, "sidekicks: nothing is remembered for ada and edit\n")
