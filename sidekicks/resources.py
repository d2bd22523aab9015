"""Where the files beside the code are: in the installed package, or in the checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def resource(name: str) -> Path:
    """The path of `resources/<name>`."""
    installed = _PACKAGE / "resources"
    return (installed if installed.is_dir() else _PACKAGE.parent / "resources") / name


def translation(language: str) -> Path:
    """The path of the compiled translation of the window for `language` ("en", "fr")."""
    installed = _PACKAGE / "translations"
    folder = installed if installed.is_dir() else _PACKAGE.parent / "translations"
    return folder / f"sidekicks_{language}.qm"
