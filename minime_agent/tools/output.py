"""What a command wrote into its file, as the text that a model reads: both ends of a flood, no colours."""

from __future__ import annotations

import os
import re
from pathlib import Path

from minime_agent.tools.workspace import clip

_END = 1 << 20
"""Bytes read back from either end; the rest of a flood stays on the disk."""
_BYTES_PER_CHARACTER = 4
_SAMPLE = 4_096
_FEWEST = 32
"""Bytes; of fewer nobody says whether they are text."""
_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # CSI: colours, moving, erasing
    r"|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # a title, a link, another string
    r"|\x1b[ -/]*[0-~]"  # short ones
)
_HIDDEN = dict.fromkeys((*range(9), *range(11, 32), *range(127, 160)), "�")


class Output:
    """The file that a command writes to; it may still grow, and a job in the background may keep it open."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @property
    def size(self) -> int:
        """Bytes so far."""
        return self._path.stat().st_size

    def so_far(self, limit: int) -> str:
        """About what `whole` will give, for a person who watches; reads no more than it shows."""
        return self._text(limit, limit * _BYTES_PER_CHARACTER)

    def whole(self, limit: int) -> str:
        """The output within `limit` characters; of what is not text only its size."""
        return self._text(limit, _END)

    def remove(self) -> None:
        """Deletes the file."""
        try:
            self._path.unlink()
        except PermissionError:
            # Windows: a job in the background still writes to it; it stays in the temporary folder.
            return

    def _text(self, limit: int, most: int) -> str:
        with self._path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(0)
            head = file.read(min(size, most) if size > 2 * most else size)
            if is_binary(head):
                return f"[binary output, {size} bytes, not shown. Write it into a file instead]"
            text = readable(head)
            if size > 2 * most:
                file.seek(size - most)
                tail = readable(file.read(most))
                text = f"{text}\n[… {size - 2 * most} bytes left out …]\n{tail}"
        return clip(text.rstrip("\n"), limit)


def is_binary(data: bytes) -> bool:
    """Whether more than a tenth of the beginning is neither text nor what a terminal takes."""
    sample = data[:_SAMPLE]
    if len(sample) < _FEWEST:
        return False
    strange = sum(byte < 32 and byte not in b"\t\n\r\x1b\b\f\a" for byte in sample)
    return (strange + sample.decode("utf-8", "replace").count("�")) * 10 > len(sample)


def readable(data: bytes) -> str:
    """Bytes as a terminal would leave them: without escapes, of a progress bar only its last state."""
    text = _ESCAPES.sub("", data.decode("utf-8", "replace")).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return text.translate(_HIDDEN)
