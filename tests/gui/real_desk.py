"""A window over a real core: a configuration file, a store and scripted agents of the test's own."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sidekicks import app
from sidekicks.core import Core, open_core
from sidekicks.events import TurnChanged
from sidekicks.tasks import Tasks
from sidekicks.ui.actions import Actions
from sidekicks.ui.conversation.view import ConversationView
from tests.agents import SCRIPT
from tests.gui.conftest import until

Scenario = Callable[["RealDesk"], Coroutine[Any, Any, None]]


def entry(name: str, *options: str, **fields: object) -> dict[str, object]:
    """A scripted agent in the configuration file."""
    return {
        "name": name,
        "title": name.title(),
        "command": sys.executable,
        "args": [str(SCRIPT), *options],
        **fields,
    }


def configure(folder: Path, *agents: dict[str, object], **keys: object) -> Path:
    """Writes a configuration file with these agents; its path."""
    path = folder / "sidekicks.yaml"
    lines = [
        f"{key}: {json.dumps(value)}" for key, value in {"theme": "light", "language": "en", **keys}.items()
    ]
    lines += ["agents:", *(f"  - {json.dumps(agent)}" for agent in agents)] if agents else ["agents: []"]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class RealDesk:
    """The window, connected as the program connects it."""

    def __init__(self, core: Core, folder: Path) -> None:
        self.core = core
        self.folder = folder
        self.front = app.make_front(folder)
        self.window = self.front.window
        self.window.resize(1100, 760)
        self.view = ConversationView(self.front.appearance.theme, self.window)
        self.tasks = Tasks()
        self.workspace = app.connect(core, self.front, self.view, Actions(self.tasks, core.refusals))
        self.window.show()
        self.window.activateWindow()

    async def ready(self) -> None:
        """Waits until the first conversation is shown."""
        text = self.window.composer.text
        await until(lambda: text.placeholderText() or not self.workspace.overview.agents)

    async def say(self, text: str) -> None:
        """Sends `text` to the shown conversation and waits until it is free again, and the window knows."""
        shown = self.workspace.overview.shown
        async with self.core.events.subscribe() as told:
            await self.core.channels.send(shown, text)
            async for event in told:
                if isinstance(event, TurnChanged) and event.channel == shown and not event.busy:
                    break
        self.workspace.catch_up()

    async def close(self) -> None:
        """Takes the window away; the core is its owner's to close."""
        self.workspace.close()
        await self.tasks.close()
        app.close_front(self.front)


@asynccontextmanager
async def real_desk(config: Path) -> AsyncIterator[RealDesk]:
    """A desk whose history is beside the configuration file."""
    async with open_core(config, data_dir=config.parent / "data") as core:
        desk = RealDesk(core, config.parent)
        try:
            await desk.ready()
            yield desk
        finally:
            await desk.close()
