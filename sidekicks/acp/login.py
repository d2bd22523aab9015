"""The ways to log in to an agent, as the handshake named them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

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


class _NamedCommand(msgspec.Struct, frozen=True):
    """`terminal-auth` in the `_meta` of a way to log in: a program that is not the agent's own.

    The convention of agents that are older than the `terminal` type: OpenCode's way in.
    """

    command: str
    args: tuple[str, ...] = ()
    env: dict[str, str] = {}


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
                terminal=_needs_terminal(method),
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
        if terminal and not _needs_terminal(found):
            raise AgentRefusedError(
                f"{short(found.name, MAX_NAME)} needs no terminal: the agent does it by itself"
            )
        if not terminal and _needs_terminal(found):
            raise AgentRefusedError(f"{short(found.name, MAX_NAME)} talks with you in a terminal")
        return found

    def command(
        self, method_id: str, command: Sequence[str], environment: Mapping[str, str], cwd: str
    ) -> LoginCommand:
        """What logs in: the agent's own `command` with what the way adds to it, or a program that it names.

        Raises:
            AgentRefusedError: there is no such way, or it needs no terminal.
        """
        method = self.method(method_id, terminal=True)
        named = _named_command(method)
        if named is not None:
            return LoginCommand(argv=(named.command, *named.args), env={**environment, **named.env}, cwd=cwd)
        return LoginCommand(
            argv=(*command, *(method.args or ())), env={**environment, **(method.env or {})}, cwd=cwd
        )


def _needs_terminal(method: AuthMethod) -> bool:
    return method.type == "terminal" or _named_command(method) is not None


def _named_command(method: AuthMethod) -> _NamedCommand | None:
    named = (method.meta or {}).get("terminal-auth") if method.type != "terminal" else None
    try:
        return msgspec.convert(named, _NamedCommand) if named is not None else None
    except msgspec.ValidationError:
        return None


def logins_of(methods: Sequence[AuthMethod], *, logout: bool) -> Logins:
    """Those that are kept; a way whose id is not worth keeping is none."""
    usable = (method for method in methods if method.id and len(method.id) <= MAX_DESCRIPTION)
    kept = tuple(method for method, _ in zip(usable, range(MAX_METHODS), strict=False))
    return Logins(methods=kept, logout=logout)
