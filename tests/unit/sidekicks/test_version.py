"""The version stands in two places, and is the same in both."""

from __future__ import annotations

import tomllib
from pathlib import Path

from sidekicks.version import VERSION


def test_it_is_the_project_s() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["version"] == VERSION
