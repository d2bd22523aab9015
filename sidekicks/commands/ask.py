"""`sidekicks ask`: one message to an agent or a channel, its answers as they come."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from types import FrameType

from sidekicks.bus import Subscription
from sidekicks.commands.output import CommandError, say
from sidekicks.commands.parser import did_you_mean
from sidekicks.commands.printer import Printer
from sidekicks.commands.questions import Questions
from sidekicks.commands.sent import Sent, folder, message
from sidekicks.commands.terminal import Terminal
from sidekicks.core import REFUSALS, Core, open_core
from sidekicks.events import (
    ElicitationRequested,
    ElicitationResolved,
    Event,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
)
from sidekicks.models import Channel
from sidekicks.tasks import Tasks

TIMED_OUT = 124
SIGNALLED = 128
"""Added to a signal's number it is the exit code: 130 for Ctrl+C, 143 for SIGTERM."""


def run(options: argparse.Namespace, environment: Mapping[str, str]) -> int:
    """Asks `options.target` (an agent, or `#channel`) `options.text`; 0 when every answer came to its end."""
    del environment
    sent = message(options.text, options.attach)
    if not sent.text.strip() and not sent.attachments:
        options.parser.error("there is no message: give TEXT, or text through stdin")
    if options.cwd:
        options.cwd = str(folder(options.cwd))
    try:
        return asyncio.run(_main(options, sent))
    except REFUSALS as error:
        raise CommandError(str(error)) from error


async def _main(options: argparse.Namespace, sent: Sent) -> int:
    """Agents are stopped and the history closed in every case."""
    async with open_core(options.config or None, options.data_dir or None) as core:
        current = core.config.current()
        for problem in current.problems:
            say(f"{core.config.path}:{problem.line}:{problem.column}: {problem.message}")
        if current.history_problem:
            say(f"sidekicks: {current.history_problem}")
        if not current.valid:
            raise CommandError("nobody was asked, because the configuration is not valid.")
        channel = await _channel(core, options)
        stopping = _Stopping(lambda: core.channels.cancel(channel.id), options.timeout)
        printer = Printer(as_json=options.json, several=lambda: _has_several(core, channel), asked=sent.text)
        questions = Questions(core, Terminal(text_came_through=sent.read_stdin), options.allow)
        try:
            await _converse(core, channel, sent, printer, questions)
        finally:
            await stopping.close()
    return stopping.code or (1 if printer.failed else 0)


async def _channel(core: Core, options: argparse.Namespace) -> Channel:
    """The channel that is meant: `#name`, or an agent's direct conversation."""
    channel = await _found(core, options.target, create=options.create)
    if options.cwd and options.cwd != channel.cwd:
        await core.channels.set_cwd(channel.id, options.cwd)
    return channel


async def _found(core: Core, target: str, *, create: bool) -> Channel:
    if not target.startswith("#"):
        return await core.channels.direct(_agent(core, target, create=create))
    for channel in core.channels.list():
        if channel.name and channel.name.casefold() == target[1:].casefold():
            return channel
    if create:
        return await core.channels.create(target[1:])
    names = ", ".join(f"#{channel.name}" for channel in core.channels.list() if channel.name)
    there_are = f"; there are {names}" if names else ""
    raise CommandError(f"there is no channel {target}{there_are}; `--create` makes it")


def _agent(core: Core, name: str, *, create: bool) -> str:
    names = [status.name for status in core.agents.list()]
    if found := next((known for known in names if known.casefold() == name.casefold()), None):
        return found
    channels = [channel.name.casefold() for channel in core.channels.list()]
    guess = did_you_mean(name, names)
    if not guess and (create or name.casefold() in channels):
        guess = f"; a channel has # before its name: '#{name}'"
    raise CommandError(f"the configuration has no agent named {name}{guess}")


def _has_several(core: Core, channel: Channel) -> bool:
    return any(one.id == channel.id and len(one.members) > 1 for one in core.channels.list())


async def _converse(core: Core, channel: Channel, sent: Sent, printer: Printer, questions: Questions) -> None:
    """Sends the message and shows what happens until the channel is free again."""
    async with core.events.subscribe() as events:
        await core.channels.send(channel.id, sent.text, sent.attachments)
        await _follow(channel, events, printer, questions)


async def _follow(channel: Channel, events: Subscription, printer: Printer, questions: Questions) -> None:
    asked: dict[str, asyncio.Task[None]] = {}

    def withdraw(question: str) -> None:
        """Answered elsewhere, or the turn is over: the terminal is not waited for any more."""
        if question in asked and not questions.is_answering(question):
            asked[question].cancel()

    try:
        async for event in events:
            if not _concerns(event, channel):
                continue
            printer.show(event)
            match event:
                case PermissionRequested():
                    asked[event.id] = asyncio.create_task(questions.permit(event))
                case ElicitationRequested():
                    asked[event.id] = asyncio.create_task(questions.elicit(event))
                case PermissionResolved() | ElicitationResolved():
                    withdraw(event.id)
                case TurnChanged(busy=False):
                    return
                case _:
                    pass
    finally:
        for question in asked:
            withdraw(question)
        await asyncio.gather(*asked.values(), return_exceptions=True)


def _concerns(event: Event, channel: Channel) -> bool:
    """Whether an event is of this channel, or of none: of an agent, or what it asks for itself."""
    return getattr(event, "channel", "") in ("", channel.id)


class _Stopping:
    """Stops the answer at a signal or after `timeout` seconds; a second signal ends the program at once.

    `code` is the exit code that this gives, 0 when the answer was not stopped.
    """

    def __init__(self, stop: Callable[[], Awaitable[None]], timeout: float | None) -> None:
        self.code = 0
        self._stop = stop
        self._tasks = Tasks()
        self._loop = asyncio.get_running_loop()
        self._timer = self._loop.call_later(timeout, self._late, timeout) if timeout else None
        _on_signals(self._loop, self._caught)

    async def close(self) -> None:
        """The answer is over; signals still end the program."""
        if self._timer is not None:
            self._timer.cancel()
        await self._tasks.close()

    def _caught(self, number: int) -> None:
        if self.code > SIGNALLED:
            # Whoever insists waits for nobody. The agents' guardian ends them; the history is on the disk.
            os._exit(SIGNALLED + number)
        self._begin(SIGNALLED + number)
        if number == signal.SIGINT:
            say("\nStopping; Ctrl+C again leaves at once.")

    def _late(self, seconds: float) -> None:
        self._begin(TIMED_OUT)
        say(f"sidekicks: stopped, because it took longer than {seconds:g} s.")

    def _begin(self, code: int) -> None:
        first = not self.code
        self.code = code
        if first:
            self._tasks.start(self._cancel(), "stop the answer")

    async def _cancel(self) -> None:
        await self._stop()


def _on_signals(loop: asyncio.AbstractEventLoop, caught: Callable[[int], None]) -> None:
    if sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, caught, number)
        return

    def wake(number: int, frame: FrameType | None) -> None:
        del frame
        loop.call_soon_threadsafe(caught, number)

    signal.signal(signal.SIGINT, wake)
