"""A conversation's record: what happens in a session is in its file as soon as it has happened."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from minime_agent.compact.plan import Compaction as Plan
from minime_agent.engine.messages import Message
from minime_agent.engine.observed import ObservedSink, Observer
from minime_agent.engine.restore import Kept, compacted, restored
from minime_agent.store.entries import (
    AssistantMessage,
    Compaction,
    Entry,
    MessageEntry,
    ModelChange,
    SessionInfo,
    StoredMessage,
    now,
)
from minime_agent.store.file import SessionFile
from minime_agent.store.ids import new_id
from minime_agent.ui.events import Sink


class Recorder:
    """Writes one session's history into its file, and gives back what stands there.

    Never raises for what the disk does: `warning` says it.
    """

    def __init__(self, file: SessionFile) -> None:
        self.file = file
        self._kept = restored(self.path())
        self._model = self._last_model()
        self._observer = Observer()
        self._told = ""
        self._damaged = file.tree.damaged

    @property
    def id(self) -> str:
        """The session's id."""
        return self.file.id

    @property
    def cwd(self) -> str:
        """The folder that the session began in; empty when its file doesn't say it any more."""
        return self.file.tree.header.cwd

    @property
    def title(self) -> str:
        """What the session is called: its name, else how its first question begins."""
        return self.file.tree.name or self.file.tree.header.title

    def path(self) -> list[Entry]:
        """The branch in use, oldest first."""
        return self.file.tree.path(self.file.tree.leaf)

    @property
    def history(self) -> list[Message]:
        """The conversation on the branch in use."""
        return [row.message for row in self._kept]

    def save(self, history: Sequence[Message]) -> None:
        """Writes what has come to the end of the history, and what was taken from it, since it was saved."""
        kept = self._kept
        size = len(kept)
        while kept and (len(kept) > len(history) or history[len(kept) - 1] is not kept[-1].message):
            kept.pop()
        if len(kept) < size:
            self._take_back()
            kept = self._kept
        for message in history[len(kept) :]:
            if message.role == "assistant":
                self._note_model()
            body = self._observer.stored(message, self._tool(message))
            kept.append(Kept(self._say(body), message))

    def compacted(self, plan: Plan, history: Sequence[Message], tokens: int) -> None:
        """Writes what made room, and takes the history that it led to; `tokens` is the size before."""
        kept = self._kept
        first = kept[plan.first_kept].entry_id if plan.notes and plan.first_kept < len(kept) else None
        entry = Compaction(
            id=new_id(),
            parent_id=self.file.tree.leaf,
            timestamp=now(),
            summary=plan.notes,
            tokens_before=tokens,
            first_kept_entry_id=first,
            masked=plan.masked,
        )
        self.file.append(entry)
        self._kept = compacted(kept, plan, history, entry.id)

    def answered_by(self, provider: str, model: str) -> None:
        """Says which model gives the answers (and errors) from now on."""
        self._observer.answered_by = (provider, model)

    def observed(self, sink: Sink) -> Sink:
        """The sink of a turn, with what it shows written beside what the model reads."""
        return ObservedSink(sink, self._observer)

    def failed(self, message: str) -> None:
        """Writes the error that ended a turn; it is never part of the history."""
        by = self._observer.answered_by
        self._say(AssistantMessage((), *by, stop_reason="error", error_message=message))

    def name(self, name: str) -> None:
        """Names the session."""
        self.file.append(SessionInfo(id=new_id(), parent_id=self.file.tree.leaf, timestamp=now(), name=name))

    def move(self, entry_id: str | None) -> None:
        """Goes on after another entry of the tree (None: before the first); `history` is what leads there."""
        self.file.move(entry_id)
        self._kept = restored(self.path())
        self._model = self._last_model()

    def warning(self) -> str:
        """What the person is to be told of the file, each thing once; empty when all is well."""
        damaged, self._damaged = self._damaged, 0
        if damaged:
            lines = "a line" if damaged == 1 else f"{damaged} lines"
            return f"{lines} of the session's file {self.file.path} cannot be read and will be left out"
        told, self._told = self._told, self.file.problem
        return self._told if self._told != told else ""

    def close(self) -> None:
        """Lets another process have the session."""
        self.file.close()

    def _take_back(self) -> None:
        """Goes back to the last message that is kept; room that was made since then stays made."""
        last = self._kept[-1].entry_id if self._kept else None
        path = self.path()
        end = [entry.id for entry in path].index(last) + 1 if last else 0
        stayed = {entry.id for entry in path[:end]}
        self.file.move(last)
        for entry in path[end:]:
            if isinstance(entry, Compaction):
                self._compact_again(entry, stayed)

    def _compact_again(self, former: Compaction, stayed: Collection[str]) -> None:
        """Makes the room of an entry that was left behind; `stayed` are the entries that were not."""
        first = former.first_kept_entry_id if former.first_kept_entry_id in stayed else None
        entry = replace(
            former,
            id=new_id(),
            parent_id=self.file.tree.leaf,
            timestamp=now(),
            first_kept_entry_id=first,
        )
        self.file.append(entry)
        self._kept = [
            row._replace(entry_id=entry.id) if row.entry_id == former.id else row for row in self._kept
        ]

    def _say(self, body: StoredMessage) -> str:
        entry = MessageEntry(id=new_id(), parent_id=self.file.tree.leaf, timestamp=now(), message=body)
        self.file.append(entry)
        return entry.id

    def _note_model(self) -> None:
        provider, model = self._observer.answered_by
        if (provider, model) == self._model:
            return
        self._model = (provider, model)
        entry = ModelChange(
            id=new_id(), parent_id=self.file.tree.leaf, timestamp=now(), provider=provider, model_id=model
        )
        self.file.append(entry)

    def _last_model(self) -> tuple[str, str]:
        changes = [
            (entry.provider, entry.model_id) for entry in self.path() if isinstance(entry, ModelChange)
        ]
        return changes[-1] if changes else ("", "")

    def _tool(self, message: Message) -> str:
        """The name of the tool whose result this is."""
        calls = (call for row in reversed(self._kept) for call in row.message.tool_calls)
        return next((call.function.name for call in calls if call.id == message.tool_call_id), "")
