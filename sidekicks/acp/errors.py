"""What can go wrong with an agent, each as one sentence for the user."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from minime_agent.acp.wire.errors import AUTH_REQUIRED, RequestError, WireError
from minime_agent.acp.wire.handshake import AuthMethod


class AgentFailureError(Exception):
    """Base: the message says what happened."""


class AgentRefusedError(AgentFailureError):
    """The agent answered with an error, or with something that is no answer."""


class LoginNeededError(AgentRefusedError):
    """The agent needs the user to log in first."""


class AgentGoneError(AgentFailureError):
    """The connection ended: the agent has stopped, crashed, or closed its output."""


def refused(error: WireError, methods: Sequence[AuthMethod] = ()) -> AgentRefusedError:
    """The agent's own explanation, or how to log in when that is what it needs."""
    if not isinstance(error, RequestError):
        return AgentRefusedError(str(error))
    if error.code == AUTH_REQUIRED:
        return LoginNeededError(_login(error, methods))
    return AgentRefusedError(_explanation(error))


def _explanation(error: RequestError) -> str:
    details = error.data
    if isinstance(details, dict):
        fields = cast("dict[str, object]", details)
        details = fields.get("details") or fields.get("message") or fields.get("error")
    if isinstance(details, str) and details and details not in error.message:
        return f"{error.message}: {details}"
    return error.message or f"error {error.code}"


def _login(error: RequestError, methods: Sequence[AuthMethod]) -> str:
    ways = "; ".join(
        f"{method.name} ({method.description})" if method.description else method.name for method in methods
    )
    how = f" Ways to do it: {ways}." if ways else ""
    return f"it needs you to log in first ({_explanation(error)}).{how}"
