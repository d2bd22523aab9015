"""What a connection promises: order, back-pressure, cancellation both ways, and an orderly end."""

from __future__ import annotations

import asyncio

import msgspec
import pytest

from minime_agent.acp.wire.connection import MAX_REQUESTS
from minime_agent.acp.wire.errors import ConnectionClosedError, InvalidResponseError, RequestError
from tests.acp.wire.conftest import Pair


class Answer(msgspec.Struct):
    value: int = 0


def note(method: str, value: object = None) -> dict[str, object]:
    return {"jsonrpc": "2.0", "method": method, "params": value}


def ask(number: object, method: str, value: object = None) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": value}


async def start_request(pair: Pair, method: str = "ask") -> tuple[asyncio.Task[Answer], object]:
    """A request that is on its way, and the id it has on the line."""
    task = asyncio.create_task(pair.connection.request(method, {"a": 1}, Answer))
    message = await pair.peer.receive()
    assert message["method"] == method
    return task, message["id"]


async def test_request_is_answered(pair: Pair) -> None:
    task, number = await start_request(pair)
    await pair.peer.send({"jsonrpc": "2.0", "id": number, "result": {"value": 7, "more": True}})
    assert (await task).value == 7
    assert [way for way, _ in pair.log] == ["out", "in"]


async def test_error_answer_is_raised_with_code_and_data(pair: Pair) -> None:
    task, number = await start_request(pair)
    await pair.peer.send({"id": number, "error": {"code": -32000, "message": "log in", "data": [1]}})
    with pytest.raises(RequestError, match="log in") as caught:
        await task
    assert (caught.value.code, caught.value.data) == (-32000, [1])


async def test_null_result_is_an_empty_one(pair: Pair) -> None:
    task, number = await start_request(pair)
    await pair.peer.send({"jsonrpc": "2.0", "id": number, "result": None})
    assert (await task).value == 0


async def test_answer_of_another_shape_is_an_error_that_says_so(pair: Pair) -> None:
    task, number = await start_request(pair)
    await pair.peer.send({"jsonrpc": "2.0", "id": number, "result": "soon"})
    with pytest.raises(InvalidResponseError, match="answered ask with something else"):
        await task


async def test_peer_is_answered(pair: Pair) -> None:
    await pair.peer.send(ask("a", "hello", [1]), ask(0, "hello", None))
    assert await pair.peer.receive() == {"id": "a", "result": {"echo": [1]}, "jsonrpc": "2.0"}
    assert (await pair.peer.receive())["id"] == 0


async def test_waiting_request_does_not_block_what_comes_after_it(pair: Pair) -> None:
    gate = pair.handler.gates["permission"] = asyncio.Event()
    await pair.peer.send(ask(1, "permission"), note("update", 1), ask(2, "quick"))
    assert (await pair.peer.receive())["id"] == 2
    gate.set()
    assert (await pair.peer.receive())["id"] == 1
    assert [method for method, _ in pair.handler.got] == ["permission", "update", "quick"]


async def test_answer_never_overtakes_the_updates_before_it(pair: Pair) -> None:
    task, number = await start_request(pair, "prompt")
    gate = pair.handler.gates["update"] = asyncio.Event()
    await pair.peer.send(
        note("update", 1), note("update", 2), {"id": number, "result": {}}, note("update", 3)
    )
    await pair.handler.until(1)
    assert not task.done()
    seen_at_the_end: list[int] = []
    task.add_done_callback(lambda _: seen_at_the_end.append(len(pair.handler.got)))
    gate.set()
    await task
    await pair.handler.until(3)
    assert seen_at_the_end[0] in (2, 3)
    assert [value for _, value in pair.handler.got] == [1, 2, 3]


async def test_who_asked_goes_on_before_what_came_after_the_answer(pair: Pair) -> None:
    order: list[str] = []

    async def new_session() -> None:
        await pair.connection.request("new", {}, Answer)
        order.append(f"answered, {len(pair.handler.got)} updates")

    task = asyncio.create_task(new_session())
    number = (await pair.peer.receive())["id"]
    await pair.peer.send({"id": number, "result": {}}, note("update"))
    await task
    assert order == ["answered, 0 updates"]


async def test_slow_handler_stops_the_peer(pair: Pair) -> None:
    gate = pair.handler.gates["update"] = asyncio.Event()
    line = msgspec.json.encode(note("update", "x" * 1000))
    sent = 0

    async def flood() -> None:
        nonlocal sent
        for _ in range(6_000):
            await pair.peer.send(line)
            sent += len(line)

    flooding = asyncio.create_task(flood())
    await pair.handler.until(1)
    done, _ = await asyncio.wait([flooding], timeout=0.3)
    assert not done
    assert sent < 3_000_000, "6 MB were taken though nothing was handled"
    gate.set()
    await flooding
    await pair.handler.until(6_000)


async def test_peer_that_does_not_read_stops_us(pair: Pair) -> None:
    sent = 0

    async def flood() -> None:
        nonlocal sent
        for _ in range(6_000):
            await pair.connection.notify("update", "x" * 1000)
            sent += 1000

    flooding = asyncio.create_task(flood())
    done, _ = await asyncio.wait([flooding], timeout=0.3)
    assert not done
    assert sent < 3_000_000
    for _ in range(6_000):
        await pair.peer.receive()
    await flooding


async def test_many_writers_never_interleave(pair: Pair) -> None:
    async def write(writer: int) -> None:
        for turn in range(20):
            await pair.connection.notify("update", {"writer": writer, "turn": turn, "text": "y" * 50_000})

    writers = [asyncio.create_task(write(n)) for n in range(10)]
    turns: dict[object, list[object]] = {}
    for _ in range(200):
        params = (await pair.peer.receive())["params"]
        assert isinstance(params, dict)
        turns.setdefault(params["writer"], []).append(params["turn"])
    assert turns == {n: list(range(20)) for n in range(10)}
    await asyncio.gather(*writers)


async def test_cancelling_the_caller_withdraws_the_request(pair: Pair) -> None:
    task, number = await start_request(pair)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await pair.peer.receive() == {
        "method": "$/cancel_request",
        "params": {"requestId": number},
        "jsonrpc": "2.0",
    }
    await pair.peer.send({"id": number, "error": {"code": -32800, "message": "Cancelled"}}, note("after"))
    await pair.handler.until(1)
    assert pair.junk == []


async def test_timeout_of_the_caller_withdraws_the_request(pair: Pair) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await pair.connection.request("ask", None, Answer)
    assert (await pair.peer.receive())["method"] == "ask"
    assert (await pair.peer.receive())["method"] == "$/cancel_request"


async def test_peer_withdraws_its_request(pair: Pair) -> None:
    pair.handler.gates["permission"] = asyncio.Event()
    await pair.peer.send(ask(5, "permission"), note("$/cancel_request", {"requestId": 5}))
    answer = await pair.peer.receive()
    assert answer["id"] == 5
    assert isinstance(answer["error"], dict)
    assert answer["error"]["code"] == -32800
    assert pair.handler.cancelled == ["permission"]


async def test_answers_nobody_waits_for_are_reported(pair: Pair) -> None:
    task, number = await start_request(pair)
    await pair.peer.send(
        {"id": 99, "result": {}},
        {"id": "x", "result": {}},
        {"id": None, "error": {"code": -32700, "message": "what?"}},
        {"id": number, "result": {"value": 1}},
        {"id": number, "result": {"value": 2}},
        note("after"),
    )
    assert (await task).value == 1
    await pair.handler.until(1)
    assert len(pair.junk) == 4


async def test_failing_handler_is_an_internal_error_and_nothing_more(
    pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(method: str, params: msgspec.Raw) -> object:
        raise KeyError(method)

    pair.handler.request = fail
    pair.handler.notification = fail  # type: ignore[assignment] — it never returns
    await pair.peer.send(note("one"), ask(1, "two"))
    answer = await pair.peer.receive()
    assert answer["error"] == {"code": -32603, "message": "Internal error: KeyError: 'two'"}
    assert [r.getMessage() for r in caplog.records] == ["handling one failed", "answering two failed"]


async def test_requests_without_end_are_refused(pair: Pair) -> None:
    gate = pair.handler.gates["wait"] = asyncio.Event()
    await pair.peer.send(*(ask(n, "wait") for n in range(MAX_REQUESTS + 2)))
    for n in (MAX_REQUESTS, MAX_REQUESTS + 1):
        answer = await pair.peer.receive()
        assert answer["id"] == n
        assert "error" in answer
    gate.set()
    for _ in range(MAX_REQUESTS):
        assert "result" in await pair.peer.receive()


async def test_waiting_for_an_answer_inside_a_notification_is_refused(
    pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    async def handle(method: str, params: msgspec.Raw) -> None:
        await pair.connection.request("ask", None, Answer)

    pair.handler.notification = handle
    await pair.peer.send(note("one"), ask(1, "two"))
    assert (await pair.peer.receive())["id"] == 1
    assert "can't wait for an answer" in str(caplog.records[0].exc_info)


async def test_end_of_the_peer_ends_everything(pair: Pair) -> None:
    task, _ = await start_request(pair)
    pair.handler.gates["wait"] = asyncio.Event()
    await pair.peer.send(ask(1, "wait"))
    await pair.handler.until(1)
    pair.peer.writer.close()
    assert await pair.connection.wait_closed() == "the peer closed the connection"
    with pytest.raises(ConnectionClosedError, match="the peer closed the connection before it answered"):
        await task
    with pytest.raises(ConnectionClosedError, match="the peer closed"):
        await pair.connection.notify("late")
    await pair.connection.close()
    assert pair.handler.cancelled == ["wait"]


async def test_close_with_everything_pending(pair: Pair) -> None:
    task, _ = await start_request(pair)
    pair.handler.gates["wait"] = asyncio.Event()
    await pair.peer.send(ask(1, "wait"), note("wait"))
    await pair.handler.until(2)
    await pair.connection.close()
    with pytest.raises(ConnectionClosedError, match="was closed"):
        await task
    assert pair.handler.cancelled.count("wait") == 2
    assert await pair.peer.reader.readline() == b""
    await pair.connection.close()


async def test_handler_whose_own_work_was_cancelled_still_answers(
    pair: Pair, caplog: pytest.LogCaptureFixture
) -> None:
    async def wait_for_cancelled_work(method: str, params: msgspec.Raw) -> object:
        work = asyncio.get_running_loop().create_future()
        work.cancel()
        return await work

    pair.handler.request = wait_for_cancelled_work
    pair.handler.notification = wait_for_cancelled_work  # type: ignore[assignment] — it never returns
    await pair.peer.send(note("one"), ask(1, "two"))
    answer = await pair.peer.receive()
    assert answer["error"] == {"code": -32800, "message": "Cancelled"}
    assert [record.getMessage() for record in caplog.records] == ["handling one was cancelled"]


async def test_handler_may_close_the_connection(pair: Pair) -> None:
    closed = asyncio.Event()

    async def close(method: str, params: msgspec.Raw) -> object:
        await pair.connection.close()
        closed.set()
        return None

    pair.handler.request = close
    await pair.peer.send(ask(1, "quit"))
    await asyncio.wait_for(closed.wait(), 10)
    assert await pair.peer.reader.readline() == b""


async def test_close_while_the_peer_does_not_read(pair: Pair) -> None:
    async def flood() -> None:
        while True:
            await pair.connection.notify("update", "x" * 100_000)

    flooding = asyncio.create_task(flood())
    await asyncio.wait([flooding], timeout=0.1)
    await asyncio.wait_for(pair.connection.close(), 5)
    with pytest.raises(ConnectionClosedError):
        await flooding


async def test_text_that_utf8_cannot_hold_is_sent_with_replacements(pair: Pair) -> None:
    await pair.connection.notify("update", Answer.__name__ + "\udcff \U0001f600")
    assert (await pair.peer.receive())["params"] == "Answer\ufffd \U0001f600"
