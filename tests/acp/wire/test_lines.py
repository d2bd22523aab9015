"""No line ends a connection: junk is reported and skipped, long lines pass, longer ones are skipped."""

from __future__ import annotations

import asyncio
import time
import tracemalloc

import pytest

from minime_agent.acp.wire.lines import HEAD, LineReader, LineTooLong
from tests.acp.wire.conftest import Pair

GOOD = b'{"jsonrpc":"2.0","method":"update","params":1}'


@pytest.mark.parametrize(
    "line",
    [
        b"Welcome to agent 3.1",
        b"42",
        b'"text"',
        b"null",
        b"[1, 2]",
        b"{}",
        b"{",
        b'{"method": 42}',
        b'{"id": {}, "method": "x"}',
        b"\xff\xfe\x00",
        b"caf\xc3",
        b"\xa9 {",
        b"[" * 100_000,
        b"1" * 5_000,
        b"Loading\xe2\x80\xa6 done: {not json}",
    ],
)
async def test_junk_is_reported_and_skipped(pair: Pair, line: bytes) -> None:
    await pair.peer.send(line, GOOD)
    await pair.handler.until(1)
    assert pair.handler.got == [("update", 1)]
    assert pair.junk == [line[:HEAD]]


async def test_empty_lines_and_carriage_returns_are_nothing(pair: Pair) -> None:
    await pair.peer.send(b"", b"\r", b"  ", GOOD + b"\r")
    await pair.handler.until(1)
    assert pair.junk == []


@pytest.mark.parametrize(
    ("line", "params"),
    [
        (b"\xef\xbb\xbf" + GOOD, 1),
        (b'{"method":"update","params":"caf\xc3"}', "caf\ufffd"),
        (b'{"method":"update","params":"\\ud83d"}', "\ufffd"),
        (b'{"method":"update","params":NaN}', None),
    ],
    ids=["BOM", "bad UTF-8", "lone surrogate", "NaN"],
)
async def test_nearly_good_lines_are_mended(pair: Pair, line: bytes, params: object) -> None:
    await pair.peer.send(line)
    await pair.handler.until(1)
    assert pair.handler.got == [("update", params)]


async def test_character_split_over_two_writes_is_whole(pair: Pair) -> None:
    line = '{"method":"update","params":"é"}\n'.encode()
    pair.peer.writer.write(line[:-4])
    await pair.peer.writer.drain()
    await asyncio.sleep(0)
    pair.peer.writer.write(line[-4:])
    await pair.handler.until(1)
    assert pair.handler.got == [("update", "é")]


async def test_last_line_without_an_end_counts(pair: Pair) -> None:
    pair.peer.writer.write(GOOD)
    pair.peer.writer.close()
    await pair.connection.wait_closed()
    assert pair.handler.got == [("update", 1)]


async def test_forty_megabytes_pass_in_linear_time(pair: Pair) -> None:
    began = time.perf_counter()
    await pair.peer.send(b'{"method":"update","params":"' + b"x" * 40_000_000 + b'"}', GOOD)
    await pair.handler.until(2)
    text = pair.handler.got[0][1]
    assert isinstance(text, str)
    assert len(text) == 40_000_000
    assert time.perf_counter() - began < 10, "bytes are copied again and again"


class Endless:
    """A stream of `total` bytes without a newline, then a good line."""

    def __init__(self, total: int) -> None:
        self.left = total

    async def read(self, n: int, /) -> bytes:
        if self.left < 0:
            return b""
        size = min(n, self.left)
        self.left -= size
        if size:
            return b"z" * size
        self.left = -1
        return b"\n" + GOOD + b"\n"


async def test_line_beyond_the_limit_is_skipped_with_bounded_memory() -> None:
    total = 300 * 1024 * 1024
    lines = LineReader(Endless(total), max_line=8 * 1024 * 1024)
    got: list[bytes | LineTooLong] = []
    tracemalloc.start()
    try:
        while (batch := await lines.read()) is not None:
            got += batch
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert isinstance(got[0], LineTooLong)
    assert (got[0].head, got[0].length) == (b"z" * HEAD, total)
    assert got[1:] == [GOOD]
    assert peak < 20 * 1024 * 1024


async def test_line_beyond_64_mib_is_reported_and_the_next_one_taken(pair: Pair) -> None:
    chunk = b"q" * (1024 * 1024)
    for _ in range(65):
        pair.peer.writer.write(chunk)
        await pair.peer.writer.drain()
    await pair.peer.send(b"", GOOD)
    await pair.handler.until(1)
    assert pair.junk == [b"q" * HEAD]
