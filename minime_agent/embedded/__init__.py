"""A GGUF file answered on loopback by a child process, for machines without a model server.

The engine calls `connect` before a turn, keeps the `EmbeddedServer` while `alive`, and closes it at its end.
"""

from __future__ import annotations

from minime_agent.embedded.client import EmbeddedServer, connect
from minime_agent.embedded.errors import EmbeddedError

__all__ = ["EmbeddedError", "EmbeddedServer", "connect"]
