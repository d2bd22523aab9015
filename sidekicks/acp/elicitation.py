"""What an agent asks the user for: the protocol's form or link in the words of `models`, and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from minime_agent.acp.wire import services
from sidekicks.acp.text import short
from sidekicks.models import FormField, FormValue, Model

MAX_FIELDS = 100
"""Fields of a form; one with more is declined."""
MAX_CHOICES = 2_000
"""Choices of a field that are kept."""
MAX_MESSAGE = 10_000
"""Characters of a question, a description or a default."""
MAX_NAME = 200
"""Characters of a title."""
MAX_URL = 8_192
"""Characters of a link; a longer one is declined, since a cut one leads elsewhere."""

Action: TypeAlias = Literal["accept", "decline", "cancel"]

_Property: TypeAlias = services.ElicitationProperty


class Form(Model, frozen=True):
    """A question to the user: `fields` to fill in, or a link. `link_id` is the agent's name of the link."""

    message: str
    fields: tuple[FormField, ...] = ()
    url: str = ""
    link_id: str = ""


class FormAnswer(Model, frozen=True):
    """What the user answered; `values` go with `accept` of a form."""

    action: Action
    values: dict[str, FormValue] = msgspec.field(default_factory=dict[str, FormValue])


class UnshowableFormError(Exception):
    """A question that can't be put to the user; the message says why."""


def form_of(request: services.CreateElicitationRequest) -> Form:
    """The question as it is shown.

    Raises:
        UnshowableFormError: it is of no known kind, too large, or its link is not for a browser.
    """
    message = short(request.message, MAX_MESSAGE)
    if request.mode == "url":
        return Form(message=message, url=_link(request.url), link_id=request.elicitation_id or "")
    schema = request.requested_schema
    if request.mode != "form" or schema is None:
        raise UnshowableFormError(f"a question of the kind {short(request.mode, MAX_NAME)!r} can't be shown")
    if len(schema.properties) > MAX_FIELDS:
        raise UnshowableFormError(f"a form with more than {MAX_FIELDS} fields can't be shown")
    required = frozenset(schema.required or ())
    fields: list[FormField] = []
    unknown: list[str] = []
    for name, shape in schema.properties.items():
        if not isinstance(shape, services.UnknownProperty):
            fields.append(_field(name, shape, required=name in required))
        elif name in required:
            kind = short(shape.kind, MAX_NAME)
            raise UnshowableFormError(
                f"the field {short(name, MAX_NAME)} is of the kind {kind!r}, which can't be shown"
            )
        else:
            unknown.append(short(name, MAX_NAME))
    about = [text for text in (schema.title, schema.description) if text and text not in message]
    if unknown:
        about.append(f"Left out, because they can't be shown: {', '.join(unknown)}.")
    return Form(message=short("\n\n".join([message, *about]), MAX_MESSAGE), fields=tuple(fields))


def response(answer: FormAnswer) -> services.CreateElicitationResponse:
    """The answer as it is sent."""
    content = dict(answer.values) if answer.action == "accept" and answer.values else None
    return services.CreateElicitationResponse(action=answer.action, content=content)


def _link(url: str | None) -> str:
    """A link that a browser may open, as it came: what is shown is what is opened."""
    url = url or ""
    try:
        parts = urlsplit(url)
        fine = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        fine = False
    if not fine or not url.isprintable() or " " in url:
        raise UnshowableFormError(f"{short(url, MAX_NAME)!r} is no link that a browser opens (http or https)")
    if len(url) > MAX_URL:
        raise UnshowableFormError(f"a link of {len(url):,} characters is too long")
    return url


def _field(name: str, shape: _Property, *, required: bool) -> FormField:
    match shape:
        case services.StringProperty():
            return _text_field(name, shape, required=required)
        case services.NumberProperty() | services.IntegerProperty():
            return FormField(
                name=name,
                title=_title(name, shape.title),
                kind="integer" if isinstance(shape, services.IntegerProperty) else "number",
                description=_described(shape.description),
                required=required,
                default=shape.default,
                minimum=shape.minimum,
                maximum=shape.maximum,
            )
        case services.MultiSelectProperty():
            items = shape.items
            return FormField(
                name=name,
                title=_title(name, shape.title),
                kind="choices",
                description=_described(shape.description),
                required=required,
                default=shape.default[:MAX_CHOICES] if shape.default is not None else None,
                choices=_choices(items.any_of, items.enum),
                minimum=shape.min_items,
                maximum=shape.max_items,
            )
        case services.BooleanProperty():
            return FormField(
                name=name,
                title=_title(name, shape.title),
                kind="boolean",
                description=_described(shape.description),
                required=required,
                default=shape.default,
            )
        case services.UnknownProperty():
            raise UnshowableFormError(f"the field {short(name, MAX_NAME)} can't be shown")


def _text_field(name: str, shape: services.StringProperty, *, required: bool) -> FormField:
    is_choice = shape.enum is not None or shape.one_of is not None
    return FormField(
        name=name,
        title=_title(name, shape.title),
        kind="choice" if is_choice else "text",
        description=_described(shape.description),
        required=required,
        default=short(shape.default, MAX_MESSAGE) if shape.default is not None else None,
        choices=_choices(shape.one_of, shape.enum) if is_choice else (),
        minimum=None if is_choice else shape.min_length,
        maximum=None if is_choice else shape.max_length,
        pattern="" if is_choice else shape.pattern or "",
        format="" if is_choice else shape.format or "",
    )


def _choices(
    titled: tuple[services.EnumOption, ...] | None, plain: Iterable[str] | None
) -> tuple[tuple[str, str], ...]:
    if titled is not None:
        pairs = [(option.const, short(option.title, MAX_NAME)) for option in titled[:MAX_CHOICES]]
    else:
        pairs = [(value, short(value, MAX_NAME)) for value in tuple(plain or ())[:MAX_CHOICES]]
    return tuple(pairs)


def _title(name: str, title: str | None) -> str:
    return short(title or name, MAX_NAME)


def _described(description: str | None) -> str:
    return short(description or "", MAX_MESSAGE)
