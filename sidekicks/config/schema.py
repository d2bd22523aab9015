"""The configuration as the core uses it, and the JSON Schema that says what its file may hold."""

from __future__ import annotations

import functools

import msgspec

from sidekicks.models import AgentDefinition, LanguageChoice, Limits, Model, ThemeChoice
from sidekicks.resources import resource


class Config(Model, frozen=True):
    """A valid configuration; agents in the order of the file."""

    theme: ThemeChoice = "system"
    language: LanguageChoice = "system"
    limits: Limits = Limits()
    agents: tuple[AgentDefinition, ...] = ()

    def agent(self, name: str) -> AgentDefinition | None:
        """The definition of the agent `name`."""
        return next((agent for agent in self.agents if agent.name == name), None)


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) of the file, as JSON."""
    return resource("schemas/sidekicks.schema.json").read_text("utf-8")


@functools.cache  # it comes with the program and does not change while that runs
def schema() -> dict[str, object]:
    """The JSON Schema of the file. The caller must not change it."""
    return msgspec.json.decode(schema_text(), type=dict[str, object])
