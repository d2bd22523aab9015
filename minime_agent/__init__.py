"""Mini Me (`mm`): an agent engine for local models, with several façades on one loop.

`Agent` is mm as a library; it is imported when it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from minime_agent.agent import Agent

__all__ = ["Agent"]


def __getattr__(name: str) -> object:
    if name == "Agent":
        from minime_agent.agent import Agent

        return Agent
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
