"""What an agent costs the machine: memory and processor time of its program and all that it started."""

from __future__ import annotations

import contextlib

import psutil

from sidekicks.models import Resources


def resources_of(pid: int) -> Resources | None:
    """What the process and its descendants use; None when it has ended. Looks at the system: some ms."""
    try:
        first = psutil.Process(pid)
        family = [first, *first.children(recursive=True)]
    except psutil.Error:
        return None
    memory, cpu, count = 0, 0.0, 0
    for process in family:
        with contextlib.suppress(psutil.Error):  # it ended meanwhile
            with process.oneshot():
                times = process.cpu_times()
                memory += process.memory_info().rss
                cpu += times.user + times.system
            count += 1
    return Resources(memory=memory, cpu=cpu, processes=count)
