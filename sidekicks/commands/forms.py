"""What agents ask the user for, at the terminal: a form field by field, or a link."""

from __future__ import annotations

from sidekicks.acp.form_values import FormError, checked
from sidekicks.commands.output import say
from sidekicks.commands.terminal import NobodyError, Terminal
from sidekicks.models import Elicitation, FormField, FormValue

_WORDS = {"y": True, "yes": True, "n": False, "no": False}


async def answer_to(asked: Elicitation, terminal: Terminal) -> dict[str, FormValue] | None:
    """What the user filled in, nothing for a link that was followed; None: declined, or nobody is there."""
    if not terminal.is_there:
        say(f"Declined, because nobody can be asked here: {asked.agent} asks: {asked.message}")
        return None
    async with terminal.lock:
        try:
            if not asked.url:
                return await filled_in(asked, terminal)
            return {} if await followed(asked, terminal) else None
        except NobodyError:
            say("Declined.")
            return None


async def followed(asked: Elicitation, terminal: Terminal) -> bool:
    """Shows a link; whether the user has followed it. It is never opened by itself."""
    say(f"{asked.agent} asks: {asked.message}\n  {asked.url}")
    answer = await terminal.ask("Open it in a browser. Done? [y/N] ")
    return _WORDS.get(answer.casefold(), False)


async def filled_in(asked: Elicitation, terminal: Terminal) -> dict[str, FormValue]:
    """Asks for one field after the other, each until its value fits.

    Raises:
        NobodyError: the user closed the input (Ctrl+D).
    """
    say(f"{asked.agent} asks: {asked.message}\n(Ctrl+D declines)")
    values: dict[str, FormValue] = {}
    for field in asked.fields:
        values.update(await _field(field, terminal))
    return values


async def _field(field: FormField, terminal: Terminal) -> dict[str, FormValue]:
    if field.description:
        say(f"  {field.description}")
    for number, (_, title) in enumerate(field.choices, start=1):
        say(f"  {number}. {title}")
    question = _question(field)
    while True:
        typed = await terminal.ask(question)
        value = field.default if not typed and field.default is not None else _value(field, typed)
        try:
            return checked([field], {field.name: value})
        except FormError as error:
            say(f"  {error}")


def _question(field: FormField) -> str:
    hint = {"boolean": "y/n", "choice": "number", "choices": "numbers, with commas"}.get(field.kind, "")
    notes = [hint, "" if field.required else "may be empty"]
    if field.default is not None:
        notes[1] = f"default: {_shown(field, field.default)}"
    told = ", ".join(note for note in notes if note)
    return f"{field.title}{f' ({told})' if told else ''}: "


def _shown(field: FormField, value: FormValue) -> str:
    if isinstance(value, bool):
        return "y" if value else "n"
    titles = dict(field.choices)
    values = value if isinstance(value, tuple) else (str(value),)
    return ", ".join(titles.get(one, one) for one in values)


def _value(field: FormField, typed: str) -> object:
    """What was typed, as a value of the field's kind where it looks like one."""
    match field.kind:
        case "boolean":
            return _WORDS.get(typed.casefold(), typed)
        case "number" | "integer":
            try:
                return float(typed) if typed else ""
            except ValueError:
                return typed
        case "choice":
            return _chosen(field, typed)
        case "choices":
            return tuple(_chosen(field, one.strip()) for one in typed.split(",") if one.strip())
        case "text":
            return typed


def _chosen(field: FormField, typed: str) -> str:
    """The value of the choice that was named by its number, its title or itself."""
    for number, (value, title) in enumerate(field.choices, start=1):
        if typed.casefold() in (str(number), title.casefold(), value.casefold()):
            return value
    return typed
