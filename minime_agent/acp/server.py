"""`mm --acp`: the protocol on this process's stdin and stdout, until the client leaves or a signal comes."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from typing import Final

from minime_agent.acp.agent import Agent, MakeSession
from minime_agent.acp.wire.agent_side import RemoteClient
from minime_agent.acp.wire.stdio import take_stdio
from minime_agent.signals import ends

END_TIMEOUT: Final = 5.0
"""Seconds that running turns have to end when the process is asked to."""


async def serve(make_session: MakeSession, *, keep: bool = False) -> int:
    """Serves one client; returns the process's exit code.

    `make_session` is called for each session with its folder and what records it. It is where the engine
    should be imported: until then only this façade is loaded, so that `initialize` is answered at once.
    `keep`: sessions are kept on the disk, and can be listed, loaded, resumed and forked.
    """
    client = RemoteClient(*await take_stdio())
    agent = Agent(client, make_session, keep=keep)
    client.start(agent)
    stopped = asyncio.create_task(_signalled())
    gone = asyncio.create_task(client.connection.wait_closed())
    await asyncio.wait({stopped, gone}, return_when=asyncio.FIRST_COMPLETED)
    stopped.cancel()
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(END_TIMEOUT):
            await agent.close()
            await client.connection.wait_answered()
    await client.close()
    await gone
    return 0


async def _signalled() -> None:
    """Waits for a signal to end, where the system has them for event loops."""
    loop = asyncio.get_running_loop()
    asked = asyncio.Event()
    for number in (signal.SIGINT, *ends()):
        with contextlib.suppress(NotImplementedError):
            loop.add_signal_handler(number, asked.set)
    await asked.wait()
