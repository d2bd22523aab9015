"""One answer of the model, with the repetitions that a failure is worth."""

from __future__ import annotations

from minime_agent.engine import advice
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
    failures = _Failures(ground, memory, sink, compactor)
    warm = memory.warm_calls > 0
    memory.warm_calls = max(0, memory.warm_calls - 1)
    while True:
        answer = Answer(
            sink,
            ground.settings.guards,
            starts_inside=memory.template_opens_think,
            holds_calls=tools and bool(ground.toolbox.names),
        )
        body = ground.requests.body(ground.system, memory.history, tools=tools, force=force, warm=warm)
        try:
            await _stream(ground, memory, answer, body)
        except ModelError as error:
            await failures.settle(error, answer)
        except BaseException:
            _keep(answer, memory)
            raise
        else:
            if (usage := answer.usage(await ground.window())) is not None:
                cut = advice.of_count(ground.client.endpoint, usage, compactor.guess())
                compactor.learn(usage)
                memory.usage = usage
                await sink.emit(usage)
                await advice.give(cut, memory.advised, sink)
            return answer


class _Failures:
    """What is done about the failures of one request, each a bounded number of times."""

    def __init__(self, ground: Ground, memory: Memory, sink: Sink, compactor: Compactor) -> None:
        self._ground = ground
        self._memory = memory
        self._sink = sink
        self._compactor = compactor
        self._tried = self._told = 0
        self._overflowed = False

    async def settle(self, error: ModelError, answer: Answer) -> None:
        """Does what has to come before the request is sent again; raises the error when it is final."""
        match error:
            case ContextOverflowError() if not self._overflowed:
                self._overflowed = True
                if error.window:
                    self._ground.learn_window(error.window)
                await self._compactor.overflow(error)
            case UnreadableAnswerError():
                _keep(answer, self._memory)
                if self._told >= _TELL_AT_MOST:
                    raise error
                self._told += 1
                _tell(self._memory, f"[{error.advice}]")
                await self._sink.emit(Notice(f"{error}; telling the model"))
            case _ if error.parameter and self._ground.requests.drop(error.parameter):
                return
            case _:
                await self._wait(error, answer)

    async def _wait(self, error: ModelError, answer: Answer) -> None:
        backoff = self._ground.backoff
        delays = backoff.delays(error, shown=answer.shown)
        if self._tried >= len(delays):
            _keep(answer, self._memory)
            raise error
        await self._sink.emit(Notice(f"{error}; asking again"))
        await backoff.sleep(delays[self._tried])
        self._tried += 1


async def _stream(ground: Ground, memory: Memory, answer: Answer, body: bytes) -> None:
    try:
        await ground.client.complete(body, answer.take)
    except RunawayCall as runaway:
        answer.runaway = str(runaway)
    await answer.end()
    memory.template_opens_think |= answer.template_opens_think


def _tell(memory: Memory, note: str) -> None:
    """Adds a note for the model, to the question where that is the newest: templates want turns to change."""
    last = memory.history[-1]
    if last.role == "user":
        memory.history[-1] = user(f"{last.content}\n\n{note}")
        memory.save()
    else:
        memory.add(user(note))


def _keep(answer: Answer, memory: Memory) -> None:
    """What was shown; calls that were still being written were never run and are left out."""
    if answer.text:
        memory.add(answer.message())
