"""Files that an agent asks its client to read and write."""

from __future__ import annotations

import os
import signal
import stat
import sys
from pathlib import Path

import pytest

from minime_agent.acp.wire.errors import RequestError
from sidekicks.acp.files import MAX_READ, read_text, write_text

BOM = "\ufeff"


def read(folder: Path, name: str, line: int | None = None, limit: int | None = None) -> str:
    return read_text([str(folder)], str(folder / name), line, limit)


def write(folder: Path, name: str, text: str) -> None:
    write_text([str(folder)], str(folder / name), text)


@pytest.mark.parametrize(
    "text",
    ["", "one\ntwo\n", "one\r\ntwo\r\n", "one\rtwo", f"{BOM}one\r\n", "é€😀\n", "a\u2028b\x0cc\n", "\0"],
)
def test_a_text_comes_back_as_it_was_written(tmp_path: Path, text: str) -> None:
    write(tmp_path, "file", text)
    assert (tmp_path / "file").read_bytes() == text.encode()
    assert read(tmp_path, "file") == text


@pytest.mark.parametrize(
    ("line", "limit", "expected"),
    [
        (2, 1, "two\u2028still two\r\n"),
        (2, None, "two\u2028still two\r\nthree"),
        (None, 1, "one\n"),
        (0, 1, "one\n"),
        (-5, 1, "one\n"),
        (3, 10**30, "three"),
        (10**30, 10**30, ""),
        (1, 0, ""),
        (1, -1, ""),
    ],
)
def test_some_lines(tmp_path: Path, line: int | None, limit: int | None, expected: str) -> None:
    write(tmp_path, "file", "one\ntwo\u2028still two\r\nthree")
    assert read(tmp_path, "file", line, limit) == expected


def test_a_long_file_is_read_in_pieces(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"a line\n" * (MAX_READ // 7 + 10))
    with pytest.raises(RequestError, match="read fewer lines"):
        read(tmp_path, "log")
    assert read(tmp_path, "log", MAX_READ // 7 + 9, 5) == "a line\n" * 2


def test_what_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "image").write_bytes(b"\x89PNG\xff")
    with pytest.raises(RequestError, match="image is no UTF-8 text"):
        read(tmp_path, "image")
    with pytest.raises(RequestError, match="half a character"):
        write(tmp_path, "image", "\ud800")
    assert (tmp_path / "image").read_bytes() == b"\x89PNG\xff"
    with pytest.raises(RequestError, match="does not exist"):
        read(tmp_path, "none")


@pytest.mark.skipif(sys.platform == "win32", reason="modes")
def test_a_file_keeps_its_mode_and_a_new_one_gets_the_usual(tmp_path: Path) -> None:
    script = tmp_path / "script"
    script.touch()
    script.chmod(0o750)
    write(tmp_path, "script", "#!/bin/sh\n")
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    former = os.umask(0o027)
    try:
        write(tmp_path, "sub/new", "x")
    finally:
        os.umask(former)
    assert stat.S_IMODE((tmp_path / "sub/new").stat().st_mode) == 0o640


def test_nothing_is_left_beside_a_file_and_a_reader_never_sees_half_of_it(tmp_path: Path) -> None:
    write(tmp_path, "file", "old")
    with (tmp_path / "file").open() as open_file:
        write(tmp_path, "file", "new" * 1_000_000)
        assert open_file.read() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@pytest.mark.skipif(sys.platform == "win32", reason="links and fifos")
def test_links_are_followed_inside_and_refused_outside(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret").write_text("secret")
    (folder / "file").write_text("inside")
    (folder / "in").symlink_to("file")
    (folder / "out").symlink_to(tmp_path / "secret")
    (folder / "dangling").symlink_to(tmp_path / "new")
    (folder / "up").symlink_to(tmp_path)
    (folder / "loop").symlink_to("loop")
    write(folder, "in", "through the link")
    assert (folder / "in").is_symlink()
    assert (folder / "file").read_text() == "through the link"
    for name in ("out", "dangling", "up/secret", "../secret"):
        with pytest.raises(RequestError, match="outside of the session's folder"):
            read(folder, name)
        with pytest.raises(RequestError, match="outside of the session's folder"):
            write(folder, name, "x")
    for name in ("loop", "nul\0", "x" * 5_000):
        with pytest.raises(RequestError):
            read(folder, name)
        with pytest.raises(RequestError):
            write(folder, name, "x")
    with pytest.raises(RequestError, match="not an absolute path"):
        read_text([str(folder)], "file", None, None)
    assert not (tmp_path / "new").exists()
    both = [str(folder), str(tmp_path)]
    assert read_text(both, str(tmp_path / "secret"), None, None) == "secret"


@pytest.mark.skipif(sys.platform == "win32", reason="links and fifos")
def test_what_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    for name in ("fifo", "folder"):
        with pytest.raises(RequestError, match="no file that can be read"):
            read(tmp_path, name)
        with pytest.raises(RequestError, match="no file that can be written"):
            write(tmp_path, name, "x")
    with pytest.raises(RequestError, match="no file that can be read"):
        read_text(["/dev"], "/dev/null", None, None)
    (tmp_path / "file").touch()
    with pytest.raises(RequestError):
        write(tmp_path, "file/below", "x")


@pytest.mark.skipif(sys.platform != "linux", reason="a limit for files")
def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    import resource

    write(tmp_path, "file", "old")
    former = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, former[1]))
        with pytest.raises(RequestError, match="can't be written"):
            write(tmp_path, "file", "new" * 1_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, former)
        signal.signal(signal.SIGXFSZ, handler)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("file", "old")]
