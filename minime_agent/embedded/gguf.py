"""What the head of a GGUF file says, read without loading it.

The format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (little-endian, versions 2 and 3).
"""

from __future__ import annotations

import mmap
import struct
from pathlib import Path
from typing import TypeAlias

import msgspec

from minime_agent.embedded.errors import EmbeddedError

_MAGIC = b"GGUF"
_SCALARS = {
    0: "<B",
    1: "<b",
    2: "<H",
    3: "<h",
    4: "<I",
    5: "<i",
    6: "<f",
    7: "<?",
    10: "<Q",
    11: "<q",
    12: "<d",
}
_STRING, _ARRAY = 8, 9

_Value: TypeAlias = str | int | float | bool | None


class Header(msgspec.Struct, frozen=True):
    """What starting a server needs to know of a model file."""

    architecture: str
    context: int  # tokens it was trained with; 0 if the file does not say
    chat_template: str  # "" if the file has none


def read_header(path: Path) -> Header:
    """The head of `path`; raises EmbeddedError for what is no readable GGUF file."""
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise EmbeddedError(f"{path} is not a GGUF model file: give one, its name ends in .gguf.")
            # Mapped, since a vocabulary of 150,000 words lies before the template and must be walked over.
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                values = _Reader(data).metadata()
    except OSError as error:
        raise EmbeddedError(f"Cannot read the model file {path}: {error.strerror or error}.") from error
    except (struct.error, KeyError) as error:
        raise EmbeddedError(f"The model file {path} is damaged or cut short: fetch it again.") from error
    architecture = values.get("general.architecture")
    context = values.get(f"{architecture}.context_length")
    template = values.get("tokenizer.chat_template")
    return Header(
        architecture=architecture if isinstance(architecture, str) else "",
        context=context if isinstance(context, int) else 0,
        chat_template=template if isinstance(template, str) else "",
    )


class _Reader:
    """Walks over the head; reading past the end raises struct.error."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = len(_MAGIC)

    def metadata(self) -> dict[str, _Value]:
        version = self._integer("<I")
        if version not in {2, 3}:
            raise EmbeddedError(
                f"This GGUF file has version {version}, and mm runs 2 and 3: convert it again."
            )
        self._integer("<Q")  # number of tensors
        values: dict[str, _Value] = {}
        for _ in range(self._integer("<Q")):
            key = self._text()
            values[key] = self._value(self._integer("<I"))
        return values

    def _value(self, kind: int) -> _Value:
        if kind == _STRING:
            return self._text()
        if kind == _ARRAY:
            self._skip_array()
            return None
        return self._scalar(_SCALARS[kind])

    def _skip_array(self) -> None:
        kind, count = self._integer("<I"), self._integer("<Q")
        if kind in _SCALARS:
            self._at += struct.calcsize(_SCALARS[kind]) * count
        elif kind == _STRING:
            data, at, length = self._data, self._at, struct.Struct("<Q").unpack_from
            for _ in range(count):
                at += 8 + length(data, at)[0]
            self._at = at
        else:
            for _ in range(count):
                self._value(kind)

    def _scalar(self, layout: str) -> int | float | bool:
        (value,) = struct.unpack_from(layout, self._data, self._at)
        self._at += struct.calcsize(layout)
        return value

    def _integer(self, layout: str) -> int:
        return int(self._scalar(layout))

    def _text(self) -> str:
        length = self._integer("<Q")
        end = self._at + length
        if end > len(self._data):
            raise struct.error("the file ends inside a text")
        text = self._data[self._at : end].decode("utf-8", errors="replace")
        self._at = end
        return text
