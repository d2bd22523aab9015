"""Where skills lie: near the work first, then the user's own, then those that mm brings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from minime_agent.project import project_folders, user_folder
from minime_agent.resources import resource
from minime_agent.skills.skill import Skill, SkillError, load

_DEEPEST = 4
_MOST_FILES = 500


class Skills(msgspec.Struct, frozen=True):
    """The skills of one session by name, sorted, and a sentence for each file that is none."""

    by_name: dict[str, Skill]
    problems: tuple[str, ...] = ()

    @property
    def offered(self) -> list[Skill]:
        """Those that the model may choose."""
        return [skill for skill in self.by_name.values() if skill.offered]


def folders(cwd: Path, skills_dir: str) -> list[Path]:
    """The folders of skills, the nearest first. `skills_dir`, the user's, is in the settings' folder."""
    near = [folder / name / "skills" for folder in project_folders(cwd)[::-1] for name in (".mm", ".agents")]
    own = [user_folder() / Path(skills_dir).expanduser()] if skills_dir else []
    return list(dict.fromkeys((*near, *own, Path.home() / ".agents" / "skills", resource("skills"))))


def discover(places: Sequence[Path]) -> Skills:
    """All skills of the folders; of two with one name the nearer one counts."""
    found: dict[str, Skill] = {}
    problems: list[str] = []
    for place in places:
        here: dict[str, Skill] = {}
        for path in _files(place):
            try:
                skill = load(path)
            except SkillError as error:
                problems.append(f"the skill {path} is left out: {error}")
                continue
            if skill.name in here:
                problems.append(
                    f"the skill {path} is left out: {here[skill.name].path} has its name {skill.name}"
                )
            else:
                here[skill.name] = skill
        found = here | found
    return Skills(dict(sorted(found.items())), tuple(problems))


def _files(place: Path) -> Iterator[Path]:
    """The files that are skills, in the order of their paths: `*.md` at the top, `SKILL.md` at any depth."""
    for count, path in enumerate(_walk(place, _DEEPEST)):
        if count == _MOST_FILES:
            return
        yield path


def _walk(folder: Path, depth: int) -> Iterator[Path]:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError:
        return  # there is none here, or none that may be read
    for entry in entries:
        if entry.name.startswith(".") or entry.name == "node_modules":
            continue
        path = Path(entry.path)
        if not entry.is_dir():
            is_page = depth == _DEEPEST and path.suffix == ".md" and path.stem.upper() != "README"
            if is_page and path.name != "SKILL.md":
                yield path
        elif (path / "SKILL.md").is_file():
            yield path / "SKILL.md"
        elif depth:
            yield from _walk(path, depth - 1)
