"""What an agent prints is readable, whatever it prints."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator

import pytest

from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.service import AgentService
from sidekicks.agents.stderr import NO_TEXT, TOLD_CHARACTERS, Tail
from sidekicks.bus import Bus
from sidekicks.models import AgentDefinition, Limits
from tests.agents import QUICK, command_of


@pytest.fixture
async def service() -> AsyncIterator[AgentService]:
    service = AgentService(Bus(), command_of, patience=QUICK)
    yield service
    await service.close()


async def reason(service: AgentService, script: str) -> str:
    """Why an agent that runs `script` is not available."""
    agent = AgentDefinition(name="bad", title="Bad", command=sys.executable, args=("-c", script))
    service.apply([agent], Limits())
    with pytest.raises(AgentUnavailableError) as caught:
        await service.start("bad")
    return str(caught.value)


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"\x1b[1;31merror:\x1b[0m no key\n", "error: no key"),
        (b"\x1b]0;title\x07ready\n", "ready"),
        (b"tab\there\n", "tab\there"),
        (b"a bell \x07 in a sentence\n", "a bell \ufffd in a sentence"),
        (bytes(range(32)).replace(b"\n", b"") + b"\n", NO_TEXT),
        (b"\x7fELF\x02\x01\x01" + bytes(50) + b"\n", NO_TEXT),
    ],
)
def test_a_line_is_text_that_no_terminal_obeys(line: bytes, shown: str) -> None:
    assert Tail().feed(line) == [shown]


async def test_an_agent_that_prints_binary_is_explained_in_words(service: AgentService) -> None:
    said = await reason(service, r"import sys; sys.stdout.buffer.write((bytes(100) + b'\n') * 500)")
    first, *others = said.splitlines()
    assert first.endswith("it ended by itself (exit code 0) before it answered")
    assert others == [f"not the protocol: {NO_TEXT}"]


async def test_a_long_line_does_not_fill_the_conversation(service: AgentService) -> None:
    said = await reason(service, "import sys; sys.exit('x' * 100_000)")
    assert len(said) < 2 * TOLD_CHARACTERS
