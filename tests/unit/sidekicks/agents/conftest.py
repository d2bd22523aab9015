"""A service with no agents yet, and its clock."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.agents import Clock, Setting


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def setting(clock: Clock) -> AsyncIterator[Setting]:
    setting = Setting(clock)
    yield setting
    await setting.service.close()
