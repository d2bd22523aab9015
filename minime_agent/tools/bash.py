"""`bash`: one command in a new shell, within a time budget.

The output goes through a file, not a pipe: a job left in the background keeps a pipe open and would hold
the turn.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from minime_agent.tools.arguments import parse
from minime_agent.tools.group import end, spawn_options
from minime_agent.tools.shell import command_line, environment
from minime_agent.tools.tool import PreparedCall, ToolResult
from minime_agent.tools.workspace import Workspace, clip
from minime_agent.ui.events import Sink, ToolRunning

BUDGET = 30.0
_LOOK = 0.1
"""Seconds between two looks at the output of a running command."""
_END = 1 << 20
"""Bytes read back from either end of the output; a flood stays on the disk."""


class _Arguments(msgspec.Struct):
    command: str


class Bash:
    """Runs shell commands; `budget` is in seconds."""

    name = "bash"
    schema: Mapping[str, Any] = {
        "type": "object",
        "properties": {"command": {"type": "string"}},
        "required": ["command"],
    }

    def __init__(self, budget: float = BUDGET) -> None:
        self._budget = budget

    @property
    def description(self) -> str:
        """What the model is told."""
        return (
            f"Run a shell command (limit {self._budget:g}s). Each call is a NEW shell in the working folder: "
            "`cd` does not carry over. No stdin: never run a command that asks. "
            "Long jobs: `nohup CMD > log 2>&1 &`."
        )

    async def prepare(self, arguments: dict[str, Any], workspace: Workspace) -> PreparedCall:
        """Takes any command; whether it may run is the person's affair."""
        command = parse(_Arguments, arguments, self.name, self.schema).command

        async def run(sink: Sink, call_id: str) -> ToolResult:
            return await self._run(command, workspace, sink, call_id)

        return PreparedCall(" ".join(command.split())[:200], "execute", run)

    async def _run(self, command: str, workspace: Workspace, sink: Sink, call_id: str) -> ToolResult:
        from tempfile import mkstemp

        descriptor, name = mkstemp(prefix="mm-bash-")
        path = Path(name)
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
            in_time = await self._watch(process, path, workspace.max_output, sink, call_id)
            return self._result(_read(path), in_time, process.returncode, workspace.max_output)
        finally:
            _remove(path)

    async def _watch(
        self, process: asyncio.subprocess.Process, path: Path, limit: int, sink: Sink, call_id: str
    ) -> bool:
        """Shows the output as it grows until the command is over; False means that its time was up."""
        ended = asyncio.ensure_future(process.wait())
        clock = asyncio.get_running_loop().time
        deadline, size = clock() + self._budget, 0
        try:
            while not ended.done() and (left := deadline - clock()) > 0:
                await asyncio.wait({ended}, timeout=min(_LOOK, left))
                if (grown := _size(path)) != size:
                    size = grown
                    await sink.emit(ToolRunning(call_id, clip(_read(path), limit)))
            return ended.done()
        finally:
            if not ended.done():
                await end(process)
                await ended

    def _result(self, output: str, in_time: bool, code: int | None, limit: int) -> ToolResult:
        text = clip(output.rstrip("\n"), limit)
        if not in_time:
            note = (
                f"[error: {self._budget:g}s timeout exceeded; the command and all it started were ended. "
                "Run long jobs in the background: nohup CMD > log 2>&1 &]"
            )
            return ToolResult(f"{text}\n{note}".lstrip("\n"), failed=True)
        if code:
            return ToolResult(f"{text}\n[exit code: {code}]".lstrip("\n"), failed=True, exit_code=code)
        return ToolResult(text or "[no output, exit code: 0]", exit_code=code)


def _read(path: Path) -> str:
    """The output so far; of a flood both ends."""
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        if size <= 2 * _END:
            return _text(file.read())
        head = file.read(_END)
        file.seek(-_END, os.SEEK_END)
        return f"{_text(head)}\n[… {size - 2 * _END} bytes left out …]\n{_text(file.read())}"


def _size(path: Path) -> int:
    return path.stat().st_size


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\0", "�")


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except PermissionError:
        # Windows: a job in the background still writes to it; it stays in the temporary folder.
        return
