"""Agents that many people use: what to write into the configuration file for each. As of December 2026."""

from __future__ import annotations

import shutil
from collections.abc import Callable

import msgspec

from sidekicks.models import Model


class KnownAgent(Model, frozen=True):
    """An agent's entry. `installed`: its program was found here; `package` is the npm package of it."""

    name: str
    title: str
    command: str
    args: tuple[str, ...] = ()
    package: str = ""
    start_timeout: str = ""
    installed: bool = False

    def entry(self) -> str:
        """Its lines in the configuration file, without indentation."""
        command, args, timeout = self.command, self.args, self.start_timeout
        if not self.installed and self.package:
            # Nothing has to be installed, but the first start downloads the agent.
            command, args, timeout = "npx", ("-y", self.package, *self.args), "2m"
        lines = [f"- name: {self.name}", f"  title: {self.title}", f"  command: {command}"]
        if args:
            lines.append(f"  args: [{', '.join(map(_quoted, args))}]")
        if timeout:
            lines.append(f"  startTimeout: {timeout}")
        return "\n".join(lines)


KNOWN = (
    KnownAgent(name="mm", title="Mini Me", command="mm", args=("--acp",), installed=True),
    KnownAgent(
        name="claude",
        title="Claude",
        command="claude-agent-acp",
        package="@agentclientprotocol/claude-agent-acp",
        start_timeout="1m",
    ),
    KnownAgent(
        name="codex",
        title="Codex",
        command="codex-acp",
        package="@agentclientprotocol/codex-acp",
        start_timeout="1m",
    ),
    KnownAgent(
        name="gemini",
        title="Gemini",
        command="gemini",
        args=("--acp",),
        package="@google/gemini-cli",
        start_timeout="1m",
    ),
    KnownAgent(name="opencode", title="OpenCode", command="opencode", args=("acp",), package="opencode-ai"),
    KnownAgent(name="pi", title="pi", command="pi-acp", package="pi-acp"),
    KnownAgent(
        name="qwen",
        title="Qwen",
        command="qwen",
        args=("--acp",),
        package="@qwen-code/qwen-code",
        start_timeout="1m",
    ),
    KnownAgent(name="vibe", title="Vibe", command="vibe-acp"),
)
"""Mini Me first, then by name."""


def known_agents(which: Callable[[str], str | None] = shutil.which) -> tuple[KnownAgent, ...]:
    """All of them, those that are installed here first; `which` finds a program on PATH."""
    found = [
        msgspec.structs.replace(agent, installed=agent.installed or which(agent.command) is not None)
        for agent in KNOWN
    ]
    return tuple(sorted(found, key=lambda agent: not agent.installed))


def _quoted(argument: str) -> str:
    """An argument as it can stand in a YAML list on one line."""
    return f'"{argument}"' if argument.startswith(("@", "-y")) else argument
