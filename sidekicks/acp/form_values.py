"""Whether what the user filled in fits a form: one sentence for each fault."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import cast
from urllib.parse import urlsplit

from sidekicks.acp.text import short
from sidekicks.models import FormField, FormValue

MAX_TEXT = 100_000
"""Characters of a text field."""
MAX_STEPS = 10_000_000
"""What checking a pattern may take, roughly; anything slower is left to the agent, which checks it, too."""
_INTEGERS = range(-(2**63), 2**63)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\Z")
_QUANTIFIED_GROUP = re.compile(r"\)[*+?{]|\\[1-9]|\(\?P=")
_QUANTIFIER = re.compile(r"[*+{]")


class FormError(Exception):
    """What was filled in does not fit; the message has one sentence a line."""


def checked(fields: Sequence[FormField], values: Mapping[str, object]) -> dict[str, FormValue]:
    """The values to send: those of the form's fields, without what was left empty.

    Raises:
        FormError: some don't fit.
    """
    known = {field.name for field in fields}
    faults = [f"The form has no field {short(name, 100)}." for name in values if name not in known]
    fitting: dict[str, FormValue] = {}
    for field in fields:
        value = values.get(field.name)
        if value is None or value == "" or (value in ([], ()) and not field.required):
            if field.required:
                faults.append(f"{field.title} has to be filled in.")
            continue
        try:
            fitting[field.name] = _value(field, value)
        except ValueError as fault:
            faults.append(f"{field.title} {fault}.")
    if faults:
        raise FormError("\n".join(faults))
    return fitting


def _value(field: FormField, value: object) -> FormValue:
    match field.kind:
        case "text":
            return _text(field, value)
        case "number" | "integer":
            return _number(field, value)
        case "boolean":
            if not isinstance(value, bool):
                raise ValueError("is yes or no")
            return value
        case "choice":
            return _choice(field, value)
        case "choices":
            return _chosen(field, value)


def _text(field: FormField, value: object) -> str:
    if not isinstance(value, str):
        raise ValueError("is a text")
    if field.minimum is not None and len(value) < field.minimum:
        raise ValueError(f"has to have at least {field.minimum:g} characters")
    maximum = MAX_TEXT if field.maximum is None else min(MAX_TEXT, field.maximum)
    if len(value) > maximum:
        raise ValueError(f"may have {maximum:g} characters at most")
    if field.pattern and not _matches(field.pattern, value):
        raise ValueError(f"has to match {short(field.pattern, 200)}")
    if not _is_formatted(field.format, value):
        raise ValueError(_FORMATS[field.format])
    return value


def _matches(pattern: str, value: str) -> bool:
    """Whether it matches, or can't be known quickly: a pattern may be made to take forever."""
    if _QUANTIFIED_GROUP.search(pattern) or len(value) ** len(_QUANTIFIER.findall(pattern)) > MAX_STEPS:
        return True
    try:
        return re.search(pattern, value) is not None
    except (re.error, RecursionError, OverflowError):
        return True  # it is written for another dialect


_FORMATS = {
    "email": "has to be an e-mail address",
    "uri": "has to be a link with its scheme, such as https://example.org",
    "date": "has to be a date such as 2026-12-31",
    "date-time": "has to be a date and time such as 2026-12-31T12:00:00Z",
}


def _is_formatted(name: str, value: str) -> bool:
    try:
        match name:
            case "email":
                return _EMAIL.match(value) is not None
            case "uri":
                return bool(urlsplit(value).scheme)
            case "date":
                date.fromisoformat(value)
            case "date-time":
                datetime.fromisoformat(value)
                return "T" in value.upper()
            case _:
                return True
    except ValueError:
        return False
    return True


def _number(field: FormField, value: object) -> int | float:
    whole = field.kind == "integer"
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError("is a whole number" if whole else "is a number")
    if whole:
        if value != int(value):
            raise ValueError("is a whole number")
        value = int(value)
    if isinstance(value, int) and value not in _INTEGERS:
        raise ValueError("is too large a number")
    if field.minimum is not None and value < field.minimum:
        raise ValueError(f"has to be {field.minimum:g} or more")
    if field.maximum is not None and value > field.maximum:
        raise ValueError(f"has to be {field.maximum:g} or less")
    return value


def _choice(field: FormField, value: object) -> str:
    for known, _ in field.choices:
        if value == known:
            return known
    raise ValueError(f"can't be {short(str(value), 100)}")


def _chosen(field: FormField, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError("is a list of choices")
    chosen = tuple(_choice(field, item) for item in cast("list[object]", value))
    if len(set(chosen)) != len(chosen):
        raise ValueError("has a choice twice")
    if field.minimum is not None and len(chosen) < field.minimum:
        raise ValueError(f"needs {field.minimum:g} choices or more")
    if field.maximum is not None and len(chosen) > field.maximum:
        raise ValueError(f"takes {field.maximum:g} choices at most")
    return chosen
