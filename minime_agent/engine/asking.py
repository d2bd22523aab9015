"""One answer of the model, with the repetitions that a failure is worth."""

from __future__ import annotations

from minime_agent.engine.answer import Answer
from minime_agent.engine.compacting import Compactor
from minime_agent.engine.errors import ContextOverflowError, ModelError, UnreadableAnswerError
from minime_agent.engine.memory import Ground, Memory
from minime_agent.engine.messages import user
from minime_agent.engine.request import Force
from minime_agent.engine.runaway import RunawayCall
from minime_agent.ui.events import Notice, Sink

_TELL_AT_MOST = 2
"""How often in a request the model is told that the server could not read what it wrote."""


async def ask(
    ground: Ground, memory: Memory, sink: Sink, *, tools: bool = True, force: Force | None = None
) -> Answer:
    """The answer to the history as it is. A request may be repeated, a tool never is.

    Room is made first where little is left, and once more when the server finds the request too large.
    What the person has seen of an answer that then fails, or is stopped, is kept in the history. With `force`
    the answer is a call, if anything. Raises `ModelError`.
    """
    compactor = Compactor(ground, memory, sink)
    await compactor.fit()
    tried = told = 0
    overflowed = False
    warm = memory.warm_calls > 0
    memory.warm_calls = max(0, memory.warm_calls - 1)
    holds_calls = tools and bool(ground.toolbox.names)
    while True:
        guards, inside = ground.settings.guards, memory.template_opens_think
        answer = Answer(sink, guards, starts_inside=inside, holds_calls=holds_calls)
        body = ground.requests.body(ground.system, memory.history, tools=tools, force=force, warm=warm)
        try:
            await _stream(ground, memory, answer, compactor, body)
        except ContextOverflowError as error:
            if overflowed:
                raise
            overflowed = True
            await compactor.overflow(error)
        except UnreadableAnswerError as error:
            _keep(answer, memory)
            if told >= _TELL_AT_MOST:
                raise
            told += 1
            _tell(memory, f"[{error.advice}]")
            await sink.emit(Notice(f"{error}; telling the model"))
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


async def _stream(ground: Ground, memory: Memory, answer: Answer, compactor: Compactor, body: bytes) -> None:
    try:
        await ground.client.complete(body, answer.take)
    except RunawayCall as runaway:
        answer.runaway = str(runaway)
    await answer.end()
    memory.template_opens_think |= answer.template_opens_think
    if (usage := answer.usage(await ground.window())) is not None:
        compactor.learn(usage)
        await answer.sink.emit(usage)


def _tell(memory: Memory, note: str) -> None:
    """Adds a note for the model, to the question where that is the newest: templates want turns to change."""
    last = memory.history[-1]
    if last.role == "user":
        memory.history[-1] = user(f"{last.content}\n\n{note}")
    else:
        memory.history.append(user(note))


def _keep(answer: Answer, memory: Memory) -> None:
    """What was shown; calls that were still being written were never run and are left out."""
    if answer.text:
        memory.history.append(answer.message())
