"""What the window and the command line do with channels; each call is one of the reference's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from sidekicks.acp.elicitation import Action
from sidekicks.acp.errors import AgentFailureError
from sidekicks.agents.elicitations import ElicitationError
from sidekicks.agents.service import AgentService
from sidekicks.bus import Bus
from sidekicks.channels.answering import Answering
from sidekicks.channels.attachments import checked
from sidekicks.channels.attention import Attention
from sidekicks.channels.errors import ChannelError
from sidekicks.channels.keeping import Keeping
from sidekicks.channels.membership import NAME_LIMIT, Membership
from sidekicks.channels.options import Options
from sidekicks.channels.reading import Reading
from sidekicks.channels.rules import Rules
from sidekicks.channels.sessions import Sessions
from sidekicks.channels.silence import SILENT_SECONDS
from sidekicks.channels.speaking import CANCEL_SECONDS, Speaking
from sidekicks.channels.stored_sessions import StoredSessions
from sidekicks.channels.work import Work
from sidekicks.history.port import History
from sidekicks.ids import Ids
from sidekicks.models import (
    Channel,
    Command,
    Conversation,
    Elicitation,
    FilePart,
    ImagePart,
    Message,
    Page,
    PermissionRule,
    SearchResult,
    SessionOption,
    StoredSession,
    TextPart,
    ToolKind,
)

if TYPE_CHECKING:
    from sidekicks.history.export import Format

__all__ = ["NAME_LIMIT", "ChannelService"]


class ChannelService:
    """All channels. What it refuses it says with a `ChannelError` of one sentence."""

    def __init__(
        self,
        bus: Bus,
        agents: AgentService,
        history: History,
        *,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        cancel_seconds: float = CANCEL_SECONDS,
        silent_seconds: float = SILENT_SECONDS,
    ) -> None:
        self._agents = agents
        self._history = history
        self._now = now
        self._ids = ids = Ids(history.newest_id)
        self._keeping = keeping = Keeping(bus, history, ids, now)
        self._rules = Rules(bus, history)
        self._reading = Reading(bus, history)
        self._membership = Membership(bus, agents, history, keeping, ids)
        self._sessions = sessions = Sessions(bus, agents, history, self._rules, keeping, ids)
        self._permissions = sessions.permissions
        self._attention = Attention(bus)
        self._speaking = Speaking(
            bus, agents, history, self._permissions, now=now, cancel_seconds=cancel_seconds
        )
        self._options = Options(agents, sessions)
        self._stored = StoredSessions(
            bus, agents, history, self._membership, self._attention, sessions, ids, now
        )
        self._answering = Answering(
            agents,
            history,
            self._attention,
            sessions,
            self._speaking,
            keeping,
            bus=bus,
            silent_seconds=silent_seconds,
        )
        self._work = Work(bus, agents, history, self._membership, self._answering, self._permissions, keeping)

    async def load(self) -> None:
        """Reads what the history has of channels, commands, remembered answers and unread messages."""
        await self._membership.load()
        await self._rules.load()
        await self._reading.load()
        self._keeping.commands.update(await self._history.commands())

    async def close(self) -> None:
        """Ends all answers; one that is cut off is not kept."""
        await self._work.close()
        await self._speaking.close()
        await self._sessions.close()
        await self._keeping.close()
        await self._reading.close()

    # -- channels and members ------------------------------------------------------------------------

    def list(self) -> tuple[Channel, ...]:
        """All channels and direct conversations, oldest first."""
        return self._membership.list()

    async def create(self, name: str, description: str = "", cwd: str = "") -> Channel:
        """A new channel. A name that is empty, too long or taken is refused."""
        return await self._membership.create(name, description, cwd)

    async def direct(self, agent: str) -> Channel:
        """The direct conversation with an agent, made the first time."""
        return await self._membership.direct(agent)

    async def rename(self, channel_id: str, name: str, description: str) -> None:
        """Renames a channel; a direct conversation has no name."""
        await self._membership.rename(channel_id, name, description)

    async def set_cwd(self, channel_id: str, cwd: str) -> None:
        """Another working folder; the agents get new sessions there."""
        activity = await self._membership.set_cwd(channel_id, cwd)
        await self._sessions.renew(activity)

    async def delete(self, channel_id: str) -> None:
        """Stops a channel's answers and deletes it with everything that was said in it."""
        activity = self._membership.remove(channel_id)
        await self._work.stop(activity)
        members = await self._history.members(channel_id)
        await self._membership.delete(activity)
        self._attention.forget(activity)
        self._reading.forget(channel_id)
        self._membership.tell()
        await self._sessions.delete(activity, members.values())

    async def add_member(self, channel_id: str, agent: str) -> None:
        """Invites an agent."""
        await self._membership.invite(channel_id, agent)

    async def remove_member(self, channel_id: str, agent: str) -> None:
        """Takes an agent out of a channel; an answer of it is stopped first."""
        activity = self._membership.leaving(channel_id, agent)
        if activity.answering == agent:
            await self._work.stop(activity)
        self._sessions.leave(activity, agent)
        await self._membership.leave(activity, agent)

    # -- what is said --------------------------------------------------------------------------------

    async def send(self, channel_id: str, text: str, attachments: Sequence[ImagePart | FilePart] = ()) -> str:
        """Adds a message of the user with what goes with it, which is on disk when this returns; its id.

        While the channel answers, the message waits; it is kept when its turn comes.
        """
        activity = self._membership.get(channel_id)
        if not text.strip() and not attachments:
            raise ChannelError("an empty message can't be sent")
        words = (TextPart(text=text),) if text.strip() else ()
        parts = (*words, *(await checked(attachments) if attachments else ()))
        message = Message(
            id=self._ids.new(),
            channel=channel_id,
            created_at=self._now(),
            role="user",
            parts=parts,
        )
        if await self._work.add(activity, message):
            await self._reading.wrote(message)
        else:
            await self._reading.mark(activity, "")
        return message.id

    async def unqueue(self, channel_id: str, message_id: str) -> Message:
        """Takes a waiting message back, to change it or to leave it, with what goes with it."""
        return self._work.unqueue(self._membership.get(channel_id), message_id)

    async def cancel(self, channel_id: str) -> None:
        """Stops the answer that runs, those that were to follow and the waiting messages.

        Returns when the channel is free again: at most some 10 s later, whatever the agent does.
        """
        await self._work.stop(self._membership.get(channel_id))

    async def answer_permission(self, permission_id: str, option_id: str) -> PermissionRule | None:
        """Answers a pending request with one of its options; what is remembered from now on, if anything.

        A `remembered` option is for the agent and the kind of tool, and answers what else waits of these.
        """
        rule = self._permissions.answer(permission_id, option_id)
        if rule is not None:
            await self._rules.remember(rule)
            self._permissions.apply(rule)
        return rule

    def rules(self) -> tuple[PermissionRule, ...]:
        """What is remembered of answers to permission requests."""
        return self._rules.list()

    async def forget_rule(self, agent: str, kind: ToolKind) -> None:
        """The agent asks again before it uses a tool of this kind."""
        await self._rules.forget(agent, kind)

    async def mark_read(self, channel_id: str, message_id: str = "") -> None:
        """The user has seen a channel up to a message, or all of it."""
        await self._reading.mark(self._membership.get(channel_id), message_id)

    def unread(self) -> dict[str, int]:
        """How many messages the user has not seen, by channel, where there are any; 100 is 100 or more."""
        return self._reading.counts()

    def elicitations(self) -> tuple[Elicitation, ...]:
        """All questions that wait for the user; `channel` is empty where one belongs to none."""
        return self._agents.elicitations.all()

    async def answer_elicitation(
        self, elicitation_id: str, action: Action, values: Mapping[str, object] | None = None
    ) -> None:
        """Answers a question: accept (a form with its `values` by field), decline or cancel."""
        try:
            self._agents.elicitations.answer(elicitation_id, action, values or {})
        except ElicitationError as error:
            raise ChannelError(str(error)) from error

    async def conversation(self, channel_id: str) -> Conversation:
        """A channel with its last 100 messages and what is going on in it."""
        activity = self._membership.get(channel_id)
        page = await self._history.page(channel_id)
        stored = {message.id for message in page.messages}
        unfinished = [message for message in activity.unfinished() if message.id not in stored]
        return Conversation(
            channel=activity.channel,
            messages=tuple(sorted((*page.messages, *unfinished), key=lambda message: message.id)),
            more=page.more,
            busy=activity.busy,
            queued=activity.waiting,
            answering=activity.answering,
            usage=dict(activity.usage),
            permissions=self._permissions.of(channel_id),
            waiting_for=activity.waiting_for,
            elicitations=self._agents.elicitations.of(channel_id),
            options=dict(activity.options),
            titles=dict(activity.titles),
            silent=activity.silence.silent,
            last_read=await self._reading.last_read(channel_id),
        )

    async def older(self, channel_id: str, before_id: str) -> Page:
        """The 100 messages before a message."""
        self._membership.get(channel_id)
        return await self._history.page(channel_id, before_id)

    async def search(self, query: str, channel: str = "", limit: int = 50, before: str = "") -> SearchResult:
        """The newest messages with all the words of `query`, in one channel or all; see `History.search`."""
        return await self._history.search(query, limit, channel, before)

    async def export(
        self, channel_id: str, to: str | PathLike[str] | TextIO, form: Format = "markdown"
    ) -> None:
        """Writes a channel into the file `to`, whole or not at all, or to what is open for writing.

        Raises:
            HistoryError: the file can't be written; what is open raises its own errors.
        """
        from sidekicks.history.export import write_channel

        await write_channel(self._history, self._membership.get(channel_id).channel, to, form)

    async def import_file(self, path: str | PathLike[str]) -> Channel:
        """A new channel from a file that `export` wrote as JSON; a name that is taken gets a number.

        Raises:
            HistoryError: the file is damaged, of another kind or newer; nothing has changed.
        """
        from sidekicks.history.importing import import_channel

        return await self._membership.adopt(await import_channel(self._history, Path(path), self._ids.new))

    def commands(self, agent: str) -> tuple[Command, ...]:
        """The commands that an agent announced last, in this run or a former one."""
        return self._keeping.commands.get(agent, ())

    # -- sessions ------------------------------------------------------------------------------------

    def options(self, channel_id: str) -> dict[str, tuple[SessionOption, ...]]:
        """What can be chosen for the agents of a channel, by name; known once their sessions are open."""
        return dict(self._membership.get(channel_id).options)

    async def set_option(self, channel_id: str, agent: str, option_id: str, value: str | bool) -> None:
        """Chooses an option of an agent here, for as long as it is a member."""
        await self._options.set(self._membership.get(channel_id), agent, option_id, value)

    async def stored_sessions(
        self, agent: str, cwd: str = "", cursor: str = ""
    ) -> tuple[tuple[StoredSession, ...], str]:
        """A page of the sessions that an agent keeps, of those in the folder `cwd` if given.

        And the cursor of the next page, empty after the last.
        """
        return await self._stored.list(agent, cwd, cursor)

    async def take_up(self, channel_id: str, agent: str, session_id: str) -> None:
        """The channel goes on with a session that the agent keeps, with its past where the agent tells it."""
        await self._stored.take_up(self._membership.get(channel_id), agent, session_id)

    async def prepare(self, channel_id: str) -> None:
        """Opens sessions of the members that have never announced commands.

        Those that answer elsewhere are left alone, and those that failed: only the user starts them again.
        """
        activity = self._membership.get(channel_id)
        configured = {status.name for status in self._agents.list() if status.state != "error"}
        results = await asyncio.gather(
            *(
                self._answering.prepare(activity, agent)
                for agent in activity.channel.members
                if agent in configured and agent not in self._keeping.commands
            ),
            return_exceptions=True,
        )
        for result in results:
            if isinstance(result, BaseException) and not isinstance(result, AgentFailureError):
                raise result
