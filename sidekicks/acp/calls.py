"""Calls to an agent: what goes wrong becomes a sentence, and whether it wants a login is noticed."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TypeVar

from minime_agent.acp.wire.errors import ConnectionClosedError, WireError
from sidekicks.acp.errors import AgentGoneError, LoginNeededError, refused
from sidekicks.acp.login import Logins

T = TypeVar("T")


class Calls:
    """What awaits the answers of one agent. `on_login` is told why a login is needed, or "" that none is."""

    def __init__(self, on_login: Callable[[str], None]) -> None:
        self.logins = Logins()
        self._on_login = on_login

    async def __call__(self, call: Awaitable[T], *, needs_login: bool = False) -> T:
        """The answer of a call; one that `needs_login` shows by succeeding that nobody has to log in.

        Raises:
            AgentGoneError, AgentRefusedError: there is none, with a sentence.
        """
        try:
            answer = await call
        except ConnectionClosedError as error:
            raise AgentGoneError(str(error)) from error
        except WireError as error:
            refusal = refused(error, self.logins.methods)
            if isinstance(refusal, LoginNeededError):
                self._on_login(str(refusal))
            raise refusal from error
        if needs_login:
            self._on_login("")
        return answer

    def login_needed(self) -> None:
        """The agent says by itself that nobody is logged in."""
        self._on_login("it needs you to log in first")

    def logged_in(self) -> None:
        """The agent says by itself that somebody is."""
        self._on_login("")
