"""What is hidden in logs, and what is not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from sidekicks.acp.secrets import Masker, secrets_of

SECRET = 'pa"ss\\wo/rd&é'
MASK = Masker([("PASSPHRASE", SECRET), ("API_KEY", "k3y!"), ("MODEL", "opus-4.5"), ("DEBUG", "1")])


def test_a_secret_is_hidden_in_every_spelling() -> None:
    once = msgspec.json.encode(SECRET).decode()
    twice = msgspec.json.encode({"inner": once}).decode()
    for text in (SECRET, once, twice, f"https://example.org/?q={'pa%22ss%5Cwo%2Frd%26%C3%A9'}"):
        masked = MASK(f"before {text} after")
        assert "pa" not in masked, masked
        assert "[PASSPHRASE]" in masked
    assert MASK("the k3y! of opus-4.5") == "the [API_KEY] of [MODEL]"


@pytest.mark.parametrize(
    "value",
    [
        "",
        "1",
        "true",
        "debug",
        "production",
        "8080",
        "10.0.0.1:80",
        "http://127.0.0.1:80/v1",
        str(Path.home()),
    ],
)
def test_what_is_trivial_stays(value: str) -> None:
    text = f"a {value} b"
    assert Masker([("MODE", value)])(text) == text


@pytest.mark.parametrize(
    ("text", "gone"),
    [
        ("Authorization: Bearer abc.def-123", "abc.def-123"),
        ("https://ada:hunter2@example.org/x", "hunter2"),
        ("https://example.org/x?a=1&access_token=abc123&b=2", "abc123"),
        ("wss://x/#api_key=zzz", "zzz"),
        ("key sk-ant-api03-aaaaaaaaaaaaaaaaaaaa is wrong", "aaaaaaaaaaaaaaaaaaaa"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijk"),
    ],
)
def test_what_looks_like_a_secret_is_hidden(text: str, gone: str) -> None:
    assert gone not in MASK(text)
    assert "[hidden]" in MASK(text)


@pytest.mark.parametrize(
    "text",
    [
        "basic types",
        "https://example.org/a?b=c",
        "a skeleton in sk-learn",
        "skip_validation_of_all_2",
        "me@example.org",
        "x = key",
    ],
)
def test_plain_text_stays(text: str) -> None:
    assert MASK(text) == text


def test_fields_of_a_message() -> None:
    def masked(value: Any) -> Any:
        return MASK.message(value)

    assert masked({"apiKey": "x", "Authorization": "y", "totalTokens": 7, "title": "the token"}) == {
        "apiKey": "[hidden]", "Authorization": "[hidden]", "totalTokens": 7, "title": "the token"
    }  # fmt: skip
    headers = [{"name": "X-Api-Key", "value": "v"}, {"name": "Accept", "value": "text/html"}]
    assert masked(headers) == [{"name": "X-Api-Key", "value": "[hidden]"}, headers[1]]
    deep = {"a": [{"b": f"say {SECRET}"}, None, 1.5, True]}
    assert masked(deep) == {"a": [{"b": "say [PASSPHRASE]"}, None, 1.5, True]}


@pytest.mark.parametrize(
    "said",
    [
        {"text": SECRET}, {"text": json.dumps({"inner": SECRET})}, {"apiKey": "x"}, {"Authorization": "y"},
        {"headers": [{"name": "Cookie", "value": "c=d"}]}, {"url": "https://ada:hunter2@example.org"},
        {"text": "sk-ant-api03-aaaaaaaaaaaaaaaaaaaa"}, {"my-pat": "x"},
        {"env": [{"name": "DB_PASS", "value": "x"}]},
    ],
)  # fmt: skip
def test_a_message_that_is_taken_to_be_clean_has_no_secret(said: object) -> None:
    assert not MASK.is_clean(json.dumps(said))
    assert not MASK.is_clean(json.dumps(said).replace("/", "\\/"))
    assert not MASK.is_clean("".join(f"\\u{ord(letter):04x}" for letter in json.dumps(said)))
    assert MASK.is_clean(json.dumps({"method": "session/update", "text": "some words: a\nb"}))


def test_where_secrets_come_from() -> None:
    servers = [
        {"name": "s", "command": "c", "env": [{"name": "TOKEN_A", "value": "aaaa1111"}]},
        {"name": "h", "headers": [{"name": "Authorization", "value": "Bearer bbbb2222"}]},
        {"name": "odd", "env": "no list", "headers": [1, {"name": 1}]},
    ]
    found = dict(
        secrets_of({"OWN": "cccc3333"}, servers, {"OPENAI_API_KEY": "dddd4444", "HOME": "/home/ada"})
    )
    assert found["OWN"] == "cccc3333"
    assert found["TOKEN_A"] == "aaaa1111"
    assert found["OPENAI_API_KEY"] == "dddd4444"
    assert "HOME" not in found
    assert Masker(secrets_of({}, servers, {}))("bbbb2222") == "[Authorization]"
