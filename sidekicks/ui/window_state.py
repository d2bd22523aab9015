"""What the window looks like when it comes back: its place and size, the open conversation, drafts."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec
from PySide6.QtCore import QByteArray, QSettings

from sidekicks.files import make_private, write_whole
from sidekicks.models import FilePart, ImagePart

FILE_NAME = "window.ini"
DRAFTS = "drafts"
"""The folder of the images and files that go with drafts: too large for the INI file."""
UNKEPT = "unkept"
"""What stands in the place of the file for conversations that end with the window."""

log = logging.getLogger(__name__)


class WindowState:
    """An INI file in `folder`. What belongs to a conversation is kept for each configuration file apart."""

    def __init__(self, folder: Path) -> None:
        # Drafts are nobody else's to read; Qt keeps the rights of a file that is there.
        try:
            make_private(folder)
            (folder / FILE_NAME).touch(mode=0o600)
        except OSError as error:
            log.warning("what the window looks like is not kept: %s", error)
        self._drafts = folder / DRAFTS
        self._settings = QSettings(str(folder / FILE_NAME), QSettings.Format.IniFormat)
        self._group = ""

    def use_config(self, path: str, *, kept: bool = True) -> None:
        """From now on conversations are those of the configuration file at `path`.

        Those that are not `kept` are others than the stored ones, whose drafts must outlive them.
        """
        self._group = _digest(path) if kept else UNKEPT

    @property
    def geometry(self) -> QByteArray:
        """As `QWidget.saveGeometry` gives it; empty when nothing was kept."""
        return self._bytes("window/geometry")

    @geometry.setter
    def geometry(self, value: QByteArray) -> None:
        self._settings.setValue("window/geometry", value)

    @property
    def sidebar_width(self) -> int:
        """In device-independent pixels; 0 when nothing was kept."""
        value = self._settings.value("window/sidebar", 0, int)
        return value if isinstance(value, int) else 0

    @sidebar_width.setter
    def sidebar_width(self, value: int) -> None:
        self._settings.setValue("window/sidebar", value)

    @property
    def zoom(self) -> float:
        """How much larger than normal everything is drawn."""
        value = self._settings.value("window/zoom", 1.0, float)
        return value if isinstance(value, float) else 1.0

    @zoom.setter
    def zoom(self, value: float) -> None:
        self._settings.setValue("window/zoom", value)

    @property
    def open_channel(self) -> str:
        """The id of the conversation that was open, or empty."""
        return self._text(f"{self._group}/open")

    @open_channel.setter
    def open_channel(self, value: str) -> None:
        self._settings.setValue(f"{self._group}/open", value)

    @property
    def order(self) -> tuple[str, ...]:
        """The keys of the conversations as the user has put them in order; those not named come last."""
        return tuple(self._text(f"{self._group}/order").split())

    @order.setter
    def order(self, value: Sequence[str]) -> None:
        self._settings.setValue(f"{self._group}/order", "\n".join(value))

    def draft(self, channel: str) -> str:
        """What was written in `channel` and not sent."""
        return self._text(f"{self._group}/drafts/{channel}")

    def set_draft(self, channel: str, text: str) -> None:
        """Keeps it; an empty one is forgotten."""
        key = f"{self._group}/drafts/{channel}"
        if text:
            self._settings.setValue(key, text)
        else:
            self._settings.remove(key)

    def attachments(self, channel: str) -> tuple[ImagePart | FilePart, ...]:
        """The images and files that were to go with the draft."""
        path = self._attached(channel)
        try:
            return msgspec.msgpack.decode(path.read_bytes(), type=tuple[ImagePart | FilePart, ...])
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError) as error:
            log.warning("what went with a draft is lost: %s can't be read: %s", path, error)
            return ()

    def set_attachments(self, channel: str, parts: Sequence[ImagePart | FilePart]) -> None:
        """Keeps them; none are forgotten."""
        path = self._attached(channel)
        try:
            if parts:
                make_private(self._drafts)
                write_whole(path, msgspec.msgpack.encode(parts))
            else:
                path.unlink(missing_ok=True)
        except OSError as error:
            log.warning("what goes with a draft is not kept: %s", error)

    def unsaved(self, path: str) -> tuple[str, str] | None:
        """The text of the configuration file when it was begun to be changed, and what was made of it."""
        key = _unsaved(path)
        if not self._settings.contains(f"{key}/text"):
            return None
        return self._text(f"{key}/base"), self._text(f"{key}/text")

    def set_unsaved(self, path: str, base: str, text: str) -> None:
        """Keeps what is not saved of the file at `path`; what is as it was is forgotten."""
        key = _unsaved(path)
        if text == base:
            self._settings.remove(key)
        else:
            self._settings.setValue(f"{key}/base", base)
            self._settings.setValue(f"{key}/text", text)

    def forget_drafts_of_others(self, channels: Collection[str]) -> None:
        """Drops what was written in conversations other than these: they are deleted."""
        self._settings.beginGroup(f"{self._group}/drafts")
        gone = [key for key in self._settings.allKeys() if key not in channels]
        for key in gone:
            self._settings.remove(key)
        self._settings.endGroup()
        if gone:
            self.save()
        for path in self._drafts.glob(f"{self._group}.*"):
            if path.suffix[1:] not in channels:
                path.unlink(missing_ok=True)

    def save(self) -> None:
        """Writes the file now."""
        self._settings.sync()

    def _attached(self, channel: str) -> Path:
        return self._drafts / f"{self._group}.{channel}"

    def _bytes(self, key: str) -> QByteArray:
        value = self._settings.value(key)
        return value if isinstance(value, QByteArray) else QByteArray()

    def _text(self, key: str) -> str:
        value = self._settings.value(key, "", str)
        return value if isinstance(value, str) else ""


def _unsaved(path: str) -> str:
    return f"unsaved/{_digest(path)}"


def _digest(path: str) -> str:
    return hashlib.sha256(path.encode()).hexdigest()[:16]
