"""Questions of agents to the user that wait: forms to fill in, links to open."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

from sidekicks.acp.elicitation import Action, Form, FormAnswer
from sidekicks.acp.errors import AgentFailureError
from sidekicks.acp.form_values import FormError, checked
from sidekicks.bus import Bus
from sidekicks.events import ElicitationRequested, ElicitationResolved
from sidekicks.ids import Ids
from sidekicks.models import Elicitation

MAX_PENDING = 20
"""Questions of one agent that may wait; more are cancelled at once."""


class ElicitationError(AgentFailureError):
    """A question can't be answered like that; the message has a sentence for each fault."""


class Elicitations:
    """The pending questions of all agents, oldest first."""

    def __init__(self, bus: Bus) -> None:
        self._bus = bus
        self._ids = Ids()
        self._pending: dict[str, tuple[Elicitation, asyncio.Future[FormAnswer]]] = {}

    def all(self) -> tuple[Elicitation, ...]:
        """Those that wait for an answer; `channel` is empty where one belongs to no session."""
        return tuple(elicitation for elicitation, _ in self._pending.values())

    def of(self, channel: str) -> tuple[Elicitation, ...]:
        """Those of one channel."""
        return tuple(elicitation for elicitation in self.all() if elicitation.channel == channel)

    async def ask(self, channel: str, agent: str, form: Form) -> FormAnswer:
        """The user's answer; the question is withdrawn when this is cancelled."""
        if sum(elicitation.agent == agent for elicitation in self.all()) >= MAX_PENDING:
            return FormAnswer(action="cancel")
        asked = ElicitationRequested(
            id=self._ids.new(),
            channel=channel,
            agent=agent,
            message=form.message,
            fields=form.fields,
            url=form.url,
        )
        future: asyncio.Future[FormAnswer] = asyncio.get_running_loop().create_future()
        self._pending[asked.id] = (
            Elicitation(
                id=asked.id,
                channel=channel,
                agent=agent,
                message=form.message,
                fields=form.fields,
                url=form.url,
            ),
            future,
        )
        self._bus.publish(asked)
        try:
            return await future
        finally:
            self._pending.pop(asked.id, None)
            self._bus.publish(ElicitationResolved(id=asked.id, channel=channel))

    def answer(self, elicitation_id: str, action: Action, values: Mapping[str, object]) -> None:
        """Answers a question; `values` by the fields' names, for `accept` of a form.

        Raises:
            ElicitationError: there is no such question, or the values don't fit its fields.
        """
        pending = self._pending.get(elicitation_id)
        if pending is None or pending[1].done():
            raise ElicitationError("the question was answered already, or withdrawn")
        if action != "accept":
            pending[1].set_result(FormAnswer(action=action))
            return
        try:
            fitting = checked(pending[0].fields, values)
        except FormError as error:
            raise ElicitationError(str(error)) from error
        pending[1].set_result(FormAnswer(action="accept", values=fitting))

    def of_turn(self, channel: str, agent: str) -> tuple[Elicitation, ...]:
        """Those of a channel in which `agent` answers: also what it asks before it has a session there."""
        return tuple(
            one for one in self.all() if one.channel == channel or (not one.channel and one.agent == agent)
        )

    def cancel(self, channel: str, agent: str) -> None:
        """Answers `cancel` to the questions of a channel in which `agent` answers, which is stopped."""
        for elicitation in self.of_turn(channel, agent):
            _, future = self._pending[elicitation.id]
            if not future.done():
                future.set_result(FormAnswer(action="cancel"))
