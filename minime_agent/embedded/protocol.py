"""What a user of the embedded model, its keeper and its engine say to each other: JSON lines.

Three processes. The *user* (an mm) finds or starts the *keeper*, which starts the *engine*. The engine holds
the model and llama.cpp's own HTTP server. The keeper listens on a loopback port; each user keeps one
connection to it open for as long as it wants the model, and the system closes that connection however the
user ends. When none is left, the keeper ends the engine and itself. They are two processes because loading
holds Python's lock for seconds, in which a single one could not see its users leave.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Literal

import msgspec

HOST = "127.0.0.1"
IDLE = 600.0  # seconds without a request, after which the engine ends though it has users
CONTEXT = 8192  # tokens; 188 MB of memory for SmolLM2, and all that it was trained with


class Options(msgspec.Struct, frozen=True):
    """How to run a model: from the user to the keeper, and on to the engine."""

    model: str  # absolute path
    folder: str  # of the state, lock and log files
    idle: float = IDLE
    context: int = CONTEXT
    key: str = ""  # the secret of this server; made by the keeper

    def file(self, suffix: str) -> Path:
        """This model's file in `folder`: "json" (State), "lock" (held to start a keeper) or "log"."""
        name = hashlib.sha256(self.model.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        return Path(self.folder, f"{name}.{suffix}")


class State(msgspec.Struct, frozen=True):
    """Where the keeper of a model listens; the content of its state file, which only the user may read."""

    pid: int
    port: int
    key: str


class Report(msgspec.Struct, frozen=True):
    """What the engine says to the keeper, and the keeper to every user."""

    status: Literal["loading", "ready", "failed"]
    address: str = ""  # of the HTTP server, without /v1
    context: int = 0  # tokens
    message: str = ""  # failed: a sentence for people
