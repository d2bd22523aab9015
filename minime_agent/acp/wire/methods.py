"""The methods of the protocol: names, what they carry, and how they reach a handler's method."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, cast

import msgspec

from minime_agent.acp.wire import handshake, options, services, sessions, tools, updates
from minime_agent.acp.wire.base import Empty, Params
from minime_agent.acp.wire.decode import DECODE_ERRORS, decode, decoder
from minime_agent.acp.wire.errors import RequestError


class Method(msgspec.Struct, frozen=True):
    """One method: the name of the handler's method, what it takes, what it answers (None: a notification)."""

    attribute: str
    params: type[Params]
    result: type[Any] | None


AGENT_METHODS: dict[str, Method] = {
    "initialize": Method("initialize", handshake.InitializeRequest, handshake.InitializeResponse),
    "authenticate": Method("authenticate", handshake.AuthenticateRequest, Empty),
    "logout": Method("logout", handshake.LogoutRequest, Empty),
    "auth/status": Method("auth_status", handshake.AuthStatusRequest, handshake.AuthStatus),
    "session/new": Method("new_session", sessions.NewSessionRequest, sessions.NewSessionResponse),
    "session/load": Method("load_session", sessions.LoadSessionRequest, sessions.SessionState),
    "session/resume": Method("resume_session", sessions.ResumeSessionRequest, sessions.SessionState),
    "session/fork": Method("fork_session", sessions.ForkSessionRequest, sessions.NewSessionResponse),
    "session/list": Method("list_sessions", sessions.ListSessionsRequest, sessions.ListSessionsResponse),
    "session/close": Method("close_session", sessions.SessionRequest, Empty),
    "session/delete": Method("delete_session", sessions.SessionRequest, Empty),
    "session/status": Method("session_status", sessions.SessionRequest, sessions.SessionStatus),
    "session/set_title": Method(
        "set_title", sessions.SetSessionTitleRequest, sessions.SetSessionTitleResponse
    ),
    "session/prompt": Method("prompt", sessions.PromptRequest, sessions.PromptResponse),
    "session/cancel": Method("cancel", sessions.SessionRequest, None),
    "session/set_mode": Method("set_mode", options.SetSessionModeRequest, Empty),
    "session/set_model": Method("set_model", options.SetSessionModelRequest, Empty),
    "session/set_config_option": Method(
        "set_config_option", options.SetSessionConfigOptionRequest, options.SetSessionConfigOptionResponse
    ),
}
"""What a client asks of an agent."""

CLIENT_METHODS: dict[str, Method] = {
    "session/update": Method("session_update", updates.SessionNotification, None),
    "session/request_permission": Method(
        "request_permission", tools.RequestPermissionRequest, tools.RequestPermissionResponse
    ),
    "fs/read_text_file": Method(
        "read_text_file", services.ReadTextFileRequest, services.ReadTextFileResponse
    ),
    "fs/write_text_file": Method("write_text_file", services.WriteTextFileRequest, Empty),
    "terminal/create": Method(
        "create_terminal", services.CreateTerminalRequest, services.CreateTerminalResponse
    ),
    "terminal/output": Method("terminal_output", services.TerminalRequest, services.TerminalOutputResponse),
    "terminal/wait_for_exit": Method(
        "wait_for_terminal_exit", services.TerminalRequest, services.TerminalExitStatus
    ),
    "terminal/kill": Method("kill_terminal", services.TerminalRequest, Empty),
    "terminal/release": Method("release_terminal", services.TerminalRequest, Empty),
    "elicitation/create": Method(
        "create_elicitation", services.CreateElicitationRequest, services.CreateElicitationResponse
    ),
    "elicitation/complete": Method("complete_elicitation", services.CompleteElicitationNotification, None),
    "auth/status_update": Method("auth_status_update", handshake.AuthStatus, None),
}
"""What an agent asks of, or tells, its client."""


class ExtensionHandlers:
    """What comes in under a name that the protocol doesn't list. `params` are bytes of JSON."""

    async def extension_request(self, method: str, params: msgspec.Raw) -> object:
        """Answers a request nobody listed; unless overridden: method not found."""
        del params
        raise RequestError.method_not_found(method)

    async def extension_notification(self, method: str, params: msgspec.Raw) -> None:
        """Takes a notification nobody listed; unless overridden: ignored."""


class Dispatch:
    """Decodes what comes in and calls the method of `handlers` that the table names."""

    def __init__(self, handlers: ExtensionHandlers, methods: dict[str, Method]) -> None:
        self._handlers = handlers
        self._requests = _targets(handlers, methods, notifications=False)
        self._notifications = _targets(handlers, methods, notifications=True)

    async def request(self, method: str, params: msgspec.Raw) -> object:
        """The result, or a RequestError."""
        if (target := self._requests.get(method)) is None:
            return await self._handlers.extension_request(method, params)
        return await target.call(target.take(params))

    async def notification(self, method: str, params: msgspec.Raw) -> None:
        """Takes it; a RequestError if its params make no sense."""
        if (target := self._notifications.get(method)) is None:
            await self._handlers.extension_notification(method, params)
        else:
            await target.call(target.take(params))


class _Target:
    """A handler's method, and how to make what it takes."""

    def __init__(self, method: Method, call: Callable[[Params], Awaitable[object]]) -> None:
        self.call = call
        self._kind = method.params
        self._decode: Callable[[msgspec.Raw], Params] = self._first

    def _first(self, params: msgspec.Raw) -> Params:
        # Made when needed: all decoders together cost 5 ms of an agent's start.
        self._decode = cast("Callable[[msgspec.Raw], Params]", decoder(self._kind).decode)
        return self._decode(params)

    def take(self, params: msgspec.Raw) -> Params:
        try:
            return self._decode(params)
        except DECODE_ERRORS:
            pass
        try:
            return decode(b"{}" if bytes(params) == b"null" else params, self._kind)
        except DECODE_ERRORS as error:
            raise RequestError.invalid_params(str(error)) from error


def _targets(handlers: object, methods: dict[str, Method], *, notifications: bool) -> dict[str, _Target]:
    return {
        name: _Target(method, getattr(handlers, method.attribute))
        for name, method in methods.items()
        if (method.result is None) is notifications
    }
