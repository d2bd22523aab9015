"""What people wrote down for mm: skills, prompt templates, context files. It is text and runs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import msgspec

from minime_agent.config.settings import Settings
from minime_agent.context import files as context_files
from minime_agent.context.files import Context
from minime_agent.mention import mentions
from minime_agent.project import user_folder
from minime_agent.prompts import templates as prompt_templates
from minime_agent.prompts.templates import Templates
from minime_agent.skills import discover as skill_files
from minime_agent.skills.discover import Skills
from minime_agent.skills.invoke import rewrite


class WrittenCommand(NamedTuple):
    """A slash command that somebody wrote, its name without the slash; `hint`: what may follow it."""

    name: str
    description: str
    hint: str


class Library(msgspec.Struct, frozen=True):
    """All of it for one session, as it was when the session began: requests begin with the same bytes."""

    skills: Skills
    templates: Templates
    context: Context

    @property
    def problems(self) -> tuple[str, ...]:
        """A sentence for each file that does not count, or not as a whole."""
        return (*self.skills.problems, *self.templates.problems, *self.context.problems)

    def commands(self) -> list[WrittenCommand]:
        """The slash commands, for façades to complete and to list."""
        own = [WrittenCommand(one.name, one.description, one.hint) for one in self.templates.by_name.values()]
        skills = self.skills.by_name.values()
        return own + [WrittenCommand(f"skill:{one.name}", one.description, "parameters") for one in skills]

    def expand(self, text: str, cwd: Path, *, by_tool: bool) -> str:
        """A question as the model reads it. `by_tool`: the model has read_skill."""
        text = rewrite(self.templates.expand(text), self.skills, by_tool=by_tool)
        return mentions.expand(text, cwd)


def read_library(settings: Settings, cwd: Path) -> Library:
    """Reads what there is for a session in the folder."""
    return Library(
        skill_files.discover(skill_files.folders(cwd, settings.skills_dir)),
        prompt_templates.discover(prompt_templates.folders(cwd)),
        context_files.read_context(context_files.folders(cwd), user_folder()),
    )
