"""What agents ask while they answer, answered by an option of the command line or at the terminal."""

from __future__ import annotations

from sidekicks.channels.errors import ChannelError
from sidekicks.commands.forms import answer_to
from sidekicks.commands.output import say
from sidekicks.commands.terminal import NobodyError, Terminal
from sidekicks.core import Core
from sidekicks.events import ElicitationRequested, PermissionRequested
from sidekicks.models import PermissionKind, PermissionOption, ToolKind

NAMED = 200
"""Characters of an answer's name that are shown."""

_ANSWERS: dict[str, PermissionKind] = {
    "y": "allow_once",
    "yes": "allow_once",
    "a": "allow_always",
    "always": "allow_always",
}
_BY_OPTION: dict[str, tuple[PermissionKind, ...]] = {
    "once": ("allow_once",),
    "always": ("allow_always", "allow_once"),
    "reject": ("reject_once", "reject_always"),
}


class Questions:
    """Answers as `--allow` says; else whoever sits at the terminal does."""

    def __init__(self, core: Core, terminal: Terminal, allow: str | None) -> None:
        self._core = core
        self._terminal = terminal
        self._allow = allow
        self._given: set[str] = set()

    def is_answering(self, request_id: str) -> bool:
        """Whether an answer was found, which is to be given, kept and told to the end."""
        return request_id in self._given

    async def permit(self, request: PermissionRequested) -> None:
        """Answers a permission request. When no answer fits, the turn is stopped."""
        if self._allow is not None:
            wanted = _BY_OPTION[self._allow]
        elif self._terminal.is_there:
            async with self._terminal.lock:
                wanted = await self._asked(request)
        else:
            say("Rejected: nobody can be asked here. `--allow once` lets the agent use its tools.")
            wanted = _BY_OPTION["reject"]
        option = _option(request.options, wanted)
        if option is None:
            say(f"The agent offers no answer {wanted[0]}; the turn is stopped.")
            await self._core.channels.cancel(request.channel)
            return
        self._given.add(request.id)
        try:
            rule = await self._core.channels.answer_permission(request.id, option.option_id)
        except ChannelError as error:
            say(f"sidekicks: {error}")
            return
        if rule is not None:
            may = "may always" if rule.allowed else "may never"
            forget = f"`sidekicks rules forget {rule.agent} {rule.kind}`"
            say(f"Remembered: {rule.agent} {may} {doing(rule.kind)}, whatever it is; {forget} asks again.")
        elif option.kind.endswith("_always"):
            say(f"{request.agent} was told “{_words(option)}” and remembers it by itself.")

    async def elicit(self, asked: ElicitationRequested) -> None:
        """Lets the user fill in a form or follow a link; declined where nobody can be asked."""
        values = await answer_to(asked, self._terminal)
        action = "decline" if values is None else "accept"
        self._given.add(asked.id)
        try:
            await self._core.channels.answer_elicitation(asked.id, action, values)
        except ChannelError as error:
            say(f"sidekicks: {error}")

    async def _asked(self, request: PermissionRequested) -> tuple[PermissionKind, ...]:
        tool = request.tool_call
        say(f"{request.agent} wants to {doing(tool.kind)}: {tool.title}")
        if tool.input:
            say(f"  {tool.input}")
        for diff in tool.diffs:
            say(f"  {diff.path}")
        always = _option(request.options, _BY_OPTION["always"][:1])
        if always is not None and always.remembered:
            say(f"  a: {request.agent} may always {doing(tool.kind)}, whatever it is")
        elif always is not None:
            say(f"  a: {_words(always)}")
        try:
            answer = await self._terminal.ask(f"Allow it? [y{'/a' if always is not None else ''}/N] ")
        except NobodyError:
            answer = ""
        kind = _ANSWERS.get(answer.casefold())
        return _BY_OPTION["reject"] if kind is None else (kind,)


def doing(kind: ToolKind) -> str:
    """A kind of tool as what is done with it; most are a verb."""
    return {"other": "use other tools", "switch_mode": "switch its mode"}.get(kind, kind)


def _words(option: PermissionOption) -> str:
    """What the agent calls an answer, on one line."""
    return " ".join(option.name.split())[:NAMED]


def _option(
    options: tuple[PermissionOption, ...], kinds: tuple[PermissionKind, ...]
) -> PermissionOption | None:
    """The option of the first of these kinds that is offered."""
    return next((option for kind in kinds for option in options if option.kind == kind), None)
