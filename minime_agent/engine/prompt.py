"""The system prompt: short, and the same for the whole session, as it is the start of every request."""

from __future__ import annotations

import sys
from pathlib import Path

from minime_agent.config.settings import Settings
from minime_agent.context.files import Context

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


def system_prompt(settings: Settings, cwd: Path, context: Context, *, tools: bool) -> str:
    """The prompt: the settings' own, the user's or the built-in one; what is appended; context files."""
    built_in = (
        _WITH_TOOLS.format(cwd=cwd, system=_SYSTEMS.get(sys.platform, sys.platform))
        if tools
        else _WITHOUT_TOOLS
    )
    parts = (
        settings.system_prompt or context.system or built_in,
        context.append,
        settings.system_prompt_append,
        context.text,
    )
    return "\n\n".join(part.strip() for part in parts if part.strip())
