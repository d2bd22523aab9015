"""One turn of one agent: the prompt, what comes of it, and what a Stop does to it."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from datetime import datetime
from typing import Any, TypeAlias, cast, get_args

import msgspec

from sidekicks.acp.errors import AgentFailureError, AgentGoneError, AgentRefusedError
from sidekicks.acp.prompt import Prompt
from sidekicks.acp.session import AgentSession
from sidekicks.agents.agent import AgentUnavailableError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.channels.past import Past
from sidekicks.channels.permissions import Permissions
from sidekicks.channels.session import ChannelSession
from sidekicks.channels.stopping import first
from sidekicks.channels.turns import Turn
from sidekicks.events import MessageUpdated
from sidekicks.history.port import History, HistoryError, Member
from sidekicks.models import Message, StopReason
from sidekicks.tasks import Tasks

Outcome: TypeAlias = str | AgentFailureError
"""How a prompt ended: its stop reason, or why it has none."""

log = logging.getLogger(__name__)

CANCEL_SECONDS = 10.0
"""How long an agent may take to end a cancelled turn; as long again, and it is stopped."""

NEW_SESSION = "; its session is lost, so the next message begins another one"


class Speaking:
    """Runs turns, each to its end, to a Stop, or to the end of its agent."""

    def __init__(
        self,
        bus: Bus,
        agents: AgentService,
        history: History,
        permissions: Permissions,
        *,
        now: Callable[[], datetime],
        cancel_seconds: float,
    ) -> None:
        self._bus = bus
        self._agents = agents
        self._history = history
        self._permissions = permissions
        self._now = now
        self._cancel_seconds = cancel_seconds
        self._tasks = Tasks()

    async def close(self) -> None:
        """Ends all turns as they are."""
        await self._tasks.close()

    async def speak(
        self, activity: Activity, session: ChannelSession, past: Past, prompt: Prompt, held: AsyncExitStack
    ) -> bool:
        """Prompts the agent, and stores what it answers; whether the agent and its session are still there.

        `held` is what must be held as long as the agent is not done with the turn.
        """
        turn = self._begin(activity, session)
        agent = session.agent
        prompting = self._tasks.start(_prompt(session.session, prompt), f"prompt to {agent}")
        try:
            await self._until_over(activity, session, prompting, held)
            reason, error = await self._outcome(activity, agent, prompting)
        except asyncio.CancelledError:
            prompting.cancel()
            raise
        gone = prompting.done() and isinstance(prompting.result(), AgentGoneError)
        lost = prompting.done() and _is_lost(prompting.result(), session.id)
        if lost and error:
            error += NEW_SESSION
        # An agent that failed may have taken nothing of it in: it is told again.
        seen = past.known if gone or reason is None else past.seen
        session.fresh = session.fresh and seen == past.known
        session.seen = seen
        session.used = (session.used or reason is not None) and not lost
        await self._finish(activity, turn, session.member, reason, error)
        if not prompting.done():
            session.turn = None  # it did not hear the Stop: what it goes on saying is not wanted
        return not gone and not lost

    def _begin(self, activity: Activity, session: ChannelSession) -> Turn:
        started = Message(
            id=activity.next_id(),
            channel=activity.channel.id,
            created_at=self._now(),
            role="agent",
            agent=session.agent,
            done=False,
        )
        turn = Turn(started, clock=time.monotonic, now=self._now, hide=session.client.hide)
        session.begin(turn)
        activity.turn = turn
        self._bus.publish(MessageUpdated(channel=activity.channel.id, message=started))
        return turn

    async def _until_over(
        self,
        activity: Activity,
        session: ChannelSession,
        prompting: asyncio.Task[Outcome],
        held: AsyncExitStack,
    ) -> None:
        """Waits for the end of the turn. After a Stop an agent gets 10 s for it, and the channel is free."""
        await first(prompting, activity.stopping)
        if prompting.done():
            return
        # Some agents do not hear a cancel while a question of theirs is open.
        session.stopping = True
        self._permissions.cancel(lambda request: request.channel == activity.channel.id)
        self._agents.elicitations.cancel(activity.channel.id, activity.answering)
        agent = session.agent
        cancelling = self._tasks.start(_quietly(session.session.cancel()), f"cancel {agent}")
        await asyncio.wait({prompting}, timeout=self._cancel_seconds)
        if not prompting.done():
            stopping = self._stop_the_deaf(agent, prompting, cancelling, held.pop_all())
            self._tasks.start(stopping, f"deaf {agent}")

    async def _stop_the_deaf(
        self,
        agent: str,
        prompting: asyncio.Task[Outcome],
        cancelling: asyncio.Task[None],
        held: AsyncExitStack,
    ) -> None:
        """Nobody else gets the agent until it has ended the turn, or was stopped."""
        async with held:
            await asyncio.wait({prompting}, timeout=self._cancel_seconds)
            if not prompting.done():
                try:
                    await self._agents.stop(agent)
                except AgentUnavailableError as error:
                    log.info("%s was stopped already: %s", agent, error)
                await asyncio.wait({prompting, cancelling})

    async def _outcome(
        self, activity: Activity, agent: str, prompting: asyncio.Task[Outcome]
    ) -> tuple[StopReason | None, str]:
        if activity.stopping.is_set():
            return "cancelled", ""  # some agents answer a cancel with an error
        reason = prompting.result()
        if isinstance(reason, AgentGoneError):
            return None, await self._agents.why_gone(agent)
        if isinstance(reason, AgentFailureError):
            return None, str(reason)
        if reason in get_args(StopReason):
            return cast("StopReason", reason), ""
        return None, f"the agent ended for a reason that is not known: {reason}"

    async def _finish(
        self, activity: Activity, turn: Turn, member: Member, reason: StopReason | None, error: str
    ) -> None:
        """What is shown as finished has been stored before."""
        message = turn.finish(reason, error)
        try:
            await self._history.put_message(message, member)
        except HistoryError as problem:
            message = msgspec.structs.replace(message, error=f"{error}\n{problem}".strip())
        activity.turn = None
        self._bus.publish(MessageUpdated(channel=activity.channel.id, message=message))


async def _prompt(session: AgentSession, prompt: Prompt) -> Outcome:
    try:
        return await session.prompt(prompt)
    except AgentFailureError as error:
        return error
    except Exception as error:
        log.exception("the prompt failed")
        return AgentFailureError(f"Sidekicks could not ask it ({type(error).__name__}: {error})")


def _is_lost(outcome: Outcome, session: str) -> bool:
    """Whether an agent has no such session any more; some take it up all the same, and fail only now."""
    said = str(outcome) if isinstance(outcome, AgentRefusedError) else ""
    return session in said and "not found" in said.casefold()


async def _quietly(call: Coroutine[Any, Any, None]) -> None:
    """An agent that is gone needs no cancel."""
    try:
        await call
    except AgentFailureError as error:
        log.info("cancel was not taken: %s", error)
