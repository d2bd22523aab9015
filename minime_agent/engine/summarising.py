"""Asking the model for the notes that take the place of old turns."""

from __future__ import annotations

from minime_agent.compact.summary import Task
from minime_agent.config.settings import Guards
from minime_agent.engine.answer import Answer
from minime_agent.engine.client import ModelClient
from minime_agent.engine.errors import ModelError
from minime_agent.engine.memory import Ground
from minime_agent.engine.request import THINKING_SWITCH
from minime_agent.ui.events import Event, Permission, PromptProgress, Sink, ToolStart

_PATIENCE = 2
"""Times the watchdog's limits: the whole old conversation is a new prompt, which the server has to read."""


class _Aside:
    """A sink that lets through how far the server is, and nothing of the answer."""

    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    async def emit(self, event: Event) -> None:
        if isinstance(event, PromptProgress):
            await self._sink.emit(event)

    async def allow(self, call: ToolStart) -> Permission:
        return "reject"


async def written_notes(ground: Ground, task: Task, max_tokens: int, sink: Sink) -> str:
    """The notes; raises `ModelError` where there are none. It is not asked twice: there is another way on."""
    settings = ground.settings
    client = ModelClient(
        ground.client.endpoint,
        settings.first_token_timeout * _PATIENCE,
        settings.watchdog_timeout * _PATIENCE,
    )
    try:
        answer = await _asked(client, ground, task, max_tokens, sink)
    finally:
        await client.close()
    if not answer.text.strip():
        spent = ": max_tokens went into its reasoning" if answer.reasoned else ""
        raise ModelError(f"the model gave an empty summary{spent}")
    return task.notes(answer.text.strip())


async def _asked(client: ModelClient, ground: Ground, task: Task, max_tokens: int, sink: Sink) -> Answer:
    """The answer; what the server refuses by name is left out."""
    while True:
        answer = Answer(_Aside(sink), Guards(runaway=False))
        try:
            await client.complete(ground.requests.aside(task.messages, max_tokens), answer.take)
        except ModelError as error:
            # Some servers name what they refuse only in their sentence.
            refused = error.parameter or (THINKING_SWITCH if THINKING_SWITCH in str(error) else "")
            if not (refused and ground.requests.drop(refused)):
                raise
        else:
            await answer.end()
            return answer
