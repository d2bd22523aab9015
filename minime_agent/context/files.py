"""Context files: the user's, then from the repository's root down to the working folder, one a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from minime_agent.project import project_folders, user_folder

NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
"""The first that a folder has counts."""
_MOST = 12_000
"""Characters of all files together: some 3,000 tokens, which even a window of 8k has room for."""
_HEAD = "Instructions that people wrote for this work; the later ones are nearer to it:"


class Context(msgspec.Struct, frozen=True):
    """Parts of the system prompt, "" where nothing was written, and sentences for the person.

    `system` stands in place of mm's own prompt, `append` follows it, `text` are the context files.
    """

    system: str = ""
    append: str = ""
    text: str = ""
    problems: tuple[str, ...] = ()


def folders(cwd: Path) -> list[Path]:
    """The folders whose files count, the farthest first."""
    return list(dict.fromkeys((user_folder(), *project_folders(cwd))))


def read_context(places: Sequence[Path], own: Path, most: int = _MOST) -> Context:
    """The files of the folders, and SYSTEM.md and APPEND_SYSTEM.md of the user's folder `own`.

    When the context files are too long together, the nearest are whole first.
    """
    sections: list[str] = []
    problems: list[str] = []
    left = most
    for path in reversed([found for place in places if (found := _file(place))]):
        text = _read(path, problems)
        if len(text) > left:
            problems.append(
                f"{path} is cut: only {left} of its {len(text)} characters have room in the system prompt"
            )
            text = f"{text[:left]}\n[the rest of this file has no room here: read it with read_file]"
        left = max(left - len(text), 0)
        if text:
            sections.append(f"## {path}\n\n{text}")
    together = "\n\n".join((_HEAD, *reversed(sections))) if sections else ""
    system, append = (_read(own / name, problems) for name in ("SYSTEM.md", "APPEND_SYSTEM.md"))
    return Context(system, append, together, tuple(problems))


def _read(path: Path, problems: list[str]) -> str:
    try:
        return path.read_text("utf-8-sig", "replace").strip()
    except FileNotFoundError:
        return ""
    except OSError as error:
        problems.append(f"{path} cannot be read: {error.strerror}")
        return ""


def _file(folder: Path) -> Path | None:
    return next((path for name in NAMES if (path := folder / name).is_file()), None)
