"""mm's façade with a scripted engine instead of a model, run as a process by the tests.

The prompt says what the turn does, line by line: `say TEXT`, `tool NAME KIND` (says how the question was
answered), `everything`, `stall`, `fail`, `stop REASON`.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from minime_agent.acp.server import serve
from minime_agent.config.check import ConfigError
from minime_agent.engine.errors import ModelError
from minime_agent.engine.session import Outcome
from minime_agent.ui import events


class ScriptedEngine:
    """A conversation that does what the prompt says."""

    def __init__(self, cwd: Path) -> None:
        self.cwd = cwd
        self.commands = ()
        self.model = ""
        self.answering = ""
        self.thinking = "auto"

    async def models(self) -> tuple[str, ...]:
        return ("small", "large")

    async def choose_model(self, name: str) -> None:
        self.model = name

    async def choose_thinking(self, value: str) -> None:
        self.thinking = value

    async def compact(self, sink: events.Sink, instructions: str = "") -> None:
        await sink.emit(events.TextDelta(f"compacted, keeping {instructions or 'nothing in particular'}"))

    async def close(self) -> None:
        print(f"closed {self.cwd}", flush=True)

    async def prompt(self, text: str, sink: events.Sink) -> Outcome:
        stop = "end_turn"
        try:
            for line in text.splitlines():
                word, _, rest = line.partition(" ")
                match word:
                    case "say":
                        await sink.emit(events.TextDelta(rest))
                    case "tool":
                        await self._tool(*rest.split(), sink)
                    case "everything":
                        await self._everything(sink)
                    case "stall":
                        await sink.emit(events.TextDelta("stalling"))
                        await asyncio.Event().wait()
                    case "fail":
                        raise ModelError("No model server answers at http://x; start it, or set baseURL.")
                    case "stop":
                        stop = rest
                    case _:
                        await sink.emit(events.TextDelta(f"[{line}]"))
        except asyncio.CancelledError:
            print("turn stopped", flush=True)
            raise
        return Outcome(stop, "")  # type: ignore[arg-type] — whatever the test asked for

    async def _tool(self, name: str, kind: events.ToolKind, sink: events.Sink) -> None:
        call = events.ToolStart("call_0", name, f"Run {name}", kind, {"command": "ls"})
        await sink.emit(call)
        answer = await sink.allow(call)
        if answer == "allow":
            await sink.emit(events.ToolRunning(call.id, "half"))
        await sink.emit(events.ToolEnd(call.id, name, answer, answer != "allow"))
        await sink.emit(events.TextDelta(answer))

    async def _everything(self, sink: events.Sink) -> None:
        diff = events.Diff("/a.py", "old", "new")
        place = events.Location("/a.py", 3)
        for event in (
            events.PromptProgress(1, 2),
            events.ReasoningDelta("hm"),
            events.ComposingTool("edit_file", 10),
            events.ToolStart("e1", "edit_file", "Edit a.py", "edit", {"path": "/a.py"}, (place,), (diff,)),
            events.ToolEnd("e1", "edit_file", "done", failed=False, diffs=(diff,), locations=(place,)),
            events.ToolStart("b1", "bash", "ls", "execute", {"command": "ls"}),
            events.ToolRunning("b1", "one\n"),
            events.ToolEnd("b1", "bash", "one\n```\ntwo\n", failed=True, exit_code=2),
            events.PlanChanged((events.PlanEntry("look", "completed"), events.PlanEntry("act"))),
            events.UsageReport(100, 20, window=4096),
            events.Notice("The answer was cut."),
            events.TextDelta("done"),
        ):
            await sink.emit(event)


def make_session(folder: Path, recorder: object) -> ScriptedEngine:
    assert recorder is None
    if folder.name == "broken":
        raise ConfigError("agent.yaml, line 3: maxTurns must be a number")
    return ScriptedEngine(folder)


if __name__ == "__main__":
    sys.exit(asyncio.run(serve(make_session)))
