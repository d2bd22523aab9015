"""Wiring of the window: the only place that builds the core, the window and what connects them."""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import Path

from sidekicks.tasks import Tasks
from sidekicks.ui import loop
from sidekicks.ui.appearance import Appearance
from sidekicks.ui.icons import app_icon
from sidekicks.ui.main_window import MainWindow
from sidekicks.ui.shutdown import Shutdown
from sidekicks.ui.translate import Translations
from sidekicks.ui.window_state import WindowState, default_folder

FIRST_PAINT_SECONDS = 1.0


def run(config: str | None = None, data_dir: str | None = None) -> int:
    """Opens the window and returns the exit code once it is closed and everything has ended.

    `config` is a configuration file and `data_dir` the place of the histories; None means the usual ones.
    """
    return loop.run(partial(_main, config, data_dir))


async def _main(config: str | None, data_dir: str | None, shutdown: Shutdown) -> None:
    folder = data_dir or os.environ.get("SIDEKICKS_DATA_DIR")
    state = WindowState(Path(folder) if folder else default_folder())
    translations = Translations()
    translations.use("system")
    appearance = Appearance(zoom=state.zoom)
    window = MainWindow(appearance.theme, state)
    window.setWindowTitle("Sidekicks")
    window.setWindowIcon(app_icon())
    window.closing.connect(shutdown.request)
    window.show()
    # The first paint comes before everything that it does not need.
    with_limit = asyncio.wait_for(window.painted(), FIRST_PAINT_SECONDS)
    await asyncio.gather(with_limit, return_exceptions=True)
    tasks = Tasks()
    try:
        await _work(config, data_dir, shutdown, tasks, window, state, appearance, translations)
    finally:
        await tasks.close()
        translations.remove()
        window.close()
        window.deleteLater()
