"""The version of mm: as pyproject.toml says it, which a test holds it to. Asking the package costs 20 ms."""

from __future__ import annotations

VERSION = "0.1.0"
