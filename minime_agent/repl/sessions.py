"""The commands of the terminal that change which conversation goes on."""

from __future__ import annotations

from collections.abc import Callable

from minime_agent.engine.recorder import Recorder
from minime_agent.engine.session import Session
from minime_agent.repl.choosing import listed, rows_of
from minime_agent.repl.commands import Command
from minime_agent.store.entries import MessageEntry
from minime_agent.store.errors import SessionError
from minime_agent.store.sessions import SessionStore
from minime_agent.store.tree import said

_TEXT = 70


class SessionCommands:
    """Runs `/new`, `/tree`, `/fork`, `/clone`, `/resume` and `/name`; `say` tells the person a sentence."""

    def __init__(self, session: Session, store: SessionStore, say: Callable[[str], None]) -> None:
        self._session = session
        self._store = store
        self._say = say

    def run(self, command: Command) -> bool:
        """Runs a command; False when it is none of these."""
        if command.name == "new":
            self._new()
            return True
        if command.name not in ("tree", "fork", "clone", "resume", "name"):
            return False
        if (recorder := self._session.recorder) is None:
            self._say("this conversation is not kept (--no-session)")
            return True
        try:
            self._kept(command, recorder)
        except SessionError as error:
            self._say(str(error))
        return True

    def _kept(self, command: Command, recorder: Recorder) -> None:
        match command.name, command.argument:
            case "name", "":
                self._say(f"this session is {recorder.title or 'new'} ({recorder.id})")
            case "name", name:
                recorder.name(" ".join(name.split()))
                self._say(f"this session is {recorder.title}")
            case "clone", _:
                self._branch(recorder, recorder.file.tree.leaf)
            case "resume", number:
                self._resume(recorder, number)
            case _, "":
                self._list(recorder)
            case name, number:
                self._to_question(recorder, number, fork=name == "fork")

    def _new(self) -> None:
        keeps = self._session.recorder is not None
        self._session.switch(Recorder(self._store.new(self._session.cwd)) if keeps else None)
        self._say("a new conversation")

    def _resume(self, recorder: Recorder, number: str) -> None:
        rows = rows_of(self._store, self._session.cwd)
        if not number:
            for line in listed(rows):
                self._say(line)
            self._say("/resume with a number goes on with that one" if rows else "there are no sessions yet")
            return
        if not number.isdecimal() or not 1 <= int(number) <= len(rows):
            self._say(f"there is no session {number}; /resume lists them")
            return
        path = rows[int(number) - 1].path
        if path != recorder.file.path:
            recorder = Recorder(self._store.open(path))
        self._go_on(recorder)

    def _list(self, recorder: Recorder) -> None:
        """All questions of the file, those on the branch in use marked."""
        questions = recorder.file.tree.questions()
        here = {entry.id for entry in recorder.path()}
        if not questions:
            self._say("nothing was asked yet")
        for number, entry in enumerate(questions, 1):
            mark = "*" if entry.id in here else " "
            self._say(f"{mark}{number:3}  {_short(entry)}")

    def _to_question(self, recorder: Recorder, number: str, *, fork: bool) -> None:
        questions = recorder.file.tree.questions()
        if not number.isdecimal() or not 1 <= int(number) <= len(questions):
            self._say(f"there is no question {number}; /tree lists them")
            return
        question = questions[int(number) - 1]
        if fork:
            self._branch(recorder, question.parent_id)
        else:
            recorder.move(question.parent_id)
            self._session.switch(recorder)
        self._say(f"before the question: {_short(question)}")

    def _branch(self, recorder: Recorder, leaf: str | None) -> None:
        self._go_on(Recorder(self._store.branch(recorder.file.tree, leaf, self._session.cwd)))

    def _go_on(self, recorder: Recorder) -> None:
        self._session.switch(recorder)
        size = len(recorder.history)
        self._say(f"this is session {recorder.id}: {recorder.title or 'new'}, {size} messages")


def _short(entry: MessageEntry) -> str:
    text = " ".join(said(entry).split())
    return text if len(text) <= _TEXT else f"{text[: _TEXT - 1]}…"
