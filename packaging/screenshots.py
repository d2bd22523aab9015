"""Pictures of the window for the documents: the real window on an X server of its own, somebody typing.

`window.png`: the first start; the embedded model answers. `permission.png`: mm asks before it changes a file.
`parts.png` and `markdown.png`: what it thought, ran and changed, and what it said. `settings.png`,
`search.png` and `agents.png`: the other pages. The tests' scripted server plays its model in all but the
first. With `--all` each scene is made in every look, to be looked at.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

ROOT = Path(__file__).parent.parent
if TYPE_CHECKING:
    from sidekicks.app import Front
    from sidekicks.core import Core
    from sidekicks.ui.conversation.view import ConversationView
    from sidekicks.ui.shutdown import Shutdown
    from tests.scripted_model import ScriptedModel

Scene = Callable[["Front", "Core"], Awaitable[None]]
CONFIG = """
theme: {theme}
language: {language}
agents:
  - name: mm
    title: Mini Me
    icon: 🤖
    description: The bundled agent for local models
    command: mm
    args: [--acp, --no-session]
    cwd: {folder}
    env: {{{environment}}}
    permissions: {permissions}
"""
ANOTHER = """  - name: vibe
    title: Vibe
    icon: 🐱
    description: An agent that lacks its key
    command: {python}
    args: [-c, "import sys; sys.exit('no API key: set MISTRAL_API_KEY')"]
"""
QUESTION = "Why does the parser drop the last row? Please mend it."
PARSER = """def rows_of(table):
    rows = table.split("\\n")
    for i in range(len(rows) - 1):
        yield rows[i].split(",")
"""
EDIT = {
    "path": "parser.py",
    "edits": [
        {
            "old": '    for i in range(len(rows) - 1):\n        yield rows[i].split(",")',
            "new": '    for row in rows:\n        yield row.split(",")',
        }
    ],
}
ANSWER = """The loop stops one short: `range(len(rows) - 1)` never reaches the last row, so a table without a
line end at its end loses it.

1. Walk the rows themselves, not their numbers.
2. Nothing else depends on the index.
"""

TEST = "printf 'collected 3 items\\n\\ntest_rows.py ..F\\n\\nFAILED test_rows.py::test_last_row\\n'; exit 1"
STEPS = [
    {"content": "See what fails", "status": "completed"},
    {"content": "Mend the loop, without changing what the callers get", "status": "in_progress"},
    {"content": "Run the tests again", "status": "pending"},
]
REPORT = """## What was wrong

The loop in [`parser.py`](https://example.org/parser.py) stopped one short, so a table without a line end
**lost its last row**. ~~Callers were to blame.~~ Now:

```python
def rows_of(table):
    for row in table.split("\\n"):  # every row, also the last
        yield row.split(",")
```

| file | rows before | rows now | note |
| :--- | ---: | ---: | --- |
| `small.csv` | 2 | 3 | the one of the report |
| `large.csv` | 9,999 | 10,000 | `10,000` lines, read in 12 ms |

- [x] the loop
- [ ] a line in the change log
  1. what was lost
  2. since when

> Be liberal in what you accept.
>
> > As long as it is a table.

---

Shall I write the line in the change log?
"""


def main() -> int:
    """Makes the pictures in the folder that is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images", help="where the pictures go")
    parser.add_argument("--only", default="", help="the name of one picture")
    parser.add_argument("--theme", choices=["light", "dark"], default="light")
    parser.add_argument("--language", choices=["en", "fr"], default="en")
    parser.add_argument("--size", default="1100x760", help="of the window, in pixels")
    parser.add_argument("--scale", default="1", help="device pixels per pixel")
    parser.add_argument(
        "--all", action="store_true", help="every scene in every look, into build/screenshots"
    )
    parser.add_argument("--scene", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.scene:
        return _inside(options)
    if options.all:
        return _every(options.only)
    options.out.mkdir(parents=True, exist_ok=True)
    return max(_outside(scene, *sys.argv[1:]) for scene in ((options.only,) if options.only else README))


def _every(only: str) -> int:
    """Each scene light and dark, in English and French, small and large, at one and two pixels a pixel."""
    failed = 0
    for theme, language, size, scale in MATRIX:
        folder = ROOT / "build" / "screenshots" / f"{theme}-{language}-{size}-{scale}x"
        folder.mkdir(parents=True, exist_ok=True)
        look = ("--theme", theme, "--language", language, "--size", size, "--scale", scale)
        for scene in (only,) if only else SCENES:
            failed = _outside(scene, *look, "--out", str(folder)) or failed
    return failed


def _outside(scene: str, *options: str) -> int:
    """Runs this program again on a display that nobody else uses."""
    reader, writer = os.pipe()
    command = ["Xvfb", "-displayfd", str(writer), "-screen", "0", "3200x2000x24", "-nolisten", "tcp"]
    with subprocess.Popen(command, pass_fds=(writer,), stderr=subprocess.DEVNULL) as server:
        os.close(writer)
        with os.fdopen(reader) as said:
            display = f":{said.readline().strip()}"
        try:
            return subprocess.run(
                [sys.executable, __file__, *options, "--scene", scene],
                check=False,
                env={**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(ROOT)},
            ).returncode
        finally:
            server.terminate()


def _inside(options: argparse.Namespace) -> int:
    os.environ["QT_SCALE_FACTOR"] = options.scale
    from sidekicks.ui import loop

    with tempfile.TemporaryDirectory() as folder:
        return loop.run(partial(_play, options, Path(folder)))


async def _play(options: argparse.Namespace, folder: Path, shutdown: Shutdown) -> None:
    async with AsyncExitStack() as stack:
        environment = ""
        if options.scene != "window":
            server = await stack.enter_async_context(_model(options.scene))
            environment = f"MM_PROVIDER: openai, MM_BASE_URL: {server.url}"
        (folder / "parser.py").write_text(PARSER, encoding="utf-8")
        path = folder / "sidekicks.yaml"
        config = CONFIG.format(
            theme=options.theme,
            language=options.language,
            folder=folder,
            environment=environment,
            permissions="ask" if options.scene == "permission" else "all-free",
        )
        if options.scene in ("agents", "settings"):
            config += ANOTHER.format(python=sys.executable)
        path.write_text(config, encoding="utf-8")
        await _show(path, options, shutdown)


def _model(scene: str) -> ScriptedModel:
    """What plays mm's model when it has to do something that a small one would not."""
    from tests.scripted_model import Call, Reasoning, ScriptedModel, Text

    if scene != "permission":
        plan, look = Call("plan", {"steps": STEPS}), Call("read_file", {"path": "parser.py"})
        return ScriptedModel(
            [
                [Reasoning("The last row is lost: an index, or the line end?"), plan, look],
                [Call("bash", {"command": TEST})],
                [Text("The test fails as reported."), Call("edit_file", EDIT)],
                [Text(REPORT)],
            ]
        )
    return ScriptedModel(
        [
            [Reasoning("The loop looks suspicious."), Call("read_file", {"path": "parser.py"})],
            [Text(ANSWER), Call("edit_file", EDIT)],
        ]
    )


async def _show(path: Path, options: argparse.Namespace, shutdown: Shutdown) -> None:
    from sidekicks.app import make_front, present
    from sidekicks.core import open_core

    front = make_front(path.parent)
    front.window.resize(*map(int, options.size.split("x")))
    players: list[asyncio.Task[None]] = []

    @asynccontextmanager
    async def opened() -> AsyncGenerator[Core]:
        async with open_core(path, path.parent) as core:
            players.append(asyncio.create_task(_perform(front, core, options, shutdown)))
            yield core

    await present(front, opened, shutdown)
    await players[0]


async def _perform(front: Front, core: Core, options: argparse.Namespace, shutdown: Shutdown) -> None:
    try:
        await _conversation_is_open(front)
        await SCENES[options.scene](front, core)
        await _settled()
        front.window.grab().save(str(options.out / f"{options.scene}.png"))
    finally:
        shutdown.request()


async def _conversation_is_open(front: Front) -> None:
    while " — " not in front.window.windowTitle():
        await _settled()


async def _settled() -> None:
    """Long enough for what was told to be painted."""
    await asyncio.sleep(0.3)


def _type(front: Front, text: str) -> None:
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    QTest.keyClicks(front.window.composer.text, text)
    QTest.keyClick(front.window.composer.text, Qt.Key.Key_Return)


async def _first_start(front: Front, core: Core) -> None:
    """Somebody says hello to the embedded model."""
    from sidekicks.events import TurnChanged

    async with core.events.subscribe() as events:
        _type(front, "Say hello")
        async for event in events:
            if isinstance(event, TurnChanged) and not event.busy:
                return


async def _permission(front: Front, core: Core) -> None:
    """mm reads a file and wants to change it; a scripted server plays its model."""
    from sidekicks.events import PermissionRequested

    async with core.events.subscribe() as events:
        _type(front, QUESTION)
        async for event in events:
            if isinstance(event, PermissionRequested):
                return


def _view(front: Front) -> ConversationView:
    from sidekicks.ui.conversation.view import ConversationView

    view = front.window.findChild(ConversationView)
    assert isinstance(view, ConversationView)
    return view


async def _parts(front: Front, core: Core) -> None:
    """mm thinks, plans, runs a test that fails and changes a file; what it did is unfolded."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from sidekicks.events import TurnChanged
    from sidekicks.ui.conversation.fold_line import FoldLine

    async with core.events.subscribe() as events:
        _type(front, QUESTION)
        async for event in events:
            if isinstance(event, TurnChanged) and not event.busy:
                break
    await _settled()
    view = _view(front)
    view.setFocus()
    QTest.keyClick(view, Qt.Key.Key_Home)
    for word in ("printf", "edit"):
        await _settled()
        lines = [line for line in view.findChildren(FoldLine) if line.isVisible()]
        for line in [line for line in lines if word in line.accessibleName().lower()][:1]:
            QTest.mouseClick(line, Qt.MouseButton.LeftButton)
    front.window.composer.text.setFocus()


async def _markdown(front: Front, core: Core) -> None:
    """The end of the same answer."""
    await _parts(front, core)
    _view(front).scroll_to_bottom()


async def _settings(front: Front, core: Core) -> None:
    """Two slips in the configuration file, and what is proposed."""
    from PySide6.QtCore import Qt
    from PySide6.QtTest import QTest

    from sidekicks.ui.settings.page import SettingsPage

    del core
    front.window.sidebar.settings_requested.emit()
    page = front.window.findChild(SettingsPage)
    assert isinstance(page, SettingsPage)
    QTest.keyClick(page.editor, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
    page.editor.insertPlainText("    permisions: ask\n    startTimeout: soon")
    await _settled()


async def _search(front: Front, core: Core) -> None:
    """Something that was said is looked for in all conversations."""
    from sidekicks.ui.search.page import SearchPage

    await _parts(front, core)
    front.window.sidebar.search_requested.emit("row")
    page = front.window.findChild(SearchPage)
    assert isinstance(page, SearchPage)
    while not page.results.count():
        await _settled()


async def _agents(front: Front, core: Core) -> None:
    """One agent answers, another could not be started; its log stands below."""
    from sidekicks.events import AgentStateChanged

    async with core.events.subscribe() as events:
        front.window.sidebar.agents.start_requested.emit("vibe")
        async for event in events:
            if isinstance(event, AgentStateChanged) and event.state == "error":
                break
    await _parts(front, core)
    front.window.sidebar.agents.logs_requested.emit("vibe")


SCENES: dict[str, Scene] = {
    "window": _first_start,
    "permission": _permission,
    "parts": _parts,
    "markdown": _markdown,
    "settings": _settings,
    "search": _search,
    "agents": _agents,
}
README = ("window", "permission")
"""What the documents show; the others are to be looked at."""
MATRIX = tuple(
    (theme, language, size, scale)
    for theme in ("light", "dark")
    for language in ("en", "fr")
    for size in ("900x600", "1600x1000")
    for scale in ("1", "2")
)

if __name__ == "__main__":
    sys.exit(main())
