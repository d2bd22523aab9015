"""Sidekicks: one window, several coding agents. The core is a library without Qt: see `open_core`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sidekicks.core import open_core

__all__ = ["open_core"]


def __getattr__(name: str) -> object:
    """Imports the core when it is asked for: the window paints first."""
    if name == "open_core":
        from sidekicks.core import open_core

        return open_core
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
