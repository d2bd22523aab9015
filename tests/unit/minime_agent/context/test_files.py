from __future__ import annotations

from pathlib import Path

from minime_agent.context.files import Context, folders, read_context


def test_one_file_a_folder_the_nearest_last(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "AGENTS.md").write_text("Use tabs.\n")
    (tmp_path / "CLAUDE.md").write_text("not read")
    (inner / "CLAUDE.md").write_text("\ufeffUse spaces.", "utf-8")
    context = read_context([tmp_path, inner], tmp_path)
    assert context.problems == ()
    assert context.text.endswith(
        f"## {tmp_path / 'AGENTS.md'}\n\nUse tabs.\n\n## {inner / 'CLAUDE.md'}\n\nUse spaces."
    )
    (inner / "AGENTS.override.md").write_text("Mine.")
    assert "spaces" not in read_context([inner], tmp_path).text


def test_nothing_written_is_nothing_said(tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text(" \n")
    assert read_context([tmp_path], tmp_path) == Context()


def test_the_users_own_prompt(tmp_path: Path) -> None:
    (tmp_path / "SYSTEM.md").write_text("You are a pirate.\n")
    (tmp_path / "APPEND_SYSTEM.md").write_text("Answer in French.")
    context = read_context([], tmp_path)
    assert (context.system, context.append) == ("You are a pirate.", "Answer in French.")


def test_what_is_too_long_is_cut_far_from_the_work_first(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    (tmp_path / "AGENTS.md").write_text("f" * 80)
    (inner / "AGENTS.md").write_text("n" * 60)
    context = read_context([tmp_path, inner], tmp_path, most=100)
    assert "n" * 60 in context.text
    assert "f" * 40 + "\n[the rest of this file has no room here" in context.text
    assert context.problems == (
        f"{tmp_path / 'AGENTS.md'} is cut: only 40 of its 80 characters have room in the system prompt",
    )


def test_folders_of_a_repository(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "a" / "b").mkdir(parents=True)
    (root / ".git").write_text("gitdir: elsewhere")
    assert folders(root / "a" / "b")[1:] == [root, root / "a", root / "a" / "b"]
