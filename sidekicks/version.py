"""The version of this Sidekicks: as pyproject.toml says it, which a test holds it to.

Asking the installed package for it would take 30 to 100 ms of imports, at the start of the first agent.
"""

from __future__ import annotations

VERSION = "0.1.0"
