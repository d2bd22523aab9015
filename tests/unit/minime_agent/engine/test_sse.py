from __future__ import annotations

import pytest

from minime_agent.engine.sse import EventReader, ServerEvent

BODY = (
    'data: {"a": "é🎉"}\r\n\r\n: comment\ndata: one\ndata: two\n\n'
    "id: 7\rdata:x\r\revent: error\ndata: bad\n\n"
).encode()
EVENTS = [
    ServerEvent('{"a": "é🎉"}'),
    ServerEvent("one\ntwo"),
    ServerEvent("x"),
    ServerEvent("bad", error=True),
]


@pytest.mark.parametrize("size", range(1, len(BODY) + 1))
def test_pieces_of_every_size(size: int) -> None:
    reader = EventReader()
    events = [event for at in range(0, len(BODY), size) for event in reader.feed(BODY[at : at + size])]
    assert events + reader.end() == EVENTS


def test_last_event_without_an_empty_line() -> None:
    reader = EventReader()
    assert reader.feed(b"data: [DONE]") == []
    assert reader.end() == [ServerEvent("[DONE]")]


def test_bare_error_line_of_llama_cpp() -> None:
    assert EventReader().feed(b'error: {"message": "x"}\n\n') == [ServerEvent('{"message": "x"}', error=True)]


def test_byte_order_mark() -> None:
    assert EventReader().feed(b"\xef\xbb\xbfdata: x\n\n") == [ServerEvent("x")]
