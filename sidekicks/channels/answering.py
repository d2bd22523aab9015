"""Lets one agent answer a channel's message, and gives the channel back whatever the agent does."""

from __future__ import annotations

from contextlib import AsyncExitStack

import msgspec

from sidekicks.acp.errors import AgentFailureError, AgentGoneError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.channels.attachments import prompt_of
from sidekicks.channels.attention import Attention
from sidekicks.channels.keeping import Keeping
from sidekicks.channels.past import past_of
from sidekicks.channels.routing import Route
from sidekicks.channels.sessions import Sessions
from sidekicks.channels.speaking import Speaking
from sidekicks.channels.stopping import StopAskedError, unless
from sidekicks.history.port import History, HistoryError
from sidekicks.models import Message


class Answering:
    """From a message to a stored answer: the agent's attention, start and session, the past, the turn."""

    def __init__(
        self,
        agents: AgentService,
        history: History,
        attention: Attention,
        sessions: Sessions,
        speaking: Speaking,
        keeping: Keeping,
        *,
        bus: Bus,
        silent_seconds: float,
    ) -> None:
        self._agents = agents
        self._history = history
        self._attention = attention
        self._sessions = sessions
        self._speaking = speaking
        self._keeping = keeping
        self._bus = bus
        self._silent_seconds = silent_seconds

    async def answer(self, activity: Activity, agent: str, route: Route, prompt: Message) -> None:
        """Lets `agent` answer `prompt`; returns when the channel is free for the next, also on Stop."""
        activity.answering = agent
        try:
            with activity.silence.watch(
                self._silent_seconds,
                is_excused=lambda: self._is_excused(activity, agent),
                told=lambda: self._bus.publish(activity.event()),
            ):
                async with AsyncExitStack() as held:
                    await self._answer(activity, agent, route, prompt, held)
        except StopAskedError:
            return
        finally:
            activity.answering = ""

    async def _answer(
        self, activity: Activity, agent: str, route: Route, prompt: Message, held: AsyncExitStack
    ) -> None:
        stop = activity.stopping
        try:
            await unless(stop, held.enter_async_context(self._attention.turn(activity, agent)))
            activity.silence.heard()
            client = await unless(stop, held.enter_async_context(self._agents.use(agent)))
            activity.silence.heard()
            session = await unless(stop, self._sessions.of(activity, agent, client))
            past = await past_of(self._history, activity, session, prompt, alone=route.command)
        except (AgentFailureError, HistoryError) as error:
            await self._unavailable(activity, agent, error)
            return
        names = [status.name for status in self._agents.list()]
        asked = await prompt_of(route.sent, prompt, session.session.cwd, names)
        asked = msgspec.structs.replace(asked, text=past.text + asked.text)
        if not await self._speaking.speak(activity, session, past, asked, held):
            self._sessions.leave(activity, agent)

    async def prepare(self, activity: Activity, agent: str) -> None:
        """Opens the agent's session for a channel, so that it announces its commands.

        Nothing is done when it is occupied: it may be so for long.
        """
        if self._attention.is_taken(agent):
            return
        async with self._attention.aside(activity, agent), self._agents.use(agent) as client:
            await self._sessions.of(activity, agent, client)

    def _is_excused(self, activity: Activity, agent: str) -> bool:
        """Whether there is a reason to hear nothing: it answers elsewhere, it starts, the user is asked."""
        states = {status.name: status.state for status in self._agents.list()}
        return (
            bool(activity.waiting_for)
            or states.get(agent) == "starting"
            or bool(self._sessions.permissions.of(activity.channel.id))
            or bool(self._sessions.elicitations.of_turn(activity.channel.id, agent))
        )

    async def _unavailable(
        self, activity: Activity, agent: str, error: AgentFailureError | HistoryError
    ) -> None:
        reason = str(error)
        if isinstance(error, AgentGoneError):
            reason = await self._agents.why_gone(agent)
        self._sessions.leave(activity, agent)
        channel = activity.channel.id
        await self._keeping.note(channel, "agent-unavailable", agent, reason, id_=activity.next_id())
