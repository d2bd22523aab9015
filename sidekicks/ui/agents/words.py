"""How an agent's state is said: never by colour alone, always with an icon and a word."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from sidekicks.models import AgentState

STATE_ICONS: dict[AgentState, str] = {
    "stopped": "state-stopped",
    "starting": "state-starting",
    "ready": "state-ready",
    "busy": "state-busy",
    "error": "state-error",
}

STATE_TOKENS: dict[AgentState, str] = {
    "stopped": "text_secondary",
    "starting": "text_secondary",
    "ready": "success",
    "busy": "accent",
    "error": "danger",
}


def state_word(state: AgentState) -> str:
    """The state in the language of the window."""
    match state:
        case "stopped":
            return QCoreApplication.translate("AgentState", "stopped")
        case "starting":
            return QCoreApplication.translate("AgentState", "starting…")
        case "ready":
            return QCoreApplication.translate("AgentState", "ready")
        case "busy":
            return QCoreApplication.translate("AgentState", "busy")
        case "error":
            return QCoreApplication.translate("AgentState", "error")
