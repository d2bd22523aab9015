"""Sessions on a real disk: made, listed, found, branched, named, kept to one process."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from minime_agent.store.entries import MessageEntry, SessionInfo, Text, UserMessage, now
from minime_agent.store.errors import SessionError
from minime_agent.store.file import SessionFile
from minime_agent.store.ids import new_id
from minime_agent.store.sessions import SessionStore
from minime_agent.store.tree import said

HOLDER = """
import sys
from pathlib import Path
from minime_agent.store.file import SessionFile
file = SessionFile.open(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def store(tmp_path: Path) -> SessionStore:
    return SessionStore(tmp_path / "data" / "sessions")


def say(file: SessionFile, text: str) -> str:
    entry = MessageEntry(
        id=new_id(), parent_id=file.tree.leaf, timestamp=now(), message=UserMessage((Text(text),))
    )
    file.append(entry)
    return entry.id


def name(file: SessionFile, text: str) -> None:
    file.append(SessionInfo(id=new_id(), parent_id=file.tree.leaf, timestamp=now(), name=text))


def texts(file: SessionFile, leaf: str | None) -> list[str]:
    return [said(entry) for entry in file.tree.path(leaf)]


def test_a_session_comes_back_as_it_was(store: SessionStore, tmp_path: Path) -> None:
    file = store.new(tmp_path)
    say(file, "one\ntwo “three”\u2028")
    say(file, "four")
    file.close()
    again = store.open(file.path)
    assert texts(again, again.tree.leaf) == ["one\ntwo “three”\u2028", "four"]
    assert (again.id, again.tree.header.cwd, again.tree.damaged) == (file.id, str(tmp_path), 0)
    again.close()


def test_nobody_who_only_looked_in_leaves_a_file(store: SessionStore, tmp_path: Path) -> None:
    file = store.new(tmp_path)
    name(file, "empty")
    file.close()
    assert list(store.folder.rglob("*")) == []


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_only_the_user_may_read_it(store: SessionStore, tmp_path: Path) -> None:
    file = store.new(tmp_path)
    say(file, "secret")
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    for folder in (file.path.parent, store.folder, store.folder.parent):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_a_list_has_the_folders_sessions_with_the_last_used_first(
    store: SessionStore, tmp_path: Path
) -> None:
    (here := tmp_path / "here").mkdir()
    (there := tmp_path / "there").mkdir()
    old, new, other = store.new(here), store.new(here), store.new(there)
    say(old, "  the   old\n question " + "x" * 100)
    say(new, "the new question")
    say(other, "elsewhere")
    name(new, "first name")
    name(new, "a name")
    os.utime(old.path, (1, 1))
    rows = store.list(here)
    assert [row.shown for row in rows] == ["a name", f"the old question {'x' * 62}…"]
    assert rows[1].updated.timestamp() == 1
    assert {row.id for row in store.list()} == {old.id, new.id, other.id}


def test_a_session_is_found_by_the_start_of_its_id_its_name_or_its_file(
    store: SessionStore, tmp_path: Path
) -> None:
    file = store.new(tmp_path)
    say(file, "hello")
    name(file, "parser repair")
    for wanted in (file.id, file.id[:20].lower(), "parser repair", str(file.path)):
        assert store.find(wanted, tmp_path / "elsewhere") == file.path
    with pytest.raises(SessionError, match="no session 'parser'"):
        store.find("parser", tmp_path)
    with pytest.raises(SessionError, match="no session file"):
        store.find(str(tmp_path / "x.jsonl"), tmp_path)


def test_several_that_fit_are_named(store: SessionStore, tmp_path: Path) -> None:
    first, second = store.new(tmp_path), store.new(tmp_path)
    say(first, "one")
    say(second, "two")
    with pytest.raises(SessionError, match=r"several sessions fit '01': .*\(two\)"):
        store.find("01", tmp_path)


def test_moving_in_the_tree_is_kept(store: SessionStore, tmp_path: Path) -> None:
    file = store.new(tmp_path)
    first = say(file, "one")
    say(file, "two")
    file.move(first)
    file.close()
    again = store.open(file.path)
    assert again.tree.leaf == first
    say(again, "other two")
    again.move(None)
    say(again, "other one")
    again.close()
    last = store.open(file.path)
    assert texts(last, last.tree.leaf) == ["other one"]
    assert [said(entry) for entry in last.tree.entries] == ["one", "two", "other two", "other one"]
    last.close()


def test_a_branch_is_a_session_of_its_own(store: SessionStore, tmp_path: Path) -> None:
    file = store.new(tmp_path)
    first = say(file, "one")
    name(file, "named")
    second = say(file, "two")
    say(file, "three")
    branch = store.branch(file.tree, second, tmp_path)
    say(branch, "other three")
    assert texts(branch, branch.tree.leaf) == ["one", "two", "other three"]
    assert branch.tree.header.parent_session == file.id
    assert branch.tree.name == ""
    assert texts(file, file.tree.leaf)[-1] == "three"
    assert store.list(tmp_path)[0].title == "one"
    assert first in branch.tree


def test_a_second_process_is_refused_in_words(store: SessionStore, tmp_path: Path) -> None:
    file = store.new(tmp_path)
    say(file, "one")
    with pytest.raises(SessionError, match="open in another mm"):
        store.open(file.path)
    file.close()
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(file.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(SessionError, match="open in another mm"):
            store.open(file.path)
        assert texts_of(store, file.path) == ["one"]
        holder.kill()
    store.open(file.path).close()


def texts_of(store: SessionStore, path: Path) -> list[str]:
    tree = store.read(path)
    return [said(entry) for entry in tree.path(tree.leaf)]


def test_a_file_of_a_newer_mm_is_refused_in_words(store: SessionStore, tmp_path: Path) -> None:
    file = store.new(tmp_path)
    say(file, "one")
    file.close()
    data = file.path.read_bytes().replace(b'"version":1', b'"version":2', 1)
    file.path.write_bytes(data)
    with pytest.raises(SessionError, match=r"newer mm.*update mm"):
        store.open(file.path)
    assert file.path.read_bytes() == data


def test_a_deleted_session_is_gone_unless_it_is_in_use(store: SessionStore, tmp_path: Path) -> None:
    file = store.new(tmp_path)
    say(file, "one")
    with pytest.raises(SessionError, match="open in another mm"):
        store.delete(file.path)
    file.close()
    store.delete(file.path)
    assert store.path(file.id) is None


@pytest.mark.parametrize("wanted", ["../x", "*", "", "a/b"])
def test_an_id_is_no_pattern_and_no_path(store: SessionStore, tmp_path: Path, wanted: str) -> None:
    say(store.new(tmp_path), "one")
    assert store.path(wanted) is None


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> Callable[[bool], None]:
    """Makes the disk full or not: of each line only a part is written."""
    write = os.write
    full = False

    def partly(handle: int, data: bytes) -> int:
        if not full:
            return write(handle, data)
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return write(handle, data[:-15])

    def switch(on: bool) -> None:
        nonlocal full
        full = on

    monkeypatch.setattr(os, "write", partly)
    return switch


def test_a_full_disk_is_said_and_what_was_missed_follows(
    store: SessionStore, tmp_path: Path, full_disk: Callable[[bool], None]
) -> None:
    full_disk(True)
    file = store.new(tmp_path)
    say(file, "one")
    assert file.problem == f"the session cannot be saved in {file.path}: No space left on device"
    assert not file.path.exists()
    full_disk(False)
    say(file, "two")
    assert file.problem == ""
    full_disk(True)
    say(file, "three")
    full_disk(False)
    say(file, "four")
    file.close()
    again = store.open(file.path)
    assert texts(again, again.tree.leaf) == ["one", "two", "three", "four"]
    assert again.tree.damaged == 1
    again.close()
