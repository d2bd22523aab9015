"""`sidekicks ask`: one message to an agent or a channel, its answers as they come."""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import Callable

from sidekicks.bus import Subscription
from sidekicks.channels.errors import ChannelError
from sidekicks.core import REFUSALS, Core, open_core
from sidekicks.events import (
    Event,
    MessageDelta,
    MessageUpdated,
    PermissionRequested,
    PermissionResolved,
    TurnChanged,
    to_json,
)
from sidekicks.models import Channel, Message, PermissionKind, ToolPart
from sidekicks.tasks import Tasks

INTERRUPTED = 130
TERMINATED = 143


def run(options: argparse.Namespace) -> int:
    """Asks `options.target` (an agent, or `#channel`) `options.text`; 0 when every answer came to its end."""
    # An agent's odd lines are in its log; here they would be noise beside the answer.
    logging.basicConfig(level=logging.ERROR, format="sidekicks: %(message)s")
    if reconfigure := getattr(sys.stdout, "reconfigure", None):
        # A pipe on Windows, or LC_ALL=C, has no place for most of what agents write.
        reconfigure(errors="replace")
    try:
        return asyncio.run(_main(options))
    except REFUSALS as error:
        _say(f"sidekicks: {error}")
        return 1
    except _OutputError as error:
        # What Python still flushes at its end has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error.reason, BrokenPipeError):
            _say(f"sidekicks: the answer can't be written: {error.reason.strerror}")
        return 1


async def _main(options: argparse.Namespace) -> int:
    """Ctrl+C and SIGTERM stop the answer; agents are stopped and the history closed in every case."""
    caught: list[int] = []
    tasks = Tasks()
    async with open_core(options.config or None, options.data_dir or None) as core:
        for problem in core.config.current().problems:
            _say(f"{core.config.path}:{problem.line}:{problem.column}: {problem.message}")
        if problem := core.config.current().history_problem:
            _say(f"sidekicks: {problem}")
        if not core.config.current().valid:
            _say("sidekicks: nobody was asked, because the configuration is not valid.")
            return 1
        channel = await _channel(core, options.target)

        def stop(number: int) -> None:
            caught.append(number)
            tasks.start(core.channels.cancel(channel.id), "stop the answer")

        _on_signals(stop)
        try:
            failed = await _converse(core, channel, options)
        finally:
            await tasks.close()
    if caught:
        return INTERRUPTED if caught[0] == signal.SIGINT else TERMINATED
    return 1 if failed else 0


def _on_signals(stop: Callable[[int], None]) -> None:
    if sys.platform != "win32":
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            asyncio.get_running_loop().add_signal_handler(number, stop, number)


async def _channel(core: Core, target: str) -> Channel:
    """The channel that is meant: `#name`, or an agent's direct conversation."""
    if not target.startswith("#"):
        return await core.channels.direct(target)
    for channel in core.channels.list():
        if channel.name and channel.name.casefold() == target[1:].casefold():
            return channel
    names = ", ".join(f"#{channel.name}" for channel in core.channels.list() if channel.name)
    raise ChannelError(f"there is no channel {target}" + (f"; there are {names}" if names else ""))


async def _converse(core: Core, channel: Channel, options: argparse.Namespace) -> bool:
    """Sends the message and shows what happens until the channel is free again; whether anything failed."""
    printer = _Printer(as_json=options.json)
    async with core.events.subscribe() as events:
        await core.channels.send(channel.id, _as_utf8(options.text))
        await _follow(core, channel, events, printer, options.allow)
    return printer.failed


async def _follow(
    core: Core, channel: Channel, events: Subscription, printer: _Printer, allow: str | None
) -> None:
    asked: dict[str, asyncio.Task[None]] = {}
    terminal = asyncio.Lock()
    try:
        async for event in events:
            if getattr(event, "channel", channel.id) != channel.id:
                continue
            printer.show(event)
            match event:
                case PermissionRequested():
                    asking = _permit(core, event, allow, terminal, quiet=printer.as_json)
                    asked[event.id] = asyncio.create_task(asking)
                case PermissionResolved() if event.id in asked:
                    # Answered, or the turn is over: the terminal is not waited for any more.
                    asked[event.id].cancel()
                case TurnChanged(busy=False):
                    return
                case _:
                    pass
    finally:
        for task in asked.values():
            task.cancel()
        await asyncio.gather(*asked.values(), return_exceptions=True)


async def _permit(
    core: Core, request: PermissionRequested, allow: str | None, terminal: asyncio.Lock, *, quiet: bool
) -> None:
    """Answers as `--allow` says; else whoever sits at the terminal does."""
    wanted: PermissionKind = "allow_once" if allow == "once" else "reject_once"
    if allow is None and not quiet and sys.stdin.isatty():
        async with terminal:
            if await _asked(request):
                wanted = "allow_once"
    elif allow is None:
        _say("Rejected: nobody can be asked here. `--allow once` lets the agent use its tools.")
    option = next((option for option in request.options if option.kind == wanted), None)
    if option is None:
        _say(f"The agent offers no answer {wanted}; the turn is stopped.")
        await core.channels.cancel(request.channel)
        return
    await core.channels.answer_permission(request.id, option.option_id)


async def _asked(request: PermissionRequested) -> bool:
    tool = request.tool_call
    _say(f"{request.agent} wants to {tool.kind}: {tool.title}")
    if tool.input:
        _say(f"  {tool.input}")
    for diff in tool.diffs:
        _say(f"  {diff.path}")
    print("Allow once? [y/N] ", end="", file=sys.stderr, flush=True)
    answer = await _line()
    return answer.strip().casefold() in ("y", "yes")


async def _line() -> str:
    """A line of the terminal. Ctrl+C and the end of the turn end the waiting, where the system lets them."""
    if sys.platform != "win32":
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(sys.stdin, ready.set)
        try:
            await ready.wait()
        finally:
            loop.remove_reader(sys.stdin)
        return sys.stdin.readline()
    return await asyncio.to_thread(sys.stdin.readline)


def _as_utf8(argument: str) -> str:
    """An argument whose bytes are not what the locale says, as the UTF-8 that they are or nearly are."""
    return argument.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class _OutputError(Exception):
    """Nothing more can be written on stdout: its reader left (`| head -1`), or the disk is full."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(str(reason))
        self.reason = reason


def _print(text: str, end: str = "") -> None:
    try:
        print(text, end=end, flush=True)
    except OSError as error:
        raise _OutputError(error) from error


class _Printer:
    """The answer goes to stdout as it streams, everything else to stderr; or events to stdout as JSON."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        self.failed = False
        self._at_line_start = True
        self._agent = ""
        self._shown: dict[str, str] = {}

    def show(self, event: Event) -> None:
        """Takes an event of the channel."""
        if self.as_json:
            _print(to_json(event), end="\n")
        match event:
            case MessageDelta(kind="text"):
                self._write(event.text)
            case MessageDelta(part=ToolPart() as tool):
                self._tool(tool)
            case MessageUpdated(message=message):
                self._message(message)
            case TurnChanged(waiting_for=other, answering=agent) if other:
                self._note(f"{agent} is still answering elsewhere; waiting for it.")
            case _:
                pass

    def _message(self, message: Message) -> None:
        if message.role == "system":
            self.failed = self.failed or message.code in ("agent-unavailable", "no-recipient")
            self._note(_sentence(message))
        elif message.role == "agent" and not message.done:
            if self._agent and not self.as_json:
                self._note(f"{message.agent}:")
            self._agent = message.agent
        elif message.role == "agent":
            self._end(message)

    def _end(self, message: Message) -> None:
        if not self._at_line_start:
            self._write("\n")
        if message.error:
            self._note(f"{message.agent}: {message.error}")
        elif message.stop_reason not in ("end_turn", None):
            self._note(f"{message.agent}: the answer ended early ({message.stop_reason}).")
        self.failed = self.failed or message.stop_reason != "end_turn"

    def _tool(self, tool: ToolPart) -> None:
        line = f"[{tool.kind}] {tool.title} · {tool.status}"
        if self._shown.get(tool.id) != line:
            self._shown[tool.id] = line
            self._note(line)

    def _write(self, text: str) -> None:
        if not self.as_json and text:
            _print(text)
            self._at_line_start = text.endswith("\n")

    def _note(self, text: str) -> None:
        if self.as_json:
            return
        if not self._at_line_start:
            self._write("\n")
        _say(text)


def _sentence(message: Message) -> str:
    match message.code:
        case "agent-unavailable":
            return f"{message.agent} is not available: {message.error}"
        case "no-recipient":
            return "Nobody answers: mention an agent with @name."
        case "agent-joined":
            return f"{message.agent} joined."
        case "notice":
            return f"{message.agent}: {message.error}"
        case "session-lost":
            return f"{message.agent} could not go on with its session: {message.error}"
        case _:
            return f"{message.agent} left."


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)
