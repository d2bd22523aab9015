"""Sessions that agents keep: listed, and gone on with in a channel."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from sidekicks.acp.errors import AgentFailureError, AgentGoneError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.activity import Activity
from sidekicks.channels.attention import Attention
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.membership import Membership
from sidekicks.channels.replay import MAX_MESSAGES, Replay, unknown
from sidekicks.channels.session import ChannelSession
from sidekicks.channels.sessions import Sessions, working_folder
from sidekicks.events import MessageUpdated
from sidekicks.history.port import History, Member
from sidekicks.ids import Ids
from sidekicks.models import Message, StoredSession

if TYPE_CHECKING:
    from sidekicks.acp.client import AgentClient

MAX_LISTED = 10_000
"""Listed sessions whose folder is remembered."""


class StoredSessions:
    """What a channel can do with the sessions that agents keep by themselves."""

    def __init__(
        self,
        bus: Bus,
        agents: AgentService,
        history: History,
        membership: Membership,
        attention: Attention,
        sessions: Sessions,
        ids: Ids,
        now: Callable[[], datetime],
    ) -> None:
        self._bus = bus
        self._agents = agents
        self._history = history
        self._membership = membership
        self._attention = attention
        self._sessions = sessions
        self._ids = ids
        self._now = now
        self._folders: dict[tuple[str, str], str] = {}

    async def list(self, agent: str, cwd: str, cursor: str) -> tuple[tuple[StoredSession, ...], str]:
        """A page of the sessions of an agent, which is started if need be, and the cursor of the next.

        Raises:
            AgentFailureError: it can't tell.
        """
        async with self._agents.use(agent) as client:
            page, following = await client.stored_sessions(cwd, cursor)
        for stored in page:
            self._folders[agent, stored.session_id] = stored.cwd
        while len(self._folders) > MAX_LISTED:
            del self._folders[next(iter(self._folders))]
        return page, following

    async def take_up(self, activity: Activity, agent: str, session_id: str) -> None:
        """The channel goes on with a session; what was said in it becomes messages, if the agent tells it.

        Raises:
            ChannelError: it can't.
        """
        self._check_free(activity)
        await self._check_folder(activity, agent, session_id)
        try:
            async with self._attention.aside(activity, agent), self._agents.use(agent) as client:
                self._check_free(activity)  # the agent, or its start, may have been waited for
                if not client.can_take_up:
                    raise ChannelError(f"{agent} can't go on with a session of a former run")
                if agent not in activity.channel.members:
                    await self._membership.invite(activity.channel.id, agent)
                async with activity.opening:
                    await self._open(activity, agent, session_id, client)
        except AgentGoneError as error:
            raise ChannelError(f"{agent}: {await self._agents.why_gone(agent)}") from error
        except AgentFailureError as error:
            raise ChannelError(f"{agent} can't go on with that session: {error}") from error

    def _check_free(self, activity: Activity) -> None:
        """Whether the channel can get another session now.

        Raises:
            ChannelError: it answers, or is deleted.
        """
        if self._membership.get(activity.channel.id).busy:
            raise ChannelError("the channel is answering; stop that first")

    async def _open(self, activity: Activity, agent: str, session_id: str, client: AgentClient) -> None:
        channel = activity.channel.id
        former = (await self._history.members(channel)).get(agent)
        known = await self._history.after(channel, "", MAX_MESSAGES)
        if former is not None and former.session_id == session_id:
            member, has_past = former, any(message.agent == agent for message in known)
        else:
            member, has_past = Member(agent=agent, session_id=session_id, own=False), False
        past = Replay(channel, agent, self._ids, self._now, client.hide)
        session = self._sessions.taken_up(activity, member, client, None if has_past else past.take)
        await self._sessions.open(activity, session)
        news = unknown(past.messages(), known)
        if news:
            session.seen = news[-1].id
        try:
            await self._keep(activity, session, news)
        except ChannelError:
            self._sessions.leave(activity, agent)
            raise

    async def _keep(self, activity: Activity, session: ChannelSession, messages: tuple[Message, ...]) -> None:
        """Adds what was said to the channel, and keeps whose session it is.

        Raises:
            ChannelError: the channel was deleted meanwhile: what is put now would be left for good.
        """
        for message in messages:
            self._membership.get(message.channel)
            await self._history.put_message(message)
            self._bus.publish(MessageUpdated(channel=message.channel, message=message))
        self._membership.get(activity.channel.id)
        await self._sessions.keep(activity, session)

    async def _check_folder(self, activity: Activity, agent: str, session_id: str) -> None:
        """A session belongs to a folder: the channel works there, or takes it if it has none yet.

        Raises:
            ChannelError: the channel, or the agent, works elsewhere.
        """
        definition = self._agents.definition(agent)
        if definition is None:
            raise ChannelError(f"the configuration has no agent named {agent}")
        if activity.channel.direct not in ("", agent):
            raise ChannelError("a direct conversation can't be joined by another agent")
        there = self._folders.get((agent, session_id), "")
        here = working_folder(definition, activity.channel)
        if not there or Path(there) == Path(here):
            return
        if definition.cwd:
            raise ChannelError(f"the session works in {there}, and the settings let {agent} work in {here}")
        if activity.channel.cwd or activity.sessions:
            raise ChannelError(
                f"the session works in {there}, this channel in {here}: give the channel that folder first"
            )
        await self._membership.set_cwd(activity.channel.id, there)
