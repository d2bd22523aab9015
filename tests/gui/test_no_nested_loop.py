"""A nested event loop inside a coroutine would stop the other tasks for good."""

from __future__ import annotations

import re
from pathlib import Path

import sidekicks

NESTED = re.compile(
    r"\bexec_?\(|processEvents\(|QEventLoop\(\)"
    r"|QMessageBox\.(question|information|warning|critical|about)\("
    r"|QFileDialog\.get\w+\(|QInputDialog\.get\w+\("
)


def test_no_code_of_the_window_nests_an_event_loop() -> None:
    package = Path(sidekicks.__file__).parent
    found = [
        f"{path.name}:{number}: {line.strip()}"
        for path in [package / "app.py", *(package / "ui").rglob("*.py")]
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if NESTED.search(line)
    ]
    assert not found
