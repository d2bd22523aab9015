"""Which folders belong to the work at hand, and which file is the user's own."""

from __future__ import annotations

from pathlib import Path


def project_folders(cwd: Path) -> list[Path]:
    """The repository's root and what lies between, down to the working folder; outside one that alone."""
    above = [cwd, *cwd.parents]
    for depth, folder in enumerate(above):
        if (folder / ".git").exists():
            return above[: depth + 1][::-1]
    return [cwd]


def user_folder() -> Path:
    """The user's configuration folder of mm."""
    from platformdirs import user_config_path

    return user_config_path("mm", appauthor=False)
