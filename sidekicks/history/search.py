"""Searching a history: asks the index and shows what it found; without one, looks through the messages."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sidekicks.history.follower import READ_AT_ONCE, Follower, Source
from sidekicks.history.query import Query
from sidekicks.history.said import found_in, shown
from sidekicks.models import Found, SearchResult

SCAN_LIMIT = 100_000
"""Messages that are looked through when there is no index."""


class Search:
    """The search through one store; the file of the index is `path`."""

    def __init__(self, path: Path, source: Source) -> None:
        self._source = source
        self._follower = Follower(path, source)
        self.start = self._follower.start
        self.close = self._follower.close
        self.put = self._follower.put
        self.forget = self._follower.forget
        self.fell_behind = self._follower.fell_behind

    async def find(self, text: str, limit: int, channel: str, before: str) -> SearchResult:
        """See `History.search`."""
        query = Query(text)
        if not query:
            return SearchResult()
        found: list[Found] = []
        wanted, end, complete = limit + 1, before, True
        while wanted:
            answer = await self._follower.ask(query, channel, end, wanted)
            if answer is None:
                return await self._scan(query, limit, channel, before)
            complete = complete and answer.complete
            messages = await self._source.messages(answer.ids)
            found += await self._follower.in_thread(partial(shown, query, messages))
            if len(answer.ids) < wanted:
                break
            wanted, end = limit + 1 - len(found), answer.ids[-1]
        return SearchResult(found=tuple(found[:limit]), more=len(found) > limit, complete=complete)

    async def _scan(self, query: Query, limit: int, channel: str, before: str) -> SearchResult:
        found: list[Found] = []
        looked = 0
        while len(found) <= limit and looked < SCAN_LIMIT:
            ids = await self._source.ids_before(before, READ_AT_ONCE)
            if not ids:
                break
            messages = [
                message for message in await self._source.messages(ids) if channel in ("", message.channel)
            ]
            found += await self._follower.in_thread(partial(found_in, query, messages))
            before = ids[-1]
            looked += len(ids)
        return SearchResult(
            found=tuple(found[:limit]),
            more=len(found) > limit,
            complete=len(found) > limit or looked < SCAN_LIMIT,
            problem=self._follower.problem,
        )
