"""Any bytes at all: nothing escapes, nothing hangs, what comes after them is still taken."""

from __future__ import annotations

import asyncio

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minime_agent.acp.wire.agent_side import AgentHandlers
from minime_agent.acp.wire.client_side import ClientHandlers
from minime_agent.acp.wire.connection import Connection
from minime_agent.acp.wire.methods import AGENT_METHODS, CLIENT_METHODS, Dispatch
from tests.acp.wire.samples import samples

LAST = b'{"id":"last","method":"no such method"}'
METHODS = AGENT_METHODS | CLIENT_METHODS

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "id": json_values,
        "method": st.sampled_from([*METHODS, "$/cancel_request"]) | json_values,
        "params": json_values,
        "result": json_values,
        "error": json_values,
    },
)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A right message with one value or a few bytes changed."""
    method = draw(st.sampled_from([*METHODS]))
    params = msgspec.to_builtins(draw(st.sampled_from(list(samples(METHODS[method].params)) or [{}])))
    place, key = params, draw(st.sampled_from([*params, "x"]))
    if isinstance(params.get(key), dict) and params[key] and draw(st.booleans()):
        place = params[key]
        key = draw(st.sampled_from([*place]))
    place[key] = draw(json_values)
    line = msgspec.json.encode(
        {"id": draw(st.none() | st.integers(0, 9)), "method": method, "params": params}
    )
    if draw(st.booleans()):
        at = draw(st.integers(0, len(line) - 1))
        line = line[:at] + draw(st.binary(max_size=3)) + line[at + 1 :]
    return line


class Canned:
    """A reader of these bytes, and a writer that keeps what was written."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.written: list[bytes] = []
        self.answered = asyncio.Event()

    async def read(self, n: int, /) -> bytes:
        if not self.data:
            await self.answered.wait()
        chunk, self.data = self.data[:n], self.data[n:]
        return chunk

    def write(self, data: bytes, /) -> None:
        self.written.append(data)
        if b'"last"' in data:
            self.answered.set()

    async def drain(self) -> None: ...
    def close(self) -> None: ...
    async def wait_closed(self) -> None: ...


async def feed(lines: list[bytes]) -> list[bytes]:
    """What both roles answer to these lines; fails if the last one is not answered."""
    answers: list[bytes] = []
    for dispatch in (Dispatch(AgentHandlers(), AGENT_METHODS), Dispatch(ClientHandlers(), CLIENT_METHODS)):
        canned = Canned(b"\n".join([*lines, b"", LAST, b""]))
        connection = Connection(canned, canned, on_junk=lambda _: None)
        connection.start(dispatch)
        await asyncio.wait_for(canned.answered.wait(), 10)
        await connection.wait_closed()
        await connection.close()
        answers += canned.written
    return answers


lines = st.lists(
    st.binary(max_size=60) | envelopes.map(msgspec.json.encode) | damaged(), min_size=1, max_size=20
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(lines)
def test_no_line_stops_a_connection(lines: list[bytes]) -> None:
    for answer in asyncio.run(feed(lines)):
        message = msgspec.json.decode(answer)
        assert message["jsonrpc"] == "2.0"
        assert "Internal error" not in str(message.get("error", ""))
