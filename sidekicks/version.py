"""The version of this Sidekicks."""

from __future__ import annotations

import tomllib
from importlib import metadata
from pathlib import Path


def version() -> str:
    """The version of the installed package; in a checkout that is not installed, of its pyproject.toml."""
    try:
        return metadata.version("sidekicks")
    except metadata.PackageNotFoundError:
        project = Path(__file__).parent.parent / "pyproject.toml"
        return str(tomllib.loads(project.read_text("utf-8"))["project"]["version"])
