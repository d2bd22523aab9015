"""What the file tools have in common: reading a file as text, with its failures as text."""

from __future__ import annotations

from pathlib import Path

from minime_agent.fileedit.encoding import NotTextError
from minime_agent.fileedit.textfile import TextFile
from minime_agent.tools.tool import ToolFailure

LARGEST = 64 << 20
"""Bytes; a larger file is a matter for the shell."""

_BEGINNINGS = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"%PDF-", "application/pdf"),
    (b"PK\x03\x04", "application/zip"),
    (b"\x1f\x8b", "application/gzip"),
    (b"\x7fELF", "a program (ELF)"),
    (b"SQLite format 3", "an SQLite database"),
)


def read_text(path: Path, shown: str) -> tuple[bytes, TextFile]:
    """A file's bytes and text; raises `ToolFailure` with what to do instead."""
    data = read_bytes(path, shown)
    try:
        return data, TextFile.decode(data)
    except NotTextError as error:
        kind = _kind(path, data) or str(error)
        raise ToolFailure(f"[error: {shown} is not text: {kind} ({len(data)} bytes)]") from None


def is_huge(path: Path) -> bool:
    """Whether it is a file that is too large to be read whole; what else is wrong with it is not asked."""
    try:
        return path.is_file() and path.stat().st_size > LARGEST
    except OSError:
        return False


def read_bytes(path: Path, shown: str) -> bytes:
    """A file's bytes; raises `ToolFailure`."""
    try:
        if path.is_dir():
            names = sorted(f"{entry.name}/" if entry.is_dir() else entry.name for entry in path.iterdir())
            listed = ", ".join(names[:100]) + (", …" if len(names) > 100 else "")
            raise ToolFailure(f"[error: {shown} is a folder; it holds: {listed or 'nothing'}]")
        if not path.is_file() and path.exists():
            raise ToolFailure(f"[error: {shown} is no file, but a device, a pipe or a socket]")
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise ToolFailure(
                f"[error: {shown} is larger than {LARGEST >> 20} MB; look at parts with bash (head, grep)]"
            )
        return data
    except FileNotFoundError:
        raise ToolFailure(
            f"[error: there is no file {shown}{_near(path)}. Create it with write_file]"
        ) from None
    except OSError as error:
        raise ToolFailure(f"[error: {shown} cannot be read: {error.strerror}]") from None


def unwritable(error: UnicodeEncodeError) -> str:
    """What is wrong with a text that the file's encoding has no bytes for."""
    return f"{error.object[error.start]!r} cannot be written in {error.encoding}; use other characters"


def _kind(path: Path, data: bytes) -> str:
    """What a file that is no text is, by how it begins, or else by its name; empty where neither tells."""
    from mimetypes import guess_type

    kind, packed = guess_type(path.name)
    kind = next((kind for start, kind in _BEGINNINGS if data.startswith(start)), kind)
    if kind is not None and kind.startswith("image/"):
        return f"it is {kind}, a picture, which this tool cannot show; ask what is on it"
    if packed:
        return f"it is packed ({packed})"
    return f"it is {kind}" if kind and not kind.startswith("text/") else ""


def _near(path: Path) -> str:
    from difflib import get_close_matches

    try:
        names = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return ""
    near = get_close_matches(path.name, names, n=3)
    return f"; near it: {', '.join(near)}" if near else ""
