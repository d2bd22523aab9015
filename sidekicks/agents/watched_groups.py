"""The commands that agents run in terminals, as groups that the guardian knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from minime_agent.guardian import Guardian
from sidekicks.agents.group import Group, group_of, spawn_options


class WatchedGroups:
    """Makes commands that end as a whole, also when this program is killed."""

    def __init__(self, guardian: Guardian) -> None:
        self._guardian = guardian

    def options(self) -> Mapping[str, Any]:
        """What `subprocess.Popen` needs so that a process begins a group."""
        return spawn_options()

    def begun(self, pid: int) -> Group:
        """The group that this process leads."""
        self._guardian.watch(pid)
        return group_of(pid)

    def ended(self, pid: int) -> None:
        """The group is gone."""
        self._guardian.forget(pid)
