"""The conversation on a terminal that moves its cursor: a line to type in, and above it what happens."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Coroutine

from prompt_toolkit import PromptSession
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI, StyleAndTextTuples, to_formatted_text
from prompt_toolkit.styles import Style

from minime_agent.engine.errors import ModelError, Stuck
from minime_agent.engine.session import Session
from minime_agent.repl.actions import Actions
from minime_agent.repl.commands import Command, command
from minime_agent.repl.completing import PromptCompleter, completes
from minime_agent.repl.history import PromptHistory
from minime_agent.repl.keys import bindings
from minime_agent.repl.live import LiveView
from minime_agent.repl.pasted import Pasted
from minime_agent.repl.rendering import Renderer
from minime_agent.repl.waiting import Waiting

_PROMPT = "> "
_REDRAW = 0.1
"""Seconds between two steps of the spinner."""
_FASTEST_REDRAW = 0.04
_AT_ANY_TIME = ("help", "tools")
"""Commands that do not disturb a turn."""
_STYLE = Style.from_dict({"activity": "ansicyan", "hint": "ansibrightblack", "waiting": "ansiyellow"})


class Terminal:
    """One session on one terminal."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._pasted = Pasted()
        self._waiting = Waiting(session)
        self._lines: asyncio.Queue[str] = asyncio.Queue()
        self._work: asyncio.Task[object] | None = None
        self._in_turn = False
        self._beside: set[asyncio.Future[None]] = set()
        self._prompt: PromptSession[str] = self._make_prompt()
        self._view = LiveView(Renderer(sys.stdout), self, self._print_above, session.settings.preview_lines)
        self._actions = Actions(session, self._view)

    async def run(self) -> int:
        """Runs until the person leaves; returns the exit code."""
        serving = asyncio.create_task(self._serve())
        serving.add_done_callback(self._served)
        try:
            await self._prompt.prompt_async()
        except EOFError:
            pass
        finally:
            serving.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await serving
        return 0

    @property
    def working(self) -> bool:
        """Whether a turn or a command runs."""
        return self._work is not None

    @property
    def in_turn(self) -> bool:
        """Whether the model is at work."""
        return self._in_turn

    @property
    def size(self) -> tuple[int, int]:
        """Columns and rows of the terminal."""
        size = self._prompt.app.output.get_size()
        # Some terminals wrap a line that ends in their last column.
        return max(size.columns - 1, 1), size.rows

    def changed(self) -> None:
        """What is live has changed."""
        self._prompt.app.invalidate()

    def submit(self, text: str, *, later: bool = False) -> None:
        """A message is complete: it begins a turn, steers the one that runs, or waits for its end."""
        wanted = command(text.strip())
        own = wanted is not None and not self._actions.is_question(wanted)
        if own and wanted is not None and wanted.name == "quit":
            self._leave()
        elif not self.working:
            self._lines.put_nowait(text)
        elif own and wanted is not None and wanted.name in _AT_ANY_TIME:
            beside = asyncio.ensure_future(self._run_beside(text, wanted))
            self._beside.add(beside)
            beside.add_done_callback(self._beside.discard)
        elif self._in_turn and not later and not own:
            self._waiting.steer(text)
        else:
            self._waiting.follow_up(text)
        self.changed()

    def stop(self) -> None:
        """Ends what runs; the session goes on."""
        if self._work is not None:
            self._work.cancel()

    def say_how_to_leave(self) -> None:
        """Ctrl+C where nothing is to be stopped."""
        self._view.say("Ctrl+D or /quit leaves")
        self._lines.put_nowait("")

    def take_back(self) -> str | None:
        """The message that was typed last."""
        return self._waiting.take_back()

    def _make_prompt(self) -> PromptSession[str]:
        prompt: PromptSession[str] = PromptSession(
            self._message,
            multiline=True,
            prompt_continuation="  ",
            history=PromptHistory(self._say_of_history),
            completer=PromptCompleter(self._session),
            complete_while_typing=Condition(self._completes),
            reserve_space_for_menu=6,
            key_bindings=bindings(self, self._pasted),
            enable_suspend=True,
            erase_when_done=True,
            style=_STYLE,
        )
        prompt.app.min_redraw_interval = _FASTEST_REDRAW
        prompt.app.ttimeoutlen = 0.1  # seconds; Escape alone means nothing here, so it may wait
        return prompt

    def _completes(self) -> bool:
        return completes(self._prompt.default_buffer.document.text_before_cursor)

    def _message(self) -> StyleAndTextTuples:
        """What stands above and before the line: the live end of the answer, what waits, what mm does."""
        rows: StyleAndTextTuples = [("", "\n")]
        if live := self._view.live():
            rows += to_formatted_text(ANSI(f"{live}\n"))
        if waiting := self._waiting.shown:
            rows += [("class:waiting", f"  {row}\n") for row in waiting]
            rows.append(("class:hint", "  Alt+Up takes back\n"))
        if activity := self._view.activity.line():
            rows += [("class:activity", activity), ("class:hint", "  Ctrl+C stops\n")]
        return [*rows, ("bold", _PROMPT)]

    def _say_of_history(self, sentence: str) -> None:
        """The view is there by the time that anything is typed."""
        self._view.say(sentence)

    async def _serve(self) -> None:
        """Takes the lines one after the other."""
        await self._guarded(self._begin())
        while True:
            text = self._waiting.next()
            if text is None:
                text = await self._lines.get()
            await self._guarded(self._take(text))

    def _served(self, serving: asyncio.Task[None]) -> None:
        """What went wrong with it ends the conversation: nobody takes lines any more."""
        if not serving.cancelled() and (error := serving.exception()) is not None:
            self._prompt.app.exit(exception=error)

    async def _begin(self) -> None:
        self._view.say("mm: /help lists the commands, Ctrl+C stops, Ctrl+D leaves")
        await self._view.flush()
        await self._actions.describe()
        recorder = self._session.recorder
        kept = f", session {recorder.title or 'new'}" if recorder is not None else ", not kept"
        self._view.say(f"in {self._session.cwd}{kept}")

    async def _take(self, text: str) -> None:
        """Runs a command or a turn."""
        if not text:
            return
        await self._view.echo(text)
        wanted = command(text.strip())
        if wanted is None or self._actions.is_question(wanted):
            self._in_turn = True
            try:
                await self._session.prompt(text.strip(), self._view)
            finally:
                self._in_turn = False
        else:
            await self._actions.run(wanted)

    async def _run_beside(self, text: str, wanted: Command) -> None:
        """Runs a command that does not disturb the turn."""
        await self._view.echo(text)
        try:
            await self._actions.run(wanted)
        except ModelError as error:
            self._view.fail(str(error))
        await self._view.flush()

    async def _guarded(self, work: Coroutine[object, object, object]) -> None:
        """Runs work that Ctrl+C may stop; the session goes on."""
        self._work = asyncio.create_task(self._watched(work))
        spinner = asyncio.create_task(self._spin())
        try:
            await asyncio.wait({self._work})
            if self._work.cancelled():
                self._give_back()
            else:
                self._work.result()
        except asyncio.CancelledError:
            self._work.cancel()
            await asyncio.wait({self._work})
            raise
        finally:
            self._work = None
            spinner.cancel()
            self.changed()

    async def _watched(self, work: Coroutine[object, object, object]) -> None:
        self._view.activity.begin()
        try:
            await work
        except asyncio.CancelledError:
            self._view.say("stopped")
            raise
        except (ModelError, Stuck) as error:
            self._view.fail(str(error))
        finally:
            self._view.activity.end()
            await self._view.end()

    def _give_back(self) -> None:
        """What waited when the turn was stopped comes back into the line."""
        if taken := self._waiting.take_all_back():
            buffer = self._prompt.default_buffer
            buffer.text = "\n".join([*(self._pasted.mark(text) for text in taken), buffer.text]).rstrip("\n")
            buffer.cursor_position = len(buffer.text)

    async def _spin(self) -> None:
        while True:
            await asyncio.sleep(_REDRAW)
            self.changed()

    def _leave(self) -> None:
        self._prompt.app.exit(exception=EOFError())

    async def _print_above(self, text: str) -> None:
        """Puts text above the line, where it stays.

        Not with `run_in_terminal`: it leaves raw mode, and keys that come just then are echoed or lost.
        """
        app = self._prompt.app
        draws = app.is_running and app.context is not None
        if draws:
            app.renderer.erase()
        app.output.write_raw(text.replace("\n", "\r\n"))
        app.output.flush()
        if draws and app.context is not None:
            app.renderer.request_absolute_cursor_position()
            app.context.copy().run(app.renderer.render, app, app.layout)
