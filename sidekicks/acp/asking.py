"""Questions of an agent to the user, whatever they belong to: asked, withdrawn, or resolved elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeAlias

from minime_agent.acp.wire import services
from sidekicks.acp.elicitation import Form, FormAnswer, UnshowableFormError, form_of, response

Ask: TypeAlias = Callable[[Form], Coroutine[Any, Any, FormAnswer]]
"""Puts a question to the user; withdrawn when it is cancelled."""


async def decline(form: Form) -> FormAnswer:
    """The answer where nobody can be asked."""
    del form
    return FormAnswer(action="decline")


class Asking:
    """The questions of one agent that wait. `on_note` is told why one can't be put to the user."""

    def __init__(self, on_note: Callable[[str], None]) -> None:
        self._on_note = on_note
        self._links: dict[str, asyncio.Future[None]] = {}

    async def ask(
        self, request: services.CreateElicitationRequest, ask: Ask
    ) -> services.CreateElicitationResponse:
        """The user's answer. A question that can't be shown is declined at once."""
        try:
            form = form_of(request)
        except UnshowableFormError as reason:
            self._on_note(f"a question to you was declined: {reason}")
            return response(FormAnswer(action="decline"))
        if not form.link_id:
            return response(await ask(form))
        return response(await self._ask_link(form, ask))

    def complete(self, link_id: str) -> None:
        """What a link asked for is done."""
        done = self._links.get(link_id)
        if done is not None and not done.done():
            done.set_result(None)

    async def _ask_link(self, form: Form, ask: Ask) -> FormAnswer:
        """As any question, but the agent may know before the user says so that its link was followed."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._links[form.link_id] = done
        asking = asyncio.ensure_future(ask(form))
        try:
            await asyncio.wait({asking, done}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self._links.get(form.link_id) is done:
                del self._links[form.link_id]
            if not asking.done():
                asking.cancel()
                await asyncio.wait({asking})
        return FormAnswer(action="accept") if asking.cancelled() else asking.result()
