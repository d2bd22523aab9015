"""`bash`: one command in a new shell, within a time budget.

The output goes through a file, not a pipe: a job left in the background keeps a pipe open and would hold
the turn. What of it the model reads is the affair of `output`.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias

import msgspec

from minime_agent.guardian import Guardian
from minime_agent.processes import end, spawn_options
from minime_agent.tools.arguments import parse
from minime_agent.tools.output import Output
from minime_agent.tools.shell import command_line, environment
from minime_agent.tools.tool import PreparedCall, ToolFailure, ToolResult
from minime_agent.tools.workspace import Workspace
from minime_agent.ui.events import Sink, ToolRunning

BUDGET = 30.0
LONGEST = 600.0
"""Seconds that a call may ask for; what takes longer belongs into the background."""
FLOOD = 256 << 20
"""Bytes of output at which a command is ended: `yes` fills gigabytes of disk within the budget."""
_LOOK = 0.1
"""Seconds between two looks at the output of a running command."""

Ending: TypeAlias = Literal["ended", "late", "flood"]


class _Arguments(msgspec.Struct):
    command: str
    timeout: float | None = None


class Bash:
    """Runs shell commands; `budget` is in seconds, for calls that name none; `flood` in bytes."""

    name = "bash"
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"command": {"type": "string"}, "timeout": {"type": "number"}},
        "required": ["command"],
    }

    def __init__(self, budget: float = BUDGET, flood: int = FLOOD) -> None:
        self._budget = budget
        self._flood = flood
        self._guardian = Guardian()

    @property
    def description(self) -> str:
        """What the model is told."""
        return (
            f"Run a shell command (timeout {self._budget:g}s, at most {LONGEST:g}). Each call is a NEW "
            "shell in the working folder: `cd` does not carry over. No stdin: never run a command that asks. "
            "Long jobs: `nohup CMD > log 2>&1 &`."
        )

    async def close(self) -> None:
        """Lets go of what ends a command if mm is killed; each call ends its own command."""
        self._guardian.close()

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Takes any command; whether it may run is the person's affair."""
        wanted = parse(_Arguments, arguments, self.name, self.schema)
        if not wanted.command.strip():
            raise ToolFailure("[error: the command is empty; nothing was run]")
        asked = self._budget if wanted.timeout is None else wanted.timeout
        budget = min(asked, LONGEST) if asked > 0 else self._budget

        async def run(sink: Sink, call_id: str) -> ToolResult:
            return await self._run(wanted.command, budget, workspace, sink, call_id)

        return PreparedCall(" ".join(wanted.command.split())[:200], "execute", run)

    async def _run(
        self, command: str, budget: float, workspace: Workspace, sink: Sink, call_id: str
    ) -> ToolResult:
        from tempfile import mkstemp

        descriptor, name = mkstemp(prefix="mm-bash-")
        output = Output(Path(name))
        try:
            try:
                process = await asyncio.create_subprocess_exec(
                    *command_line(command),
                    cwd=workspace.cwd,
                    env=environment(os.environ),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=descriptor,
                    stderr=descriptor,
                    **spawn_options(),
                )
            except (OSError, ValueError) as error:
                return ToolResult(f"[error: the command could not be started: {error}]", failed=True)
            finally:
                os.close(descriptor)

            async def show() -> None:
                await sink.emit(ToolRunning(call_id, output.so_far(workspace.max_output)))

            self._guardian.watch(process.pid)
            try:
                ending = await self._watch(process, output, budget, show)
            finally:
                self._guardian.forget(process.pid)
            text = output.whole(workspace.max_output)
            return self._result(text, ending, process.returncode, budget)
        finally:
            output.remove()

    async def _watch(
        self,
        process: asyncio.subprocess.Process,
        output: Output,
        budget: float,
        show: Callable[[], Awaitable[None]],
    ) -> Ending:
        """Shows the output as it grows until the command is over, its time is up, or it floods the disk."""
        ended = asyncio.ensure_future(process.wait())
        clock = asyncio.get_running_loop().time
        deadline, size = clock() + budget, 0
        try:
            while not ended.done() and (left := deadline - clock()) > 0:
                await asyncio.wait({ended}, timeout=min(_LOOK, left))
                if (grown := output.size) > self._flood:
                    return "flood"
                if grown != size:
                    size = grown
                    await show()
            return "ended" if ended.done() else "late"
        finally:
            if not ended.done():
                await end(process)
                await ended

    def _result(self, text: str, ending: Ending, code: int | None, budget: float) -> ToolResult:
        match ending:
            case "late":
                note = (
                    f"[error: {budget:g}s timeout exceeded; the command and all it started were ended. "
                    f"Give it more time (timeout, at most {LONGEST:g}), or run it in the background: "
                    "nohup CMD > log 2>&1 &]"
                )
            case "flood":
                note = (
                    f"[error: more than {self._flood >> 20} MiB of output; the command was ended. "
                    "Write less, or into a file]"
                )
            case "ended" if code:
                note = f"[exit code: {code}]"
                return ToolResult(f"{text}\n{note}".lstrip("\n"), failed=True, exit_code=code)
            case "ended":
                return ToolResult(text or "[no output, exit code: 0]", exit_code=code)
        return ToolResult(f"{text}\n{note}".lstrip("\n"), failed=True)
