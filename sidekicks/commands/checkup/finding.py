"""One thing that was looked at."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sidekicks.models import Model

Level: TypeAlias = Literal["ok", "warning", "problem"]


class Finding(Model, frozen=True):
    """`topic` is what was looked at, `message` what was found; `advice` is what to do, empty when nothing."""

    topic: str
    level: Level
    message: str
    advice: str = ""
