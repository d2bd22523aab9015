"""A GGUF file answered on loopback by a child process, for machines without a model server.

The engine calls `connect` before a turn, keeps the `EmbeddedServer` while `alive`, and closes it at its end.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from minime_agent.embedded.client import EmbeddedServer, connect
    from minime_agent.embedded.errors import EmbeddedError

__all__ = ["EmbeddedError", "EmbeddedServer", "connect"]


def __getattr__(name: str) -> Any:
    # The child processes are modules of this package too, and start sooner without the user's end.
    if name in __all__:
        return getattr(import_module(f"{__name__}.client"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
