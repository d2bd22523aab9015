"""The keys of the terminal that differ from those of every prompt_toolkit program."""

from __future__ import annotations

from typing import Protocol

from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from minime_agent.repl.pasted import Pasted


class Keyboard(Protocol):
    """What the keys do."""

    @property
    def working(self) -> bool:
        """Whether a turn or a command runs."""
        ...

    @property
    def in_turn(self) -> bool:
        """Whether the model is at work."""
        ...

    def submit(self, text: str, *, later: bool = False) -> None:
        """A message is complete; `later`: it is for after the turn."""
        ...

    def stop(self) -> None:
        """Ends what runs."""
        ...

    def say_how_to_leave(self) -> None:
        """Ctrl+C where nothing is to be stopped."""
        ...

    def take_back(self) -> str | None:
        """The message that was typed last, back into the line."""
        ...


def bindings(keyboard: Keyboard, pasted: Pasted) -> KeyBindings:
    """The bindings."""
    keys = KeyBindings()
    line = _Line(keyboard, pasted)
    keys.add("enter")(line.enter)
    keys.add("escape", "enter")(line.alt_enter)
    keys.add("escape", "up")(line.alt_up)
    keys.add("c-c")(line.stop)
    keys.add(Keys.SIGINT)(line.stop)
    keys.add(Keys.BracketedPaste)(line.paste)
    return keys


class _Line:
    """What each key does with the line that is typed."""

    def __init__(self, keyboard: Keyboard, pasted: Pasted) -> None:
        self._keyboard = keyboard
        self._pasted = pasted

    def enter(self, event: KeyPressEvent) -> None:
        """Takes the completion that is chosen; goes on after a backslash; else sends."""
        buffer = event.current_buffer
        if buffer.complete_state is not None and buffer.complete_state.current_completion is not None:
            buffer.complete_state = None
        elif buffer.document.current_line_before_cursor.endswith("\\"):
            buffer.delete_before_cursor()
            buffer.newline(copy_margin=False)
        else:
            self._submit(event, later=False)

    def alt_enter(self, event: KeyPressEvent) -> None:
        """A follow-up while the model is at work, else a new line."""
        if self._keyboard.in_turn:
            self._submit(event, later=True)
        else:
            event.current_buffer.newline(copy_margin=False)

    def alt_up(self, event: KeyPressEvent) -> None:
        """The message that was typed last comes back, before what is typed already."""
        if (text := self._keyboard.take_back()) is not None:
            buffer = event.current_buffer
            rest = buffer.text
            buffer.text = self._pasted.mark(text) + (f"\n{rest}" if rest else "")
            buffer.cursor_position = len(buffer.text)

    def stop(self, event: KeyPressEvent) -> None:
        """Stops what runs, else throws the line away, else says how to leave."""
        if self._keyboard.working:
            self._keyboard.stop()
        elif event.current_buffer.text:
            event.current_buffer.reset()
        else:
            self._keyboard.say_how_to_leave()

    def paste(self, event: KeyPressEvent) -> None:
        """Pasted text stays one message, whatever line ends it has."""
        text = event.data.replace("\r\n", "\n").replace("\r", "\n")
        event.current_buffer.insert_text(self._pasted.mark(text))

    def _submit(self, event: KeyPressEvent, *, later: bool) -> None:
        buffer = event.current_buffer
        text = self._pasted.whole(buffer.text).strip("\n")
        if text.strip():
            buffer.append_to_history()
            buffer.reset()
            self._keyboard.submit(text, later=later)
