"""In what encoding a file's bytes are text: only where there is no doubt, for it is written in that again.

UTF-8, or what a byte order mark says. Else Latin-1 or Windows-1252, the only old ones that can be told from
others: not where the bytes would be text in an encoding of East Asia too, nor where letters beyond ASCII
stand in rows as in Cyrillic or Greek, nor where some are damaged UTF-8.
"""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")
_OF_UTF_8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
_IN_A_ROW = re.compile(rb"[\xc0-\xff]{3}")
_OF_WINDOWS = re.compile(rb"[\x80-\x9f]")
_EAST_ASIAN = ("gbk", "shift_jis", "big5", "euc_kr")


class NotTextError(Exception):
    """The bytes are not text in the file's encoding, so the file must not be rewritten."""


def decoded(data: bytes) -> tuple[bytes, str, str]:
    """The byte order mark, the encoding's name, the text, which gives `data` again; raises `NotTextError`."""
    mark, encoding = next((row for row in _MARKS if data.startswith(row[0])), (b"", "utf-8"))
    try:
        raw = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        western = "" if mark else _western(data)
        if not western:
            raise NotTextError(f"not valid {encoding} at byte {error.start + len(mark)}") from None
        return b"", western, data.decode(western)
    if "\0" in raw:
        raise NotTextError("it is a binary file")
    return mark, encoding, raw


def _western(data: bytes) -> str:
    """`latin-1`, `cp1252` where characters stand that only it has, or nothing where it may be another."""
    if any(pattern.search(data) for pattern in (_CONTROLS, _OF_UTF_8, _IN_A_ROW)):
        return ""
    if any(_is_text(data, encoding) for encoding in _EAST_ASIAN):
        return ""
    if not _OF_WINDOWS.search(data):
        return "latin-1"
    return "cp1252" if _is_text(data, "cp1252") else ""


def _is_text(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
