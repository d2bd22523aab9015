"""What the user set up: the configuration, its history, the programs of its agents."""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Sequence
from pathlib import Path, PurePath

from sidekicks.commands.checkup.finding import Finding
from sidekicks.commands.configuration import Configuration
from sidekicks.config.bundled import BUNDLED, resolve_command
from sidekicks.history.memory import MemoryHistory
from sidekicks.history.open import open_history
from sidekicks.models import AgentDefinition

VERSION_SECONDS = 10.0
NODE_NEEDED = 22
"""The Node.js that the present adapters of Claude and pi, and Qwen Code, ask for (2026-12)."""
_TELL_VERSIONS = frozenset(
    ["claude", "codex", "docker", "gemini", "goose", "node", "npx", "opencode", "pi", "qwen", "vibe-acp"]
)
"""Programs that are known to answer `--version` at once and do nothing else. No other is run."""
_VERSION = re.compile(r"\d+(?:\.\d+)+\S*")


def configuration(found: Configuration, *, by_default: bool) -> list[Finding]:
    """Whether the configuration is valid, and what it warns of."""
    if found.missing and by_default:
        message = f"{found.path} is made at the first start"
        return [Finding(topic="configuration", level="ok", message=message)]
    findings = [
        Finding(
            topic="configuration",
            level="warning" if problem.warning else "problem",
            message=f"{found.path}:{problem.line}:{problem.column}: {problem.message}",
            advice="" if problem.warning else "correct the file; until then no agent of it can be used",
        )
        for problem in found.found
    ]
    if not found.loaded.problems:
        findings.insert(0, Finding(topic="configuration", level="ok", message=f"{found.path} is valid"))
    return findings


async def history(folder: Path) -> Finding:
    """Whether the history in `folder` can be opened and written."""
    if not folder.exists():  # noqa: ASYNC240 (a stat)
        above = next(path for path in folder.parents if path.is_dir())
        if os.access(above, os.W_OK):
            return Finding(topic="history", level="ok", message=f"{folder} is made at the first start")
        advice = "make the folder writable, or keep the histories elsewhere with --data-dir"
        return Finding(topic="history", level="problem", message=f"{above} is not writable", advice=advice)
    opened, problem = await open_history(folder)
    await opened.close()
    if not problem:
        message = f"{folder} can be opened and written"
        return Finding(topic="history", level="ok", message=message)
    if isinstance(opened, MemoryHistory):
        advice = "close the other Sidekicks; if there is none, see the page Troubleshooting"
        return Finding(topic="history", level="warning", message=problem, advice=advice)
    return Finding(topic="history", level="warning", message=problem)


async def agents(definitions: Sequence[AgentDefinition]) -> list[Finding]:
    """Whether the program of each agent is there, and its version where that is cheap to learn."""
    if not definitions:
        advice = "add one under `agents:`; `mm` needs nothing else"
        return [Finding(topic="agents", level="warning", message="none are configured", advice=advice)]
    return list(await asyncio.gather(*(_agent(definition) for definition in definitions)))


async def _agent(definition: AgentDefinition) -> Finding:
    topic = f"agent {definition.name}"
    command = resolve_command(definition)
    if command is None:
        advice = f"install it, or change `command` of the agent {definition.name} in the configuration"
        message = f"the program {definition.command} is not found"
        return Finding(topic=topic, level="problem", message=message, advice=advice)
    if definition.command == BUNDLED:
        return Finding(topic=topic, level="ok", message="the bundled agent")
    version = await _version(command[0])
    message = f"{command[0]} {version}".rstrip()
    return Finding(topic=topic, level="ok", message=message)


async def node(definitions: Sequence[AgentDefinition]) -> list[Finding]:
    """Whether Node.js is there and new enough, when an agent comes by `npx`."""
    names = [agent.name for agent in definitions if PurePath(agent.command).stem in ("npx", "node")]
    if not names:
        return []
    users, program = ", ".join(names), shutil.which("node")
    advice = f"install Node.js {NODE_NEEDED} or newer (https://nodejs.org)"
    if program is None:
        message = f"not found, and needed by {users}"
        return [Finding(topic="Node.js", level="problem", message=message, advice=advice)]
    version = await _version(program)
    major = int(version.partition(".")[0] or 0)
    if major < NODE_NEEDED:
        message = f"{version} is older than what {users} may need"
        return [Finding(topic="Node.js", level="warning", message=message, advice=advice)]
    return [Finding(topic="Node.js", level="ok", message=version)]


async def _version(program: str) -> str:
    """What a well-known program says of its version; empty for any other."""
    if PurePath(program).stem not in _TELL_VERSIONS:
        return ""
    said = await output_of([program, "--version"], VERSION_SECONDS)
    found = _VERSION.search(said)
    return found[0] if found else ""


async def output_of(command: Sequence[str], seconds: float) -> str:
    """What a program prints on stdout; empty when it can't be run or takes too long."""
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
        )
    except OSError:
        return ""
    try:
        async with asyncio.timeout(seconds):
            out, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        return ""
    return out.decode("utf-8", "replace")
