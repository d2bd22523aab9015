"""What goes wrong is written to a file, too: a window has no terminal that somebody could look at."""

from __future__ import annotations

import logging
import os
from collections.abc import Generator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

from sidekicks.files import make_private

FILE_NAME = "sidekicks.log"
MOST_BYTES = 1_000_000
"""Then a new file is begun; one former is kept."""

log = logging.getLogger(__name__)


@contextmanager
def log_file(folder: Path) -> Generator[Path]:
    """While inside, warnings and worse are written to a file of the user's alone, and to stderr; its path."""
    path = folder / FILE_NAME
    handlers: list[logging.Handler] = [logging.StreamHandler()]
    try:
        make_private(folder)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))
        handlers.append(RotatingFileHandler(path, maxBytes=MOST_BYTES, backupCount=1, encoding="utf-8"))
    except OSError as error:
        log.warning("there is no log file: %s", error)
    root = logging.getLogger()
    form = logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s")
    for handler in handlers:
        handler.setFormatter(form)
        handler.setLevel(logging.WARNING)
        root.addHandler(handler)
    try:
        yield path
    finally:
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
