"""A conversation with one model in one folder. This is all that a façade needs to know of the engine."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from minime_agent.config.check import ConfigError
from minime_agent.config.settings import Settings, Thinking
from minime_agent.engine import advice
from minime_agent.engine.backoff import Backoff
from minime_agent.engine.compacting import Compactor
from minime_agent.engine.connection import Connection
from minime_agent.engine.errors import ModelError, ServerGoneError, Stuck
from minime_agent.engine.library import Library, WrittenCommand, read_library
from minime_agent.engine.memory import Ground, Memory, Steering
from minime_agent.engine.messages import Message, user
from minime_agent.engine.profile import Profile, merged, profile_of
from minime_agent.engine.prompt import system_prompt
from minime_agent.engine.recorder import Recorder
from minime_agent.engine.request import RequestBuilder
from minime_agent.engine.status import Status
from minime_agent.engine.turn import Outcome, StopReason, run_turn
from minime_agent.tools.read_skill import ReadSkill
from minime_agent.tools.toolbox import select
from minime_agent.tools.workspace import Workspace, output_limit
from minime_agent.ui.events import Notice, Sink

__all__ = ["Outcome", "Session", "Status", "StopReason"]


class Session:
    """One conversation: history, folder, settings. Building one reaches no server and loads no model.

    `recorder` keeps the conversation on the disk and brings what was said before; None: nothing is kept.
    `connection` and `backoff` are for callers that bring their own way to a model, or their own clock.
    """

    def __init__(
        self,
        settings: Settings,
        cwd: Path,
        history: Sequence[Message] = (),
        *,
        recorder: Recorder | None = None,
        connection: Connection | None = None,
        backoff: Backoff | None = None,
    ) -> None:
        self.settings = settings
        self.cwd = cwd.resolve()
        self._memory = Memory(
            Workspace(self.cwd), recorder.history if recorder else list(history), recorder=recorder
        )
        self._connection = connection or Connection(settings)
        self._backoff = backoff or Backoff()
        self._ground: Ground | None = None
        self._problems_told = False

    @property
    def history(self) -> list[Message]:
        """The conversation so far, without the system message."""
        return self._memory.history

    @property
    def recorder(self) -> Recorder | None:
        """What keeps the conversation; None when nothing does."""
        return self._memory.recorder

    @functools.cached_property
    def library(self) -> Library:
        """The skills, templates and context files of the folder, as they are when first asked for."""
        return read_library(self.settings, self.cwd)

    @property
    def commands(self) -> list[WrittenCommand]:
        """The slash commands that somebody wrote: a prompt may begin with one."""
        return self.library.commands()

    @property
    def model(self) -> str:
        """The name of the model that was chosen; empty for the server's first, whichever that is."""
        return self.settings.model

    @property
    def answering(self) -> str:
        """The name of the model that answers; empty until the server has named it."""
        return self._ground.client.endpoint.model if self._ground is not None else ""

    async def models(self) -> tuple[str, ...]:
        """The names of the models to choose from; none where no server runs. Starts no embedded model."""
        return await self._connection.names()

    async def choose_model(self, name: str) -> None:
        """Goes on with another model; empty: the server's first. Not while a turn runs."""
        self.settings = replace(self.settings, model=name)
        await self._start_anew()

    @property
    def thinking(self) -> Thinking:
        """Whether the model is to reason."""
        return self.settings.thinking

    async def choose_thinking(self, value: Thinking) -> None:
        """Lets the model reason, or not. Not while a turn runs."""
        self.settings = replace(self.settings, thinking=value)
        await self._start_anew()

    async def _start_anew(self) -> None:
        """The next prompt finds the model by the settings as they are now."""
        await self.close()
        self._connection.settings = self.settings

    async def prompt(self, text: str, sink: Sink) -> Outcome:
        """Runs one turn: sends `text`, streams what happens to `sink`, runs the tools, returns when done.

        One turn at a time per session. To stop a turn, cancel the task that awaits this: running tools end
        and `asyncio.CancelledError` comes out. In every ending the history is whole (each tool call has its
        result), so the next prompt is valid; only what got no answer at all is taken back from its end.

        Raises `ModelError` when the model cannot be reached or used and `Stuck` when it repeats itself; the
        message of either is the sentence for the person.
        """
        ground = await self._settle(sink)
        text = self._expanded(text)
        memory = self._memory
        if memory.recorder is not None:
            sink = memory.recorder.observed(sink)
        memory.add(user(text))
        try:
            await self._warn(sink)
            outcome = await run_turn(ground, memory, sink)
        except (ModelError, Stuck) as error:
            said = await self._connection.explained(error) if isinstance(error, ServerGoneError) else error
            if memory.recorder is not None:
                memory.recorder.failed(str(said))
            raise said from None
        finally:
            while memory.history[-1:] and memory.history[-1].role == "user":
                memory.history.pop()
            memory.save()
        await self._warn(sink)
        await self._advise_of_window(ground, sink)
        return outcome

    def steer(self, text: str) -> None:
        """Hands `text` to the running turn: the model reads it before its next call (the `Steered` event).

        A turn whose last answer is written goes on for it. What comes too late, or when the turn was stopped,
        stays until the next turn; `take_back` gives it back.
        """
        self._memory.steering.append(Steering(text, self._expanded(text)))

    def take_back(self) -> str | None:
        """The newest message that was steered and not handed over, as it was typed; None without one."""
        return self._memory.steering.pop().typed if self._memory.steering else None

    @property
    def steering(self) -> list[str]:
        """What was steered and not handed over, oldest first, as it was typed."""
        return [steering.typed for steering in self._memory.steering]

    @property
    def tools(self) -> list[str]:
        """The names of the tools that the model has; empty until the model is found."""
        return self._ground.toolbox.names if self._ground is not None else []

    async def compact(self, sink: Sink, instructions: str = "") -> None:
        """Makes room in the context window now (`/compact`); the sink is told by what, or why not.

        `instructions` say what the summary is to keep. Not while a turn runs. Raises `ModelError` when the
        model cannot be reached.
        """
        ground = await self._settle(sink)
        await Compactor(ground, self._memory, sink).by_hand(instructions)

    def switch(self, recorder: Recorder | None) -> None:
        """Goes on with another conversation (`/new`, `/fork`, …); the model stays connected.

        The former one is let go of, unless it is the same that has moved in its tree.
        """
        former, limit = self._memory.recorder, self._memory.workspace.max_output
        if former is not None and former is not recorder:
            former.close()
        history = recorder.history if recorder else []
        self._memory = Memory(Workspace(self.cwd, limit), history, recorder=recorder)

    async def close(self) -> None:
        """Closes the connection to the model and what the tools run; a later prompt opens them again."""
        if self._ground is not None:
            await self._ground.toolbox.close()
        self._ground = None
        await self._connection.close()

    async def status(self, sink: Sink) -> Status:
        """What the session runs on and how it goes. Reaches the server; raises `ModelError` without one."""
        ground = await self._settle(sink)
        endpoint, window = ground.client.endpoint, await self._window()
        return Status(
            endpoint.provider.name,
            endpoint.model,
            endpoint.base_url,
            window,
            ground.prompt_tokens,
            self._memory.usage,
        )

    async def describe(self, sink: Sink) -> str:
        """What the session runs on, in one line: provider, model, address, window. As `status`."""
        return (await self.status(sink)).sentence

    def _expanded(self, text: str) -> str:
        """A message of the person as the model reads it."""
        return self.library.expand(text, self.cwd, by_tool=ReadSkill.name in self.tools)

    async def _tell_problems(self, sink: Sink) -> None:
        if not self._problems_told:
            self._problems_told = True
            for problem in self.library.problems:
                await sink.emit(Notice(problem, "warning"))

    async def _advise_of_window(self, ground: Ground, sink: Sink) -> None:
        """Once the model has answered: some servers tell a window only when it is loaded."""
        compacts, prompt = self.settings.context.enabled, ground.prompt_tokens
        sentences = advice.of_window(ground.client.endpoint, await self._window(), prompt, compacts=compacts)
        await advice.give(sentences, self._memory.advised, sink)

    async def _warn(self, sink: Sink) -> None:
        recorder = self._memory.recorder
        if recorder is not None and (warning := recorder.warning()):
            await sink.emit(Notice(warning, "warning"))

    async def _settle(self, sink: Sink) -> Ground:
        """The model and what goes with it, found at the first prompt and again when the model is gone."""

        async def tell(sentence: str) -> None:
            await sink.emit(Notice(sentence))

        await self._tell_problems(sink)
        client = await self._connection.open(tell)
        if self._memory.recorder is not None:
            self._memory.recorder.answered_by(client.endpoint.provider.name, client.endpoint.model)
        if self._ground is None or self._ground.client is not client:
            if self._ground is not None:
                await self._ground.toolbox.close()
            profile = self._profile(client.endpoint.model)
            settings = replace(self.settings, sampling=merged(self.settings, profile))
            toolbox = select(settings, self.library.skills, profile.tools)
            context = self.library.context
            system = system_prompt(self.settings, self.cwd, context, tools=bool(toolbox.names))
            declared, role = toolbox.declarations(), profile.system_role
            requests = RequestBuilder(
                client.endpoint, settings.sampling, declared, system_role=role, thinking=settings.thinking
            )
            learn = self._connection.learn_window
            self._ground = Ground(
                settings, client, requests, system, toolbox, self._window, learn, self._backoff
            )
            await advice.give(advice.at_start(profile, settings), self._memory.advised, sink)
        return self._ground

    def _profile(self, model: str) -> Profile:
        try:
            return profile_of(model, self.settings.profile)
        except ConfigError as error:
            raise ModelError(str(error)) from None

    async def _window(self) -> int:
        """The window, and with it the size of a tool result, known once the model has answered."""
        window = await self._connection.window()
        self._memory.workspace.max_output = output_limit(self.settings.max_output, window)
        return window
