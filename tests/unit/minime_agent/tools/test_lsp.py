from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest

from minime_agent.config.check import convert
from minime_agent.config.settings import LanguageServer
from minime_agent.skills.discover import Skills
from minime_agent.tools.lsp import Lsp, installed
from minime_agent.tools.toolbox import select
from minime_agent.tools.workspace import Workspace
from tests.recording_sink import RecordingSink
from tests.unit.minime_agent.tools.conftest import Use

NONE = Skills({})

SCRIPTS = Path(sys.executable).parent
SCRIPTED = Path(__file__).parents[3] / "scripted_language_server.py"

GREET = '''import os


def greet(name: str) -> str:
    """Say hello."""
    return "é🎉 " + name


class Greeter:
    def times(self) -> int:
        return "x"
'''
MAIN = 'from greet import greet\n\ntext = "🎉🎉"; print(greet(text))\n'
Make = Callable[..., Lsp]


@pytest.fixture
async def make() -> AsyncIterator[Make]:
    """Makes the tool for a command; afterwards no process of it is left."""
    tools: list[Lsp] = []
    before = {child.pid for child in psutil.Process().children(recursive=True)}

    def for_command(*command: str, answer: float = 20.0) -> Lsp:
        tools.append(Lsp(installed({"python": LanguageServer(command)}), answer=answer))
        return tools[-1]

    yield for_command
    for tool in tools:
        await tool.close()
    assert {child.pid for child in psutil.Process().children(recursive=True)} <= before


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "greet.py").write_text(GREET, "utf-8")
    (tmp_path / "main.py").write_text(
        'from greet import greet\n\ntext = "🎉🎉"; print(greet(text))\n', "utf-8"
    )
    return tmp_path


@pytest.fixture
def pyright(make: Make) -> Lsp:
    return make(str(SCRIPTS / "basedpyright-langserver"), "--stdio")


@pytest.mark.usefixtures("project")
async def test_what_a_server_knows(use: Use, pyright: Lsp) -> None:
    """One server answers all: starting it takes a second."""
    definition = await use(pyright, action="definition", path="main.py", line=3, symbol="greet")
    assert definition.output == "greet.py:4: def greet(name: str) -> str:"
    references = await use(pyright, action="references", path="greet.py", line=4, symbol="greet()")
    assert references.output.splitlines() == [
        "greet.py:4: def greet(name: str) -> str:",
        "main.py:1: from greet import greet",
        'main.py:3: text = "🎉🎉"; print(greet(text))',
    ]
    hover = await use(pyright, action="hover", path="main.py", line=3, symbol="greet")
    assert "(function) def greet(name: str) -> str" in hover.output
    assert "Say hello." in hover.output
    symbols = await use(pyright, action="symbols", path="greet.py")
    assert "4: function greet" in symbols.output
    assert "9: class Greeter\n  10: method times" in symbols.output
    diagnostics = await use(pyright, action="diagnostics", path="greet.py")
    assert diagnostics.output.startswith("greet.py:11: error: ")
    assert '"os" is not accessed [reportUnusedImport]' in diagnostics.output


async def test_changes_on_the_disk_are_seen(use: Use, pyright: Lsp, project: Path) -> None:
    await use(pyright, action="diagnostics", path="main.py")
    (project / "greet.py").write_text("def greeting(name: int) -> None: ...\n")
    said = (await use(pyright, action="diagnostics", path="main.py")).output
    assert 'main.py:1: error: "greet" is unknown import symbol' in said
    (project / "main.py").write_text("from greet import greeting\n\ngreeting(3)\n")
    assert (
        await use(pyright, action="diagnostics", path="main.py")
    ).output == "[no errors or warnings in main.py]"
    (project / "greet.py").unlink()
    assert "could not be resolved" in (await use(pyright, action="diagnostics", path="main.py")).output


@pytest.mark.usefixtures("project")
async def test_a_server_that_only_finds_errors(use: Use, make: Make) -> None:
    ruff = make(str(SCRIPTS / "ruff"), "server")
    said = (await use(ruff, action="diagnostics", path="greet.py")).output
    assert said.startswith("greet.py:1: warning: `os` imported but unused")
    refused = await use(ruff, action="definition", path="main.py", symbol="greet")
    assert refused.output == "[error: ruff can't do definition. Use grep or read_file instead]"


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("definition", "main.py", None, "gret"), "'gret' is not in the file; near it: greet]"),
        (("hover", "main.py", 3, ""), "name the symbol in line 3; there are text, print, greet]"),
        (("hover", "main.py", 99, ""), "name the symbol in line 99]"),
        (("hover", "nine.py", 1, "x"), "there is no nine.py; . holds: greet.py, main.py, page.htm]"),
        (("hover", ".", 1, "x"), ". is a folder; name a file]"),
        (
            ("rename", "main.py", 1, "x"),
            "expected {action: definition|references|hover|diagnostics|symbols, ",
        ),
        (("symbols", "page.htm", None, ""), "is configured for page.htm; there are some for .py, .pyi."),
    ],
)
async def test_failures_say_what_to_do(
    use: Use, make: Make, project: Path, arguments: tuple[str, str, int | None, str], said: str
) -> None:
    (project / "page.htm").touch()
    action, path, line, symbol = arguments
    scripted = make(sys.executable, str(SCRIPTED), "well")
    result = await use(scripted, action=action, path=path, line=line, symbol=symbol)
    assert result.failed
    assert said in result.output


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("dies", "ended: OutOfCheese: +++. Use grep or read_file instead]"),
        ("junk", "ended: not a message of the protocol"),
        ("shouts", "a length of 99999999999 bytes"),
        ("errs", "no such file open"),
        ("odd", "answered textDocument/hover in a form that is not understood"),
        ("hangs", "did not answer textDocument/hover within 0.2s"),
        ("stubborn", "did not answer textDocument/hover within 0.2s"),
    ],
)
async def test_a_server_that_misbehaves(use: Use, make: Make, how: str, said: str) -> None:
    tool = make(sys.executable, str(SCRIPTED), how, answer=0.2 if how in ("hangs", "stubborn") else 20)
    result = await use(tool, action="hover", path="main.py", line=3, symbol="greet")
    assert result.failed
    assert said in result.output


@pytest.mark.usefixtures("project")
async def test_a_server_that_always_dies_is_not_started_for_ever(use: Use, make: Make) -> None:
    tool = make(sys.executable, str(SCRIPTED), "dies")
    said = [(await use(tool, action="hover", path="main.py", symbol="greet")).output for _ in range(4)]
    assert "ended 3 times and is not started again" in said[-1]


@pytest.mark.usefixtures("project")
async def test_what_a_server_asks_is_answered(use: Use, make: Make) -> None:
    tool = make(sys.executable, str(SCRIPTED), "asks")
    answers = json.loads((await use(tool, action="hover", path="main.py", symbol="greet")).output)
    assert answers[:2] == [[None, None], None]
    assert answers[2]["message"] == "no window/showDocument here"


@pytest.mark.usefixtures("project")
async def test_a_cancelled_question_leaves_nothing(workspace: Workspace, make: Make) -> None:
    tool = make(sys.executable, str(SCRIPTED), "hangs", answer=60)
    call = await tool.prepare({"action": "hover", "path": "main.py", "symbol": "greet"}, workspace)
    task = asyncio.ensure_future(call.run(RecordingSink(), "1"))
    await asyncio.wait({task}, timeout=0.3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_it_is_declared_only_where_a_server_is_there() -> None:
    missing = convert({"lsp": {"python": {"command": "no-such-server"}}})
    assert "lsp" not in select(missing, NONE).names
    assert select(convert({"tools": ["lsp"]}), NONE).names == []
    python = {"command": [sys.executable, "-c", "pass"]}
    there = convert({"lsp": {"python": python, "zig": {"command": "zls"}}})
    tool = select(there, NONE).get("lsp")
    assert tool is not None
    assert "language server (python)" in tool.description
