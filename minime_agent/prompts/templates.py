"""The prompt templates of a session: the project's, nearest first, then the user's."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec

from minime_agent.frontmatter import FrontmatterError, split
from minime_agent.project import project_folders, user_folder
from minime_agent.prompts import arguments

_COMMAND = re.compile(r"/([\w.-]+)(?:\s+(.*))?", re.DOTALL)
_MOST_BYTES = 256 * 1024


class Template(msgspec.Struct, frozen=True):
    """A template; `hint` says what may follow its name."""

    name: str
    description: str
    hint: str
    text: str
    path: Path


class Templates(msgspec.Struct, frozen=True):
    """Templates by name, sorted, and a sentence for each file that is none."""

    by_name: dict[str, Template]
    problems: tuple[str, ...] = ()

    def expand(self, text: str) -> str:
        """`/name arguments` as the template's text; any other text as it is."""
        found = _COMMAND.fullmatch(text)
        template = self.by_name.get(found[1]) if found else None
        if found is None or template is None:
            return text
        return arguments.fill(template.text, arguments.split(found[2] or "")).strip()


def folders(cwd: Path) -> list[Path]:
    """Where templates lie, the nearest first."""
    near = [folder / ".mm" / "prompts" for folder in project_folders(cwd)[::-1]]
    return [*near, user_folder() / "prompts"]


def discover(places: Sequence[Path]) -> Templates:
    """All templates of the folders; of two with one name the nearer one counts."""
    found: dict[str, Template] = {}
    problems: list[str] = []
    for place in places:
        for path in sorted(place.glob("*.md")):
            try:
                template = _load(path)
            except (OSError, ValueError) as error:
                reason = error.strerror if isinstance(error, OSError) else error
                problems.append(f"the prompt {path} is left out: {reason}")
                continue
            found.setdefault(template.name, template)
    return Templates(dict(sorted(found.items())), tuple(problems))


def _load(path: Path) -> Template:
    if path.stat().st_size > _MOST_BYTES:
        raise FrontmatterError(f"it is larger than {_MOST_BYTES // 1024} KiB")
    head, body = split(path.read_text("utf-8"))
    first = next((line.strip("# ") for line in body.splitlines() if line.strip("# ")), "")
    description = " ".join(str(head.get("description") or first).split())[:200]
    return Template(path.stem, description, str(head.get("argument-hint") or ""), body.strip(), path)
