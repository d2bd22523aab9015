"""Model servers on this machine, and the bundled model. Nothing else is asked, and nothing is told."""

from __future__ import annotations

import asyncio
import http.client
from collections.abc import Iterable

import msgspec

from sidekicks.commands.checkup.finding import Finding
from sidekicks.commands.checkup.setup import output_of
from sidekicks.config.bundled import bundled_agent
from sidekicks.models import Model

SECONDS = 1.5
"""How long a server on this machine may take to say which models it has."""
LARGEST = 4_000_000
"""Bytes of an answer that are read."""
SHOWN = 4
"""Models of a server that are named."""
MODEL_SECONDS = 30.0


class Place(Model, frozen=True):
    """Where a kind of server usually listens on this machine."""

    name: str
    port: int
    path: str = "/v1/models"


USUAL = (
    Place(name="llama.cpp", port=8080),
    Place(name="LM Studio", port=1234),
    Place(name="Ollama", port=11434),
    Place(name="vLLM", port=8000),
    Place(name="Docker Model Runner", port=12434, path="/engines/v1/models"),
)


class _Named(msgspec.Struct):
    id: str


class _Models(msgspec.Struct):
    data: tuple[_Named, ...]


async def models(places: Iterable[Place] = USUAL) -> list[Finding]:
    """The model servers that answer on this machine, and whether `mm` has a model of its own."""
    asking = asyncio.gather(*(asyncio.to_thread(_server, place) for place in places))
    own = await _own()
    found = [server for server in await asking if server is not None]
    if not found:
        found = [Finding(topic="model servers", level="ok", message="none on this machine")]
        if own.level != "ok":
            advice = "start Ollama, LM Studio or llama.cpp, or `mm model install smollm2`"
            own = msgspec.structs.replace(own, level="problem", advice=advice)
    return [*found, own]


def _server(place: Place) -> Finding | None:
    """What answers at the place as a model server does; None when nothing does."""
    connection = http.client.HTTPConnection("127.0.0.1", place.port, timeout=SECONDS)
    try:
        connection.request("GET", place.path)
        answer = connection.getresponse()
        listed = msgspec.json.decode(answer.read(LARGEST), type=_Models)
    except (OSError, http.client.HTTPException, msgspec.MsgspecError):
        return None
    finally:
        connection.close()
    names = [model.id for model in listed.data]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    has = f"{', '.join(names[:SHOWN])}{more}" if names else "no model"
    topic = "model servers"
    where = f"{place.name}'s port {place.port} answers: {has}"
    if names:
        return Finding(topic=topic, level="ok", message=where)
    return Finding(topic=topic, level="warning", message=where, advice="load a model there")


async def _own() -> Finding:
    """Whether `mm` has a model that needs no server."""
    said = await output_of([*bundled_agent(), "model", "list"], MODEL_SECONDS)
    chosen = next((line[2:].split()[0] for line in said.splitlines() if line.startswith("* ")), "")
    if chosen:
        return Finding(topic="own model", level="ok", message=chosen)
    advice = "`mm model install smollm2` fetches a small one (93 MB)"
    return Finding(topic="own model", level="warning", message="none is installed", advice=advice)
