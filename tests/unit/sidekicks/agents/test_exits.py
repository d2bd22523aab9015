"""What the end of a program meant, in one sentence."""

from __future__ import annotations

import signal

import pytest

from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.exits import advice, describe_exit
from tests.agents import Setting, scripted

KILLED = "SIGKILL (perhaps the machine ran out of memory)"
EXITS = [
    (None, ""),
    (0, "ended by itself (exit code 0)"),
    (2, "ended with exit code 2"),
    (126, "ended with exit code 126 (a program that it starts may not be run)"),
    (127, "ended with exit code 127 (a program that it starts was not found)"),
    (137, f"ended with exit code 137 (what it had started was ended by {KILLED})"),
    (143, "ended with exit code 143 (what it had started was ended by SIGTERM)"),
    (255, "ended with exit code 255"),
    (9009, "ended with exit code 9009 (a program that it starts was not found)"),
    (0xC0000005, "ended with exit code 0xC0000005 (it touched memory that is not its own)"),
    (0xC0000135, "ended with exit code 0xC0000135 (a DLL that it needs is missing)"),
    (0xE06D7363, "ended with exit code 0xE06D7363"),
    (-signal.SIGSEGV, "was ended by SIGSEGV"),
    (-9, f"was ended by {KILLED}"),
    (-99, "was ended by signal 99"),
]


@pytest.mark.parametrize(("code", "says"), EXITS)
def test_exits_in_words(code: int | None, says: str) -> None:
    assert describe_exit(code) == says


@pytest.mark.parametrize(
    "line",
    [
        "npm error code ENOTFOUND",
        "npm ERR! code EAI_AGAIN",
        "npm error code ENOTCACHED",
        "npm error errno ECONNREFUSED",
    ],
)
def test_npx_without_a_network(line: str) -> None:
    assert advice(["npm warn something", line, "npm error at ..."]).startswith(
        "npm can't reach its registry:"
    )


def test_npx_of_a_package_that_does_not_exist() -> None:
    assert advice(["npm error code E404"]) == "npm knows no such package: check its name in `args`"
    assert advice(["error: npm is fine", "Error"]) == ""


async def test_a_start_says_what_to_do(setting: Setting) -> None:
    setting.apply(scripted("ada", "stderr=npm error code ENOTFOUND", "exit=1"))
    with pytest.raises(AgentUnavailableError) as raised:
        await setting.service.start("ada")
    first, last = str(raised.value).splitlines()
    assert first.startswith(
        "it ended with exit code 1 before it answered: npm can't reach its registry: check"
    )
    assert last == "npm error code ENOTFOUND"


async def test_a_wrapper_whose_program_is_missing(setting: Setting) -> None:
    setting.apply(scripted("ada", command="/bin/sh", args=("-c", "exec no-such-agent --acp")))
    with pytest.raises(AgentUnavailableError) as raised:
        await setting.service.start("ada")
    first, last = str(raised.value).splitlines()
    assert first == (
        "it ended with exit code 127 (a program that it starts was not found) before it answered"
    )
    assert "no-such-agent" in last
