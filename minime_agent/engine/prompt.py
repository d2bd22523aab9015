"""The system prompt: short, and the same for the whole session, as it is the start of every request."""

from __future__ import annotations

import sys
from pathlib import Path

from minime_agent.config.settings import Settings

_SYSTEMS = {"linux": "Linux", "darwin": "macOS", "win32": "Windows"}

_WITH_TOOLS = """\
You are mm, an agent that works on this computer for the person you talk to.
Working folder: {cwd}. System: {system}.
- Do the task yourself with your tools; do not tell the person what to type.
- Never state what a file holds or a command says unless a tool call in this conversation returned it.
- Change as little as the task needs, then check it: run it, or run its tests.
- When a tool refuses, read its reply and correct the call; do not repeat it.
- When you are done, say in a few sentences what you did. Use the person's language."""

_WITHOUT_TOOLS = "You are mm, a helpful assistant. Answer briefly, in the person's language."


def system_prompt(settings: Settings, cwd: Path, *, tools: bool) -> str:
    """The prompt: the settings' own or the built-in one, then what the settings append."""
    built_in = (
        _WITH_TOOLS.format(cwd=cwd, system=_SYSTEMS.get(sys.platform, sys.platform))
        if tools
        else _WITHOUT_TOOLS
    )
    parts = (settings.system_prompt or built_in, settings.system_prompt_append)
    return "\n\n".join(part.strip() for part in parts if part.strip())
