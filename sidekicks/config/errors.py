"""What the configuration refuses, in one sentence for the user."""

from __future__ import annotations

from sidekicks.models import Problem


class ConfigError(Exception):
    """Something was asked of the configuration that can't be; the message says why."""


class UnreadableError(ConfigError):
    """The file has no text to show; `problem` says why, and where."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem
