"""The configuration files that were opened in the app, newest first."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from sidekicks.files import make_private, write_whole

log = logging.getLogger(__name__)

LIMIT = 8


class Recent:
    """The list of files, kept in `recent.json` of `folder`. Losing it costs a few clicks: it never raises."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "recent.json"

    def files(self) -> tuple[Path, ...]:
        """At most 8 files, the one opened last first."""
        try:
            names = msgspec.json.decode(self._file.read_bytes(), type=list[str])
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError) as error:
            log.warning("the list of recent files can't be read: %s", error)
            return ()
        return tuple(Path(name) for name in names[:LIMIT])

    def newest(self) -> Path | None:
        """The file opened last."""
        return next(iter(self.files()), None)

    def add(self, path: Path) -> None:
        """Puts `path` first."""
        files = [path, *(other for other in self.files() if other != path)][:LIMIT]
        try:
            make_private(self._file.parent)
            write_whole(self._file, msgspec.json.encode([str(file) for file in files]))
        except OSError as error:
            log.warning("the list of recent files can't be written: %s", error)
