"""The clock of services that are made in these tests."""

from __future__ import annotations

import pytest

from tests.agents import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()
