"""Every message against the protocol's schema and against the official SDK's models, in both directions."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from acp import schema as sdk
from pydantic import BaseModel, TypeAdapter

from minime_agent.acp.wire.decode import decode
from minime_agent.acp.wire.methods import AGENT_METHODS, CLIENT_METHODS
from tests.acp.wire.samples import samples

SCHEMA = Path(__file__).parents[2] / "data" / "acp" / "schema-v1.json.gz"

# Newer than the SDK: only the schema knows them.
NOT_IN_SDK = {
    "auth/status",
    "auth/status_update",
    "session/status",
    "session/set_title",
    "notice",
    "compaction_update",
    "compaction_summary_chunk",
    "subagent_update",
}
FIELDS_NOT_IN_SDK = (
    "clientCapabilities.subagents",
    "clientCapabilities.session.compaction",
    "clientCapabilities.session.notices",
    "agentCapabilities.sessionCapabilities.status",
    "agentCapabilities.sessionCapabilities.title",
    "agentCapabilities.auth.status",
    "update.name",
    "toolCall.name",
)
FORMER = {"session/set_model"}
SDK_NAMES: dict[str, Any] = {
    "session/set_config_option": sdk.SetSessionConfigOptionBooleanRequest
    | sdk.SetSessionConfigOptionSelectRequest,
    "elicitation/create": sdk.CreateFormSessionElicitationRequest | sdk.CreateUrlRequestElicitationRequest,
    "elicitation/create result": sdk.AcceptElicitationResponse
    | sdk.DeclineElicitationResponse
    | sdk.CancelElicitationResponse,
}


@cache
def definitions() -> dict[str, Any]:
    return json.loads(gzip.decompress(SCHEMA.read_bytes()))["$defs"]


def definition(method: str, answer: bool) -> str:
    """The name of what a method carries, which is the same in the schema and in the SDK."""
    ending = ("Response",) if answer else ("Request", "Notification")
    return next(
        name for name, one in definitions().items() if one.get("x-method") == method and name.endswith(ending)
    )


def cases() -> list[Any]:
    found: list[Any] = []
    for method, entry in (AGENT_METHODS | CLIENT_METHODS).items():
        for answer, kind in ((False, entry.params), (True, entry.result)):
            if kind is None or method in FORMER:
                continue
            for n, sample in enumerate(samples(kind)):
                label = f"{method}{' result' if answer else ''}-{n}"
                found.append(pytest.param(method, answer, sample, id=label))
    return found


def in_sdk(method: str, answer: bool, sample: msgspec.Struct) -> bool:
    del answer
    update = as_json(sample).get("update", {}).get("sessionUpdate")
    return not {method, update} & NOT_IN_SDK


def as_json(sample: msgspec.Struct) -> Any:
    return json.loads(msgspec.json.encode(sample))


def sdk_model(method: str, answer: bool) -> Any:
    label = f"{method} result" if answer else method
    return SDK_NAMES.get(label) or getattr(sdk, definition(method, answer))


@pytest.mark.parametrize(("method", "answer", "sample"), cases())
def test_schema_takes_what_is_sent(method: str, answer: bool, sample: msgspec.Struct) -> None:
    schema = {"$defs": definitions(), "$ref": f"#/$defs/{definition(method, answer)}"}
    jsonschema.Draft202012Validator(schema).validate(as_json(sample))


@pytest.mark.parametrize(("method", "answer", "sample"), [c for c in cases() if in_sdk(*c.values)])
def test_sdk_takes_what_is_sent_and_sends_what_is_taken(
    method: str, answer: bool, sample: msgspec.Struct
) -> None:
    sent = as_json(sample)
    for path in FIELDS_NOT_IN_SDK:
        remove(sent, path.split("."))
    model: BaseModel = TypeAdapter(sdk_model(method, answer)).validate_python(sent)
    whole = model.model_dump_json(by_alias=True)  # with null for everything that is not set
    assert missing(sent, json.loads(whole)) == []
    expected = decode(msgspec.json.encode(sent), type(sample))
    assert decode(whole.encode(), type(sample)) == expected
    assert decode(model.model_dump_json(by_alias=True, exclude_none=True).encode(), type(sample)) == expected


def remove(value: dict[str, Any], path: list[str]) -> None:
    for key in path[:-1]:
        value = value.get(key, {})
    value.pop(path[-1], None)


def missing(ours: Any, theirs: Any, place: str = "") -> list[str]:
    """Where the SDK didn't understand what was sent."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return [m for k, v in ours.items() for m in missing(v, theirs.get(k), f"{place}.{k}")]
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        return [m for n, v in enumerate(ours) for m in missing(v, theirs[n], f"{place}.{n}")]
    return [] if ours == theirs else [f"{place}: {ours!r} became {theirs!r}"]


def test_every_method_of_the_schema_is_here() -> None:
    left_out = {"providers/list", "providers/set", "providers/disable", "mcp/message"}
    left_out |= {"session/archive", "session/unarchive", "proxy/initialize", "proxy/successor"}
    left_out |= {"$/cancel_request"}  # the connection's own
    known = {one["x-method"] for one in definitions().values() if "x-method" in one}
    assert known - left_out == (set(AGENT_METHODS) | set(CLIENT_METHODS)) - FORMER
