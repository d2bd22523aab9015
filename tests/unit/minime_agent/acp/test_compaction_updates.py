"""How a client is told that room was made in the context window."""

from __future__ import annotations

import itertools
from typing import Any, cast

import pytest

from minime_agent.acp.permission import Permissions
from minime_agent.acp.sink import TurnSink
from minime_agent.acp.wire import updates
from minime_agent.acp.wire.agent_side import RemoteClient
from minime_agent.acp.wire.content import TextContent
from minime_agent.ui.events import CompactionEnd, CompactionStart, Event

SUMMARISING = CompactionStart("threshold", 6000, 8000, summarising=True)
SUMMARISED = CompactionEnd("threshold", 6000, 2000, summary="Goal: x", first_kept=4)
FAILED = CompactionEnd("threshold", 6000, 6000, error="the model gave an empty summary")
MASKING = CompactionStart("threshold", 6000, 8000, summarising=False)
MASKED = CompactionEnd("threshold", 6000, 2000, masked=("1", "2"))


class Client:
    def __init__(self) -> None:
        self.told: list[updates.SessionUpdate] = []

    async def session_update(self, _session: str, update: updates.SessionUpdate) -> None:
        self.told.append(update)


async def told(*events: Event, understood: bool) -> list[Any]:
    client = Client()
    sink = TurnSink(
        cast("RemoteClient", client),
        "s",
        Permissions(),
        itertools.count(1),
        notices=understood,
        compactions=understood,
    )
    for event in events:
        await sink.emit(event)
    return client.told


async def test_a_client_that_knows_compactions_is_told_in_its_words() -> None:
    started, ended, again, failed = await told(SUMMARISING, SUMMARISED, SUMMARISING, FAILED, understood=True)
    assert (started.status, ended.status, failed.status) == ("in_progress", "completed", "failed")
    assert started.compaction_id == ended.compaction_id != again.compaction_id == failed.compaction_id
    assert ended.summary == (TextContent("Goal: x"),)
    assert failed.error == "no summary was made: the model gave an empty summary"


@pytest.mark.parametrize("understood", [True, False])
async def test_outputs_that_are_left_out_are_one_notice(understood: bool) -> None:
    [notice] = await told(MASKING, MASKED, understood=understood)
    text = notice.title if understood else notice.content.text
    assert text.strip() == "2 old tool outputs left out; 6000 tokens are now 2000"


async def test_any_other_client_reads_it_among_the_thoughts() -> None:
    started, ended = await told(SUMMARISING, SUMMARISED, understood=False)
    assert isinstance(started, updates.AgentThoughtChunk)
    assert "the conversation takes 6000 of 8000 tokens: summarising" in started.content.text
    assert "older turns summarised; 6000 tokens are now 2000" in ended.content.text
