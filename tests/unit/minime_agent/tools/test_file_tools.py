from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from minime_agent.fileedit import atomic
from minime_agent.tools import files
from minime_agent.tools.edit_file import EditFile
from minime_agent.tools.plan import Plan
from minime_agent.tools.read_file import ReadFile
from minime_agent.tools.workspace import Workspace, output_limit
from minime_agent.tools.write_file import WriteFile
from minime_agent.ui.events import PlanChanged, PlanEntry
from tests.recording_sink import RecordingSink
from tests.unit.minime_agent.tools.conftest import Use

WRITE = WriteFile(4096)


async def test_read_whole_and_in_part(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"one\r\ntwo\nthree")
    assert (await use(ReadFile(), path="a.txt")).output == "1\tone\n2\ttwo\n3\tthree"
    part = await use(ReadFile(), path="a.txt", start=2, end=2)
    assert part.output == "2\ttwo\n[lines 2 to 2 of 3; go on with start=3]"
    assert (await use(ReadFile(), path="a.txt", start=2)).output == "2\ttwo\n3\tthree\n[lines 2 to 3 of 3]"
    assert "has 3 lines" in (await use(ReadFile(), path="a.txt", start=9)).output


async def test_read_stops_where_the_result_is_full(use: Use, workspace: Workspace, tmp_path: Path) -> None:
    workspace.max_output = 100
    (tmp_path / "a.txt").write_text("".join(f"line {n}\n" for n in range(1, 1000)))
    output = (await use(ReadFile(), path="a.txt")).output
    assert output.endswith("[lines 1 to 10 of 999; go on with start=11]")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("mising.txt", "there is no file mising.txt; near it: missing.txt. Create it with write_file"),
        ("binary", "binary is not text: it is a binary file (3 bytes)"),
        ("cyrillic", "not valid utf-8 at byte 0"),
        ("folder", "folder is a folder; it holds: inside.txt"),
        ("empty", "[empty is empty]"),
    ],
)
async def test_what_cannot_be_read_is_said(use: Use, tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "missing.txt").write_text("x")
    (tmp_path / "binary").write_bytes(b"a\0b")
    (tmp_path / "cyrillic").write_bytes("привет".encode("koi8-r"))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside.txt").write_text("x")
    (tmp_path / "empty").write_text("")
    assert said in (await use(ReadFile(), path=name)).output


async def test_write_creates_with_its_folders(use: Use, workspace: Workspace, tmp_path: Path) -> None:
    call = await WRITE.prepare({"path": "sub/new.py", "content": "a\nb\n"}, workspace)
    assert call.title == f"Write sub{os.sep}new.py"
    assert [(diff.old_text, diff.new_text) for diff in call.diffs] == [(None, "a\nb\n")]
    assert not (tmp_path / "sub").exists()
    result = await call.run(RecordingSink(), "1")
    assert result.output == f"[created sub{os.sep}new.py: 2 lines, 4 characters]"
    assert (tmp_path / "sub" / "new.py").read_text() == "a\nb\n"


async def test_write_never_replaces_what_was_not_read(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("precious")
    refused = await use(WRITE, path="a.txt", content="x")
    assert refused.failed
    assert "Read it with read_file first" in refused.output
    assert (tmp_path / "a.txt").read_text() == "precious"
    await use(ReadFile(), path="a.txt")
    assert (await use(WRITE, path="a.txt", content="x")).output == (
        "[replaced a.txt: 1 lines, 1 characters; it had 1 lines]"
    )
    assert (await use(WRITE, path="a.txt", content="y")).output.startswith("[replaced")


async def test_what_is_replaced_keeps_its_encoding_and_line_ends(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"\xef\xbb\xbfa\r\nb\r\n")
    await use(ReadFile(), path="a.txt")
    same = await use(WRITE, path="a.txt", content="a\nb\n")
    assert (same.failed, same.output) == (False, "[a.txt holds exactly this already; nothing was changed]")
    said = (await use(WRITE, path="a.txt", content="c\nd\ne\n")).output
    assert said == (
        "[replaced a.txt: 3 lines, 6 characters; it had 2 lines; kept: byte order mark, CRLF line ends]"
    )
    assert (tmp_path / "a.txt").read_bytes() == b"\xef\xbb\xbfc\r\nd\r\ne\r\n"
    (tmp_path / "l.txt").write_bytes(b"caf\xe9 \n")
    await use(ReadFile(), path="l.txt")
    refused = await use(WRITE, path="l.txt", content="привет")
    assert "l.txt was not written: 'п' cannot be written in latin-1" in refused.output
    refused = await use(WRITE, path="new.txt", content="\ud800")
    assert "new.txt was not written: '\\ud800' cannot be written in utf-8" in refused.output
    assert not (tmp_path / "new.txt").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a folder where a file is, in words of POSIX")
async def test_what_cannot_be_written_is_told(
    use: Use, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.txt").write_text("x\n")
    assert (
        "was not written: what is above it is a file, no folder"
        in (await use(WRITE, path="a.txt/b", content="x")).output
    )

    def access(path: Path, _mode: int) -> bool:  # root, whom tests may run as, may write everything
        return path.name != "a.txt"

    monkeypatch.setattr(atomic.os, "access", access)
    edit = await use(EditFile(), path="a.txt", edits=[{"old": "x", "new": "y"}])
    assert (edit.failed, edit.output) == (True, "[error: a.txt was not written: it is read-only]")
    assert (tmp_path / "a.txt").read_text() == "x\n"


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    data=st.one_of(
        st.binary(max_size=40), st.text(max_size=20).map(lambda text: text.encode("utf-8", "replace"))
    ),
    old=st.text(alphabet="a \n\t\r“\ud800é1|", max_size=5),
    new=st.text(alphabet="b \n\t\r”\ud800ü€", max_size=5),
    start=st.integers(-2, 4),
)
async def test_whatever_is_in_the_file_each_call_is_answered(
    use: Use, tmp_path: Path, data: bytes, old: str, new: str, start: int
) -> None:
    """Nothing raises; a refused call leaves every byte; a dry run, too."""
    path = tmp_path / "a.bin"
    path.write_bytes(data)
    assert (await use(ReadFile(), path="a.bin", start=start)).output
    edits = [{"old": old, "new": new}]
    await use(EditFile(), path="a.bin", edits=edits, dry_run=True)
    assert path.read_bytes() == data
    edited = await use(EditFile(), path="a.bin", edits=edits)
    assert not edited.failed or path.read_bytes() == data
    before = path.read_bytes()
    written = await use(WRITE, path="a.bin", content=new)
    assert not written.failed or path.read_bytes() == before


@pytest.mark.skipif(sys.platform == "win32", reason="hard links of POSIX")
async def test_a_file_of_two_names_keeps_both(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("long long\n")
    os.link(tmp_path / "a.txt", tmp_path / "b.txt")
    await use(EditFile(), path="b.txt", edits=[{"old": "long long", "new": "short"}])
    assert (tmp_path / "a.txt").read_text() == "short\n"


async def test_write_refuses_when_the_file_changed_since(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("one")
    await use(ReadFile(), path="a.txt")
    (tmp_path / "a.txt").write_text("another")
    assert "changed since you read it" in (await use(WRITE, path="a.txt", content="x")).output


async def test_what_was_shown_is_what_is_written(use: Use, workspace: Workspace, tmp_path: Path) -> None:
    """A file that changes between the person's look and the write is left alone."""
    (tmp_path / "a.txt").write_text("one\n")
    call = await EditFile().prepare({"path": "a.txt", "edits": [{"old": "one", "new": "two"}]}, workspace)
    assert [(diff.old_text, diff.new_text) for diff in call.diffs] == [("one\n", "two\n")]
    (tmp_path / "a.txt").write_text("one\nmore\n")
    result = await call.run(RecordingSink(), "1")
    assert "changed meanwhile" in result.output
    assert (tmp_path / "a.txt").read_text() == "one\nmore\n"


async def test_edit_shows_what_it_did(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("a = 1\nb = 2\nc = 3\nd = 4\n")
    result = await use(EditFile(), path="a.py", edits=[{"old": "c = 3", "new": "c = 5\nc2 = 6"}])
    assert result.output == "[a.py: 1 edit]\n 1 a = 1\n 2 b = 2\n-3 c = 3\n+3 c = 5\n+4 c2 = 6\n 5 d = 4"
    assert (tmp_path / "a.py").read_text() == "a = 1\nb = 2\nc = 5\nc2 = 6\nd = 4\n"
    assert result.locations[0].line == 3


async def test_edit_that_is_refused_changes_nothing(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x\n")
    result = await use(EditFile(), path="a.py", edits=[{"old": "y", "new": "z"}])
    assert result.failed
    assert "a.py was not changed: edit 1: old was not found" in result.output


async def test_old_encodings_are_said_and_stay(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"caf\xe9 noir\n")
    assert (await use(ReadFile(), path="a.txt")).output == "1\tcafé noir\n[read as latin-1]"
    refused = await use(EditFile(), path="a.txt", edits=[{"old": "noir", "new": "à 3 €"}])
    assert "was not changed: '€' cannot be written in latin-1; use other characters" in refused.output
    assert not (await use(EditFile(), path="a.txt", edits=[{"old": "noir", "new": "à 3"}])).failed
    assert (tmp_path / "a.txt").read_bytes() == b"caf\xe9 \xe0 3\n"


async def test_dry_run(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x\n")
    result = await use(EditFile(), path="a.py", edits=[{"old": "x", "new": "z"}], dry_run=True)
    assert result.output == "[dry run, nothing was written]\n[a.py: 1 edit]\n-1 x\n+1 z"
    assert (tmp_path / "a.py").read_text() == "x\n"


async def test_edits_as_a_json_string_or_one_object(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x y\n")
    await use(EditFile(), path="a.py", edits='[{"old": "x", "new": "1"}]')
    await use(EditFile(), path="a.py", edits={"old": "y", "new": "2"})
    assert (tmp_path / "a.py").read_text() == "1 2\n"


@pytest.mark.skipif(sys.platform == "win32", reason="permissions and links of POSIX")
async def test_permissions_and_links_stay(use: Use, tmp_path: Path) -> None:
    script = tmp_path / "run.sh"
    script.write_text("echo a\n")
    script.chmod(0o750)
    (tmp_path / "link").symlink_to(script)
    await use(EditFile(), path="link", edits=[{"old": "a", "new": "b"}])
    assert (tmp_path / "link").is_symlink()
    assert script.read_text() == "echo b\n"
    assert stat.S_IMODE(script.stat().st_mode) == 0o750
    assert sorted(os.listdir(tmp_path))  # noqa: PTH208 (one call, no generator of blocking ones) == ["link", "run.sh"]


async def test_plan_takes_steps_in_both_forms(use: Use, sink: RecordingSink) -> None:
    result = await use(Plan(), steps=[{"content": "a", "status": "completed"}, "b"])
    assert result.output == "[plan shown: 1 of 2 done]"
    assert sink.of(PlanChanged) == [PlanChanged((PlanEntry("a", "completed"), PlanEntry("b", "pending")))]


@pytest.mark.parametrize(
    ("setting", "window", "limit"),
    [(0, 0, 16_000), (0, 4096, 2150), (0, 2048, 2_000), (0, 200_000, 16_000), (500, 4096, 500)],
)
def test_size_of_a_result_follows_the_window(setting: int, window: int, limit: int) -> None:
    assert output_limit(setting, window) == limit


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("a\0b", "no usable path"),
        ("x" * 5000, "no usable path: File name too long"),
        ("loop", "no usable path"),
        ("/dev/zero", "no file, but a device, a pipe or a socket"),
        ("pipe", "no file, but a device, a pipe or a socket"),
        (".", "is a folder; it holds: "),
        ("a.txt/b", "a.txt/b "),
        ("picture.png", "picture.png "),
    ],
)
async def test_a_path_that_is_no_text_file_is_told(use: Use, tmp_path: Path, path: str, told: str) -> None:
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    for tool, arguments in (
        (ReadFile(), {}),
        (WriteFile(1000), {"content": "y"}),
        (EditFile(), {"edits": [{"old": "a", "new": "b"}]}),
    ):
        result = await use(tool, path=path, **arguments)
        assert result.failed
        assert told in result.output
    assert (tmp_path / "a.txt").read_text() == "x"


async def test_what_a_binary_file_is_is_said(use: Use, tmp_path: Path) -> None:
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\0\0")
    (tmp_path / "nameless").write_bytes(b"\xff\xd8\xff\0")
    for name, kind in (("picture.png", "image/png"), ("nameless", "image/jpeg")):
        said = (await use(ReadFile(), path=name)).output
        assert f"{name} is not text: it is {kind}, a picture, which this tool cannot show; ask" in said


async def test_a_huge_file_is_read_in_parts(
    use: Use, tmp_path: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGEST", 2 << 20)
    workspace.max_output = 100
    with (tmp_path / "log").open("wb") as log:
        log.writelines(b"line %d\xc3\xa9\r\n" % number for number in range(1, 300_001))
    middle = (await use(ReadFile(), path="log", start=200_000)).output.split("\n")
    assert middle[0] == "200000\tline 200000é"
    assert middle[-1].startswith("[lines 200000 to 200004 of a file of 4 MB; go on with start=200005; bash")
    assert (await use(ReadFile(), path="log", start=300_000)).output.startswith(
        "300000\tline 300000é\n[lines 300000 to 300000 of a file of 4 MB; bash"
    )
    beyond = await use(ReadFile(), path="log", start=300_001)
    assert (beyond.failed, beyond.output) == (True, "[error: there is no line 300001 in log]")
    refused = await use(EditFile(), path="log", edits=[{"old": "line 5é", "new": "x"}])
    assert "larger than 2 MB; look at parts" in refused.output
    (tmp_path / "data").write_bytes(bytes(3 << 20))
    assert "data is not text: it is a binary file" in (await use(ReadFile(), path="data")).output


async def test_long_lines_are_cut_and_named(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text("a\n" + "x" * 9_000 + "\nb\n")
    rows = (await use(ReadFile(), path="a.js")).output.split("\n")
    assert (rows[0], len(rows[1]), rows[2]) == ("1\ta", 2_003, "3\tb")
    assert rows[3] == "[cut, for it is very long: line 2; the rest with bash: sed -n 2p | cut -c]"


async def test_ranges_that_are_none_are_told(use: Use, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a\nb\n")
    for start, end, said in (
        (3, None, "there is no line 3; a.txt has 2 lines"),
        (2, 1, "end (1) is before start (2)"),
    ):
        result = await use(ReadFile(), path="a.txt", start=start, end=end)
        assert result.failed
        assert said in result.output
