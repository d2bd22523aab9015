"""One coding task as a scripted model does it, read, test, edit, test; the same through every façade."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, TypeAlias

from tests.scripted_model import Call, Reply, ScriptedModel, Text

QUESTION = "The check fails. Mend it."
ANSWER = "The sum began at one; the check passes now."
COMMAND = f'"{sys.executable}" check.py'

_EDIT = {"old": "total = 1", "new": "total = 0"}
REPLIES: list[Reply] = [
    [Text("I look at it."), Call("read_file", {"path": "sums.py"})],
    [Call("bash", {"command": COMMAND})],
    [Call("edit_file", {"path": "sums.py", "edits": [_EDIT]})],
    [Call("bash", {"command": COMMAND})],
    [Text(ANSWER)],
]
_READ = (
    "1\tdef total_of(numbers):\n2\t    total = 1\n3\t    for number in numbers:\n"
    "4\t        total += number\n5\t    return total"
)
_CHANGED = (
    "[sums.py: 1 edit]\n 1 def total_of(numbers):\n-2     total = 1\n+2     total = 0\n"
    " 3     for number in numbers:\n 4         total += number"
)

Said: TypeAlias = tuple[str, Any]
TRANSCRIPT: list[Said] = [
    ("user", QUESTION),
    ("assistant", "I look at it."),
    ("call", ("read_file", {"path": "sums.py"})),
    ("tool", _READ),
    ("call", ("bash", {"command": COMMAND})),
    ("tool", "expected 6, got 7\n[exit code: 1]"),
    ("call", ("edit_file", {"path": "sums.py", "edits": [_EDIT]})),
    ("tool", _CHANGED),
    ("call", ("bash", {"command": COMMAND})),
    ("tool", "ok"),
    ("assistant", ANSWER),
]
"""What is said and done, whichever façade is in between."""


def lay_out(folder: Path) -> None:
    """Writes the project that is broken."""
    (folder / "sums.py").write_text(
        "def total_of(numbers):\n    total = 1\n    for number in numbers:\n        total += number\n"
        "    return total\n"
    )
    (folder / "check.py").write_text(
        "import sys\nfrom sums import total_of\n\ngot = total_of([1, 2, 3])\n"
        "if got != 6:\n    sys.exit(f'expected 6, got {got}')\nprint('ok')\n"
    )


def is_mended(folder: Path) -> bool:
    """Whether the task is done: the file is as it should be, and nothing was left beside it."""
    names = {path.name for path in folder.iterdir() if path.suffix == ".py" or path.name.startswith(".mm-")}
    return "total = 0" in (folder / "sums.py").read_text() and names == {"sums.py", "check.py"}


def transcript(server: ScriptedModel) -> list[Said]:
    """What the newest request says was said and done before, and the answer that followed it."""
    said: list[Said] = []
    for message in server.chats[-1]["messages"]:
        if message["role"] == "system":
            continue
        if message.get("content"):
            said.append((message["role"], message["content"]))
        for call in message.get("tool_calls", ()):
            function = call["function"]
            said.append(("call", (function["name"], json.loads(function["arguments"]))))
    return said
