"""One answer of the model, with the repetitions that a failure is worth."""

from __future__ import annotations

from minime_agent.engine.answer import Answer
from minime_agent.engine.errors import ModelError
from minime_agent.engine.memory import Ground, Memory
from minime_agent.ui.events import Notice, Sink


async def ask(ground: Ground, memory: Memory, sink: Sink, *, tools: bool = True) -> Answer:
    """The answer to the history as it is. A request may be repeated, a tool never is.

    What the person has seen of an answer that then fails, or is stopped, is kept in the history. Raises
    `ModelError`.
    """
    tried = 0
    while True:
        guards = ground.settings.guards
        answer = Answer(sink, filter_think=guards.think, starts_inside=memory.template_opens_think)
        try:
            await _stream(ground, memory, sink, answer, tools=tools)
        except ModelError as error:
            if error.parameter and ground.requests.drop(error.parameter):
                continue
            delays = ground.backoff.delays(error, shown=answer.shown)
            if tried >= len(delays):
                _keep(answer, memory)
                raise
            await sink.emit(Notice(f"{error}; asking again"))
            await ground.backoff.sleep(delays[tried])
            tried += 1
        except BaseException:
            _keep(answer, memory)
            raise
        else:
            return answer


async def _stream(ground: Ground, memory: Memory, sink: Sink, answer: Answer, *, tools: bool) -> None:
    body = ground.requests.body(ground.system, memory.history, tools=tools)
    await ground.client.complete(body, answer.take)
    await answer.end()
    memory.template_opens_think |= answer.template_opens_think
    if (usage := answer.usage(await ground.window())) is not None:
        await sink.emit(usage)


def _keep(answer: Answer, memory: Memory) -> None:
    """What was shown; calls that were still being written were never run and are left out."""
    if answer.text:
        memory.add(answer.message())
