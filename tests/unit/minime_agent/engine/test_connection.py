"""Finding the model: by name, by address, or by looking at what runs."""

from __future__ import annotations

import pytest

from minime_agent.config.check import convert
from minime_agent.engine.connection import Connection
from minime_agent.engine.errors import ModelError
from minime_agent.engine.providers import Provider, chosen
from tests.scripted_model import ScriptedModel


async def silent(_sentence: str) -> None:
    pass


def at(url: str, name: str) -> Provider:
    return Provider(name, (url,), "start it")


async def test_auto_takes_the_first_in_the_order_that_has_a_model() -> None:
    async with (
        ScriptedModel([], models=()) as empty,
        ScriptedModel([], models=("a",)) as first,
        ScriptedModel([], models=("b",)) as second,
    ):
        local = [
            at("http://127.0.0.1:9/v1", "none"),
            at(empty.url, "empty"),
            at(first.url, "1"),
            at(second.url, "2"),
        ]
        connection = Connection(convert({}), local)
        client = await connection.open(silent)
        assert (client.endpoint.provider.name, client.endpoint.model) == ("1", "a")
        await connection.close()


async def test_a_server_that_comes_later_is_found_by_the_next_prompt() -> None:
    server = ScriptedModel([])
    async with server:
        url = server.url
    connection = Connection(convert({"baseURL": url}))
    with pytest.raises(ModelError, match="no model server answers at"):
        await connection.open(silent)
    async with server:
        client = await connection.open(silent)
        assert client.endpoint.model == "scripted"
        await connection.close()


async def test_fallback_address() -> None:
    async with ScriptedModel([]) as server:
        docker = Provider("dmr", ("http://127.0.0.1:9/v1", server.url), "start it")
        connection = Connection(convert({"provider": "dmr"}), [docker])
        assert (await connection.open(silent)).endpoint.base_url == server.url
        await connection.close()


@pytest.mark.parametrize("in_container", [True, False])
async def test_auto_looks_around_a_container_and_no_farther_elsewhere(in_container: bool) -> None:
    async with ScriptedModel([]) as server:
        docker = Provider("dmr", ("http://127.0.0.1:9/v1", server.url), "start it")
        connection = Connection(convert({"model": "none.gguf"}), [docker], in_container=in_container)
        if in_container:
            assert (await connection.open(silent)).endpoint.base_url == server.url
        else:
            with pytest.raises(ModelError, match="No model server runs on this computer"):
                await connection.open(silent)
            assert server.requests == []
        await connection.close()


async def test_key_goes_along() -> None:
    async with ScriptedModel([], api_key="secret") as server:
        connection = Connection(convert({"baseURL": server.url, "apiKey": "secret"}))
        await connection.open(silent)
        await connection.close()
        assert server.requests[0].headers["authorization"] == "Bearer secret"


async def test_window_is_asked_once_a_turn() -> None:
    async with ScriptedModel([], window=0) as server:
        connection = Connection(convert({"baseURL": server.url}))
        await connection.open(silent)
        assert [await connection.window() for _ in range(3)] == [0, 0, 0]
        assert [request.path for request in server.requests].count("/props") == 1
        server.window = 4096
        await connection.open(silent)
        assert await connection.window() == 4096
        await connection.close()


@pytest.mark.parametrize(
    ("settings", "extras"),
    [
        ({"baseURL": "https://x/v1"}, False),
        ({"baseURL": "http://x/v1"}, True),
        ({"provider": "openai"}, False),
    ],
)
def test_llama_cpps_fields_go_to_local_servers_alone(settings: dict[str, str], extras: bool) -> None:
    provider = chosen(convert(settings))
    assert provider is not None
    assert provider.local_extras is extras


async def test_wrong_address_is_said() -> None:
    with pytest.raises(ModelError, match="--base-url looks like"):
        await Connection(convert({"baseURL": "localhost:8080"})).open(silent)


async def test_unknown_host_is_said() -> None:
    with pytest.raises(ModelError, match=r"no-such-host\.invalid"):
        await Connection(convert({"baseURL": "http://no-such-host.invalid/v1"})).open(silent)
