"""The ways to log in to an agent, as the handshake named them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minime_agent.acp.wire.handshake import AuthMethod
from sidekicks.acp.errors import AgentRefusedError
from sidekicks.acp.text import short
from sidekicks.models import LoginMethod, Model

MAX_METHODS = 50
"""Ways to log in that are kept."""
MAX_NAME = 200
"""Characters of a name."""
MAX_DESCRIPTION = 1_000
"""Characters of a description."""


class LoginCommand(Model, frozen=True):
    """What to run in a terminal of the user's: exit code 0 means that the login succeeded.

    `env` is the whole environment; `cwd` is absolute.
    """

    argv: tuple[str, ...]
    env: dict[str, str]
    cwd: str


class Logins(Model, frozen=True):
    """What an agent offers; empty when it offers nothing."""

    methods: tuple[AuthMethod, ...] = ()
    logout: bool = False

    def shown(self) -> tuple[LoginMethod, ...]:
        """The ways, for the user to choose from."""
        return tuple(
            LoginMethod(
                id=method.id,
                name=short(method.name, MAX_NAME),
                description=short(method.description or "", MAX_DESCRIPTION),
                terminal=method.type == "terminal",
            )
            for method in self.methods
        )

    def method(self, method_id: str, *, terminal: bool) -> AuthMethod:
        """One of the ways.

        Raises:
            AgentRefusedError: there is no such way, or it is of the other type.
        """
        found = next((method for method in self.methods if method.id == method_id), None)
        if found is None:
            ways = ", ".join(short(method.id, MAX_NAME) for method in self.methods) or "none"
            raise AgentRefusedError(
                f"it has no way to log in named {short(method_id, MAX_NAME)} (it has: {ways})"
            )
        if terminal and found.type != "terminal":
            raise AgentRefusedError(
                f"{short(found.name, MAX_NAME)} needs no terminal: the agent does it by itself"
            )
        if not terminal and found.type == "terminal":
            raise AgentRefusedError(f"{short(found.name, MAX_NAME)} talks with you in a terminal")
        return found

    def command(
        self, method_id: str, command: Sequence[str], environment: Mapping[str, str], cwd: str
    ) -> LoginCommand:
        """What logs in: the agent's own `command` with what the way adds to it.

        Raises:
            AgentRefusedError: there is no such way, or it needs no terminal.
        """
        method = self.method(method_id, terminal=True)
        return LoginCommand(
            argv=(*command, *(method.args or ())), env={**environment, **(method.env or {})}, cwd=cwd
        )


def logins_of(methods: Sequence[AuthMethod], *, logout: bool) -> Logins:
    """Those that are kept; a way whose id is not worth keeping is none."""
    usable = (method for method in methods if method.id and len(method.id) <= MAX_DESCRIPTION)
    kept = tuple(method for method, _ in zip(usable, range(MAX_METHODS), strict=False))
    return Logins(methods=kept, logout=logout)
