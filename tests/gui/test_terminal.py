"""How the terminal program of each system is told to run a command."""

from __future__ import annotations

import pytest

from sidekicks.ui.terminal import in_terminal

ARGV = ["/opt/my agent", "--login"]


@pytest.mark.parametrize(
    ("platform", "installed", "expected"),
    [
        ("linux", ["x-terminal-emulator"], ["x-terminal-emulator", "-e", *ARGV]),
        ("linux", [], []),
        ("win32", ["wt", "cmd"], ["wt", "-d", "/home", *ARGV]),
        ("win32", ["cmd"], ["cmd", "/c", "start", "", "/d", "/home", *ARGV]),
        (
            "darwin",
            ["osascript"],
            [
                "osascript",
                "-e",
                (
                    'tell application "Terminal"\nactivate\n'
                    "do script \"cd /home && '/opt/my agent' --login\"\nend tell"
                ),
            ],
        ),
    ],
)
def test_each_system_has_its_terminal(platform: str, installed: list[str], expected: list[str]) -> None:
    def which(name: str) -> str | None:
        return name if name in installed else None

    assert in_terminal(ARGV, "/home", platform, which) == expected
