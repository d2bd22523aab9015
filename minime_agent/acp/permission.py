"""Which tool calls run without a question: by mode, and by what was always allowed to a tool in a session."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from minime_agent.acp.wire.options import SessionMode, SessionModeState
from minime_agent.acp.wire.tools import PermissionOption

Verdict: TypeAlias = Literal["allow", "reject", "ask"]

ASK: Final = "ask"
READ_ONLY: Final = "read-only"
FREE: Final = "free"

MODES: Final = (
    SessionMode(ASK, "Ask", "Reads freely, asks before it changes files or runs commands"),
    SessionMode(READ_ONLY, "Read only", "Reads, changes nothing, runs no commands"),
    SessionMode(FREE, "Free", "Asks nothing"),
)

OPTIONS: Final = (
    PermissionOption("allow-once", "Allow", "allow_once"),
    PermissionOption("allow-always", "Always allow in this session", "allow_always"),
    PermissionOption("reject-once", "Reject", "reject_once"),
)

_HARMLESS: Final = frozenset({"read", "search", "think"})


class Permissions:
    """What a session may do without asking."""

    def __init__(self) -> None:
        self.mode: str = ASK
        self._always: set[str] = set()

    def state(self) -> SessionModeState:
        """The modes, as the client shows them."""
        return SessionModeState(self.mode, MODES)

    def verdict(self, tool: str, kind: str) -> Verdict:
        """Whether a call of this tool runs, is refused, or is for the person to decide."""
        if kind in _HARMLESS or self.mode == FREE:
            return "allow"
        if self.mode == READ_ONLY:
            return "reject"
        return "allow" if tool in self._always else "ask"

    def remember(self, tool: str) -> None:
        """Every further call of this tool runs without a question."""
        self._always.add(tool)
