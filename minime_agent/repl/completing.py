"""Completion of `/commands`, `$skills` and `@files` in the line that is typed."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, Iterable

from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document

from minime_agent.engine.session import Session
from minime_agent.mention.complete import matching
from minime_agent.mention.mentions import written
from minime_agent.repl.commands import COMMANDS
from minime_agent.tools.tool import ToolFailure
from minime_agent.tools.walk import list_files

_MENTION = re.compile(r'(?<!\S)@(?:"([^"\n]*)|([^\s"]*))$')
_SKILL = re.compile(r"\$([\w-]*)$")
_COMMAND = re.compile(r"/([\w.:-]*)$")
_ARGUMENT = re.compile(r"/model\s+(\S*)$")
_LISTED_FOR = 5.0
"""Seconds for which a list of the folder's files is good enough."""


def completes(text: str) -> bool:
    """Whether the text before the cursor ends with something that can be completed."""
    return bool(_MENTION.search(text) or any(p.fullmatch(text) for p in (_SKILL, _COMMAND, _ARGUMENT)))


class PromptCompleter(Completer):
    """What may be meant, the likeliest first."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._files: list[str] = []
        self._listed_at = float("-inf")

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """Nothing: files are listed while keys are read."""
        return ()

    async def get_completions_async(
        self, document: Document, complete_event: CompleteEvent
    ) -> AsyncGenerator[Completion, None]:
        """The completions of what stands before the cursor."""
        text = document.text_before_cursor
        if mention := _MENTION.search(text):
            typed = mention[1] if mention[1] is not None else mention[2]
            for path in matching(typed, await self._listed()):
                yield Completion(written(path), mention.start() - len(text), display=path)
        elif skill := _SKILL.fullmatch(text):
            for name, one in self._session.library.skills.by_name.items():
                if name.startswith(skill[1]):
                    yield Completion(
                        f"${name} ", -len(text), display=f"${name}", display_meta=one.description
                    )
        elif _COMMAND.fullmatch(text):
            for name, what, hint in self._commands():
                if name.startswith(text[1:]):
                    yield Completion(
                        f"/{name} " if hint else f"/{name}",
                        -len(text),
                        display=f"/{name} {hint}".rstrip(),
                        display_meta=what,
                    )
        elif model := _ARGUMENT.fullmatch(text):
            for name in matching(model[1], await self._session.models()):
                yield Completion(name, -len(model[1]))

    def _commands(self) -> Iterable[tuple[str, str, str]]:
        yield from ((one.name, one.what, one.argument) for one in COMMANDS)
        yield from ((one.name, one.description, one.hint) for one in self._session.commands)

    async def _listed(self) -> list[str]:
        if time.monotonic() - self._listed_at > _LISTED_FOR:
            try:
                self._files = (await list_files(self._session.cwd)).paths
            except ToolFailure:
                self._files = []
            self._listed_at = time.monotonic()
        return self._files
