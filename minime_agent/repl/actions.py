"""The slash commands of the terminal, whichever way its lines are read and shown."""

from __future__ import annotations

from typing import Protocol

from minime_agent.config.check import did_you_mean
from minime_agent.engine.session import Session
from minime_agent.repl.commands import COMMANDS, Command
from minime_agent.repl.sessions import SessionCommands
from minime_agent.store.sessions import SessionStore
from minime_agent.tools.selection import BUILT_IN
from minime_agent.ui.events import Sink, UsageReport


class Shown(Sink, Protocol):
    """A sink that also shows sentences, and remembers what the last request cost."""

    usage: UsageReport | None

    def say(self, text: str) -> None:
        """One sentence of mm itself."""
        ...


class Actions:
    """Runs commands; what they say goes to `shown`."""

    def __init__(self, session: Session, shown: Shown) -> None:
        self._session = session
        self._shown = shown
        self._sessions = SessionCommands(session, SessionStore(), shown.say)

    def is_question(self, command: Command) -> bool:
        """Whether it is one that people wrote, which goes to the model."""
        return command.name in [one.name for one in self._session.commands]

    async def run(self, command: Command) -> None:
        """Runs a command; raises `ModelError` where it needs a model that cannot be reached."""
        match command:
            case Command(name="help"):
                self._help()
            case Command(name="compact", argument=keep):
                await self._session.compact(self._shown, keep)
            case Command(name="status"):
                await self._status()
            case Command(name="tools"):
                await self._tools()
            case Command(name="model", argument=wanted):
                await self._model(wanted)
            case own if self._sessions.run(own):
                self._shown.usage = None
            case unknown:
                names = [one.name for one in (*COMMANDS, *self._session.commands)]
                near = did_you_mean(unknown.name, names)
                self._shown.say(f"there is no /{unknown.name}{near}; /help lists the commands")

    async def describe(self) -> None:
        """Says what the session runs on. Raises `ModelError`."""
        self._shown.say(await self._session.describe(self._shown))

    def _help(self) -> None:
        for name, what, *_ in (*COMMANDS, *self._session.commands):
            self._shown.say(f"/{name}: {what}")

    async def _status(self) -> None:
        await self.describe()
        recorder = self._session.recorder
        kept = f"session {recorder.id}: {recorder.title or 'new'}" if recorder else "this session is not kept"
        self._shown.say(f"{kept}, {len(self._session.history)} messages, in {self._session.cwd}")
        if (usage := self._shown.usage) is not None:
            self._shown.say(spent(usage))

    async def _tools(self) -> None:
        await self._session.describe(self._shown)
        have = self._session.tools
        off = [name for name in BUILT_IN if name not in have]
        self._shown.say(f"on: {', '.join(have) or 'none'}")
        self._shown.say(f"off: {', '.join(off) or 'none'}")
        self._shown.say("mm --tools +grep,-plan changes it, or tools: [+grep, -plan] in agent.yaml")

    async def _model(self, wanted: str) -> None:
        names = await self._session.models()
        if not names:
            self._shown.say("no model server lists its models; `mm model list` shows the embedded ones")
            return
        if not wanted:
            for number, name in enumerate(names, 1):
                self._shown.say(f"{'*' if name == self._session.model else ' '}{number:3}  {name}")
            self._shown.say("/model with a number or a name chooses one")
            return
        if wanted.isdecimal() and 1 <= int(wanted) <= len(names):
            wanted = names[int(wanted) - 1]
        if wanted not in names:
            self._shown.say(f"there is no model {wanted}{did_you_mean(wanted, names)}; /model lists them")
            return
        await self._session.choose_model(wanted)
        await self.describe()


def spent(usage: UsageReport) -> str:
    """What the last request cost, in one line."""
    of = f" of {usage.window}" if usage.window else ""
    cached = round(100 * usage.cached_tokens / usage.prompt_tokens) if usage.prompt_tokens else 0
    speeds = "".join(
        f", {name} {speed:.0f} tokens/s"
        for name, speed in (("prefill", usage.prefill_speed), ("decode", usage.decode_speed))
        if speed is not None
    )
    return (
        f"last request: {usage.prompt_tokens}{of} tokens, {cached} % from the cache, "
        f"answer {usage.completion_tokens}{speeds}"
    )
