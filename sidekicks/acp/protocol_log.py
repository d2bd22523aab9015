"""Everything that is said with one agent, one JSON object a line, written by a thread of its own.

`{"time": "2026-01-31T12:00:00+00:00", "direction": "in", "message": {…}}`; instead of `message` it is
`text` for a line that is no JSON, and `bytes` (with the `method`, if there is one) for a very long message.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import re
import sys
import threading
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from minime_agent.acp.wire.decode import DECODE_ERRORS, loads, scrub
from sidekicks.acp.secrets import Masker
from sidekicks.files import make_private

log = logging.getLogger(__name__)

MAX_FILE = 8 * 1024 * 1024
"""Bytes of the file; then it becomes `<agent>.1.jsonl`, in the place of the former one of that name."""
MAX_MESSAGE = 256 * 1024
"""Bytes of a message that is written; of a longer one only the length: masking it would hold the rest up."""
MAX_WAITING = 8 * 1024 * 1024
"""Bytes of messages that wait to be written; more are left out, and counted."""
CLOSE_SECONDS = 5.0
"""How long the last messages may take to be written when the agent has ended."""

_METHOD = re.compile(rb'"method"\s*:\s*"([\w$/.-]{1,100})"')
_HEAD = 1_000
_OVERHEAD = 300
_AT_ONCE = 50
"""Messages that are written without a break: some 2 ms at most, mostly far less."""
_BINARY = getattr(os, "O_BINARY", 0)


class _Entry(msgspec.Struct, frozen=True):
    """`line` is all of it, or its beginning when its `length` is too great."""

    time: datetime
    direction: str
    line: bytes
    length: int


class ProtocolLog:
    """The log of one agent's run; calling it never waits and never fails.

    `now` tells the time of day; `on_trouble` is told once, in one sentence, when it can't be written.
    Needs a running event loop.
    """

    def __init__(
        self, path: Path, mask: Masker, *, now: Callable[[], datetime], on_trouble: Callable[[str], None]
    ) -> None:
        self.path = path
        self._mask = mask
        self._now = now
        self._on_trouble = on_trouble
        self._loop = asyncio.get_running_loop()
        self._waiting: list[_Entry] = []
        self._size = 0
        self._left_out = 0
        self._is_over = False
        self._is_in_trouble = False
        self._changed = threading.Condition()
        self._file: BinaryIO | None = None
        self._thread = threading.Thread(target=self._run, name=f"protocol log {path.stem}", daemon=True)
        self._thread.start()

    def __call__(self, direction: Literal["in", "out"], line: bytes) -> None:
        """Takes one line of the protocol, without its end."""
        kept = line if len(line) <= MAX_MESSAGE else line[:_HEAD]
        with self._changed:
            if self._is_over:
                return
            if self._size > MAX_WAITING:
                self._left_out += 1
                return
            self._size += len(kept) + _OVERHEAD
            self._waiting.append(_Entry(self._now(), direction, kept, len(line)))
            self._changed.notify()

    async def close(self) -> None:
        """Writes what is left, unless the disk takes too long."""
        with self._changed:
            self._is_over = True
            self._changed.notify()
        await asyncio.to_thread(self._thread.join, CLOSE_SECONDS)

    # -- in the thread -------------------------------------------------------------------------------

    def _run(self) -> None:
        while batch := self._next():
            try:
                self._write(batch)
            except OSError as error:
                self._fail(error)
            except Exception:
                log.exception("the protocol log of %s lacks some messages", self.path.stem)
        self._close_file()

    def _next(self) -> list[_Entry]:
        """What waits to be written; nothing when the log is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._is_over)
            batch, self._waiting, self._size = self._waiting, [], 0
            return batch

    def _write(self, batch: list[_Entry]) -> None:
        for number, entry in enumerate(batch):
            data = self._encoded(entry)
            self._opened(len(data)).write(data)
            if number % _AT_ONCE == _AT_ONCE - 1:
                time.sleep(0)  # lets the event loop have its turn
        left_out, self._left_out = self._left_out, 0
        if left_out:
            note = {"time": batch[-1].time, "leftOut": left_out}
            self._opened(_OVERHEAD).write(msgspec.json.encode(note) + b"\n")
        self._opened(0).flush()

    def _as_it_is(self, entry: _Entry) -> bytes | None:
        """A right message without secrets needs not be taken apart, which would take ten times as long."""
        try:
            msgspec.json.decode(entry.line, type=msgspec.Raw)
            if self._mask.is_clean(entry.line.decode()):
                head = f'{{"time":"{entry.time.isoformat()}","direction":"{entry.direction}","message":'
                return head.encode() + entry.line + b"}\n"
        except DECODE_ERRORS:
            return None
        return None

    def _encoded(self, entry: _Entry) -> bytes:
        if entry.length == len(entry.line) and (line := self._as_it_is(entry)) is not None:
            return line
        said: dict[str, object] = {"time": entry.time, "direction": entry.direction}
        if entry.length > len(entry.line):
            said["bytes"] = entry.length
            if (method := _METHOD.search(entry.line)) is not None:
                said["method"] = method[1].decode()
        else:
            try:
                said["message"] = self._mask.message(loads(entry.line))
            except (*DECODE_ERRORS, RecursionError):
                said["text"] = self._mask(entry.line.decode("utf-8", "replace"))
        return msgspec.json.encode(scrub(said)) + b"\n"

    def _opened(self, more: int) -> BinaryIO:
        """The file, with room for so many bytes."""
        if self._file is not None and self._file.tell() and self._file.tell() + more > MAX_FILE:
            self._close_file()
            self.path.replace(self.path.with_suffix(".1.jsonl"))
        if self._file is None:
            make_private(self.path.parent)
            handle = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _BINARY, 0o600)
            self._file = os.fdopen(handle, "ab")
            if sys.platform != "win32":
                self.path.parent.chmod(0o700)
                os.fchmod(handle, 0o600)
        return self._file

    def _fail(self, error: OSError) -> None:
        """Says so once; what comes later is tried again."""
        with contextlib.suppress(OSError):
            self._close_file()
        if not self._is_in_trouble:
            self._is_in_trouble = True
            reason = error.strerror or str(error)
            said = f"the protocol log {self.path} can't be written ({reason}); the agent goes on without it"
            with contextlib.suppress(RuntimeError):  # the program has ended meanwhile
                self._loop.call_soon_threadsafe(self._on_trouble, said)

    def _close_file(self) -> None:
        file, self._file = self._file, None
        if file is not None:
            file.close()
