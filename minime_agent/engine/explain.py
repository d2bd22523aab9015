"""Every failure of a model server in one sentence that says what to do."""

from __future__ import annotations

import re
from typing import Any, cast

import msgspec

from minime_agent.config.check import did_you_mean
from minime_agent.engine.errors import (
    ContextOverflowError,
    ModelError,
    Retry,
    ServerGoneError,
    UnreadableAnswerError,
)
from minime_agent.engine.providers import Endpoint

_OVERFLOW = re.compile(
    r"exceed_context_size|context (?:length|size|window)|maximum context|n_ctx|too many tokens"
    r"|prompt is too long",
    re.IGNORECASE,
)
_UNLOADED = re.compile(r"no models? (?:is |are )?loaded|model (?:is |was )?unloaded", re.IGNORECASE)
_UNREADABLE = re.compile(r"peg-native|peg-constructed|failed to parse (?:input|tool)", re.IGNORECASE)
_WINDOW = re.compile(
    r"context (?:length|size|window)(?: is| of|:)?(?: only)? \(?(\d{3,8})"
    r"|available context size \((\d{3,8})|n_ctx[:=] *(\d{3,8})",
    re.IGNORECASE,
)
_NAME_ERRORS = ("name or service", "nodename nor", "getaddrinfo", "name resolution", "no address associated")
_LISTED = 12


def unreachable(endpoint: Endpoint, error: Exception) -> ModelError:
    """Nobody answers at the address."""
    text = str(error).lower()
    host = re.sub(r"^\w+://([^/:]+).*", r"\1", endpoint.base_url)
    if any(part in text for part in _NAME_ERRORS):
        return ModelError(f"the host name {host} is not known: check --base-url and the network")
    if "certificate" in text or "ssl" in text:
        return ModelError(f"no secure connection to {endpoint.base_url}: {error}; check --base-url")
    return ServerGoneError(
        f"no model server answers at {endpoint.base_url} ({endpoint.provider.name}): "
        f"{endpoint.provider.start}"
    )


def broken(endpoint: Endpoint) -> ModelError:
    """The connection ended in the middle of an answer."""
    return ServerGoneError(
        f"the server at {endpoint.base_url} ended the answer in the middle; look at its log, then ask again",
        retry="unshown",
    )


def stalled(seconds: float, *, first: bool) -> ModelError:
    """Nothing came for too long."""
    setting = "firstTokenTimeout" if first else "watchdogTimeout"
    when = "began no answer within" if first else "sent nothing more for"
    return ModelError(
        f"stalled: the model {when} {seconds:g} s; "
        f"ask again, or raise {setting} in the settings for a slow model"
    )


def refused(endpoint: Endpoint, status: int, body: bytes) -> ModelError:
    """The server answered with an HTTP error."""
    message, details = _server_message(body)
    where = endpoint.base_url
    if status in (401, 403):
        hint = "is wrong or not allowed" if endpoint.api_key else "is missing"
        return ModelError(
            f"{where} answered {status}: the API key {hint}; set MM_API_KEY (or OPENAI_API_KEY)",
            status=status,
        )
    if status in (400, 413, 500) and _OVERFLOW.search(f"{message} {details.get('type', '')}"):
        return _overflow(message, details, status)
    if status == 500 and _UNREADABLE.search(message):
        return UnreadableAnswerError(
            f"the server at {where} could not read what the model wrote ({message})", status=status
        )
    if "jinja" in message.lower():
        return ModelError(
            "llama-server must be started with --jinja to use tools: add it to its command", status=status
        )
    if status in (400, 404) and _UNLOADED.search(message):
        return no_model(endpoint)
    if status == 404:
        return _not_found(endpoint, message)
    if status == 503 and "load" in message.lower():
        return ModelError(
            f"the server at {where} is still loading the model: wait a moment", status=503, retry="loading"
        )
    retry: Retry = "soon" if status in (429, 502, 503, 504) else "no"
    said = f": {message}" if message else ""
    advice = "look at the server's log" if status >= 500 else "check the settings"
    if status == 429:
        advice = "wait, then ask again"
    parameter = str(details.get("param") or "")
    return ModelError(
        f"{where} answered {status}{said}; {advice}", status=status, retry=retry, parameter=parameter
    )


def in_stream(endpoint: Endpoint, error: object) -> ModelError:
    """The server reported an error inside the stream."""
    details = cast("dict[str, Any]", error) if isinstance(error, dict) else {"message": str(error)}
    message = str(details.get("message") or details)
    if _OVERFLOW.search(f"{message} {details.get('type', '')}"):
        return _overflow(message, details, None)
    if _UNREADABLE.search(message):
        return UnreadableAnswerError(
            f"the server at {endpoint.base_url} could not read what the model wrote ({message})"
        )
    if _UNLOADED.search(message):
        return no_model(endpoint)
    if "unexpected endpoint" in message.lower():
        # LM Studio answers so, with 200, at an address without /v1.
        return not_a_model_server(endpoint)
    return ModelError(
        f"the server at {endpoint.base_url} broke off the answer: {message}; look at its log", retry="once"
    )


def no_model(endpoint: Endpoint) -> ModelError:
    """The server lists no model, or has none in memory."""
    load = endpoint.provider.load
    how = f"load one with `{load} {endpoint.model or 'MODEL'}`" if load else "load one"
    return ServerGoneError(
        f"the server at {endpoint.base_url} ({endpoint.provider.name}) has no model: "
        f"{how}, or name one with --model"
    )


def not_a_model_server(endpoint: Endpoint) -> ModelError:
    """Something answers, but not with the API."""
    return ModelError(
        f"{endpoint.base_url} does not answer like a model server: the address usually ends in /v1, "
        "check --base-url"
    )


def _not_found(endpoint: Endpoint, message: str) -> ModelError:
    model, load = endpoint.model, endpoint.provider.load
    fetch = f", or fetch it with `{load} {model}`" if load else ""
    if endpoint.models and model not in endpoint.models:
        names = ", ".join(endpoint.models[:_LISTED]) + (", …" if len(endpoint.models) > _LISTED else "")
        return ServerGoneError(
            f"{endpoint.base_url} has no model {model!r}{did_you_mean(model, endpoint.models)}; "
            f"it has: {names}. Choose one with --model{fetch}",
            status=404,
        )
    if "model" in message.lower():
        return ServerGoneError(
            f"{endpoint.base_url} has no model {model!r} ({message}); name another with --model{fetch}",
            status=404,
        )
    return ModelError(
        f"{endpoint.base_url} answered 404: the address usually ends in /v1, check --base-url", status=404
    )


def _overflow(message: str, details: dict[str, Any], status: int | None) -> ContextOverflowError:
    needed, window = details.get("n_prompt_tokens"), _window_in(message, details)
    size = f" ({needed} tokens, window {window})" if needed and window else f" ({message})"
    return ContextOverflowError(
        f"the conversation is larger than the model's context window{size}: start a new session, "
        "or serve the model with a larger window (llama-server -c N)",
        status=status,
        window=window,
    )


def _window_in(message: str, details: dict[str, Any]) -> int:
    """The window that a refusal names: llama.cpp in a field, vLLM, OpenAI and LM Studio in words."""
    if isinstance(told := details.get("n_ctx"), int):
        return told
    found = _WINDOW.search(message)
    return int(next(number for number in found.groups() if number)) if found else 0


def _server_message(body: bytes) -> tuple[str, dict[str, Any]]:
    """The server's own words, in one line, and the error's fields."""
    try:
        decoded = msgspec.json.decode(body)
    except msgspec.DecodeError:
        text = re.sub(r"<[^>]+>|\s+", " ", body.decode("utf-8", "replace"))
        return " ".join(text.split())[:200], {}
    error: object = decoded
    if isinstance(decoded, dict):
        fields = cast("dict[str, Any]", decoded)
        error = fields.get("error") or fields.get("detail") or fields
    if isinstance(error, dict):
        details = cast("dict[str, Any]", error)
        return " ".join(str(details.get("message") or details).split())[:300], details
    return " ".join(str(error).split())[:300], {}
