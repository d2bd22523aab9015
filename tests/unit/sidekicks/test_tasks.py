"""Whoever starts tasks ends them, and hears of what they raise."""

from __future__ import annotations

import asyncio
import logging

import pytest

from sidekicks.tasks import Tasks


async def test_close_ends_what_runs_and_what_that_starts() -> None:
    tasks = Tasks()
    ended: list[str] = []

    async def stubborn(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)
            if name == "first":
                tasks.start(stubborn("started at the end"), "second")
                await asyncio.sleep(0)

    tasks.start(stubborn("first"), "first")
    await asyncio.sleep(0)
    await tasks.close()
    assert ended == ["first", "started at the end"]


async def test_close_returns_when_a_task_has_ended_that_the_loop_has_not_told_of_yet() -> None:
    tasks = Tasks()

    async def quick() -> None:
        pass

    task = tasks.start(quick(), "quick")
    await asyncio.sleep(0)
    assert task.done()
    async with asyncio.timeout(10):
        await tasks.close()


async def test_a_failure_is_logged_with_the_task_s_name(caplog: pytest.LogCaptureFixture) -> None:
    tasks = Tasks()

    async def fails() -> None:
        raise ValueError("broken")

    task = tasks.start(fails(), "the one that fails")
    with caplog.at_level(logging.ERROR):
        await asyncio.wait([task])
        await asyncio.sleep(0)
    assert "the one that fails" in caplog.text
    assert "broken" in caplog.text
