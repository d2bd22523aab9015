"""The words of the configuration that a shell completes."""

from __future__ import annotations

import os


def agent_names(**options: object) -> list[str]:
    """The names of the configured agents; none when the configuration can't be read.

    `options` is what a completer gets: of it the options before the word, in `parsed_args`, count. Channels
    are not offered: they stand in the history, which a completion must not take from a window that opens.
    """
    from sidekicks.commands.configuration import configuration

    parsed = options.get("parsed_args")
    loaded = configuration(getattr(parsed, "config", "") or "", os.environ).loaded
    return [agent.name for agent in loaded.config.agents] if loaded.config is not None else []
