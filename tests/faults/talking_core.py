"""A program that holds a core: it sends messages as fast as they are taken, and says what was promised.

    python -m tests.faults.talking_core CONFIG DATA

One line each: `sent ID` when `send` has returned, `done ID` when an answer was shown as done.
"""

from __future__ import annotations

import asyncio
import sys

from sidekicks.core import open_core
from sidekicks.events import Event, MessageUpdated, TurnChanged


def promise(word: str, message: str) -> None:
    sys.stdout.write(f"{word} {message}\n")
    sys.stdout.flush()


async def main() -> None:
    async with open_core(sys.argv[1], sys.argv[2]) as core:
        channels = [(await core.channels.direct(status.name)).id for status in core.agents.list()]

        def tell(event: Event) -> None:
            if isinstance(event, MessageUpdated) and event.message.role == "agent" and event.message.done:
                promise("done", event.message.id)

        core.events.listen(tell)

        async def talk(channel: str) -> None:
            async with core.events.subscribe() as events:
                while True:
                    promise("sent", await core.channels.send(channel, "!stream(5, 20, 0.002)"))
                    async for event in events:
                        if isinstance(event, TurnChanged) and event.channel == channel and not event.busy:
                            break

        await asyncio.gather(*(talk(channel) for channel in channels))


if __name__ == "__main__":
    asyncio.run(main())
