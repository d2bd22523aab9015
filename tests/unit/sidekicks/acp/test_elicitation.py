"""Forms and links as they are shown, and what may be filled in."""

from __future__ import annotations

import time

import pytest

from minime_agent.acp.wire import services
from sidekicks.acp.elicitation import MAX_FIELDS, UnshowableFormError, form_of
from sidekicks.acp.form_values import FormError, checked
from sidekicks.models import FormField, FormValue


def form(
    *required: str, title: str | None = None, **properties: services.ElicitationProperty
) -> services.CreateElicitationRequest:
    schema = services.ElicitationSchema(title=title, properties=properties, required=required)
    return services.CreateElicitationRequest(mode="form", message="Well?", requested_schema=schema)


def field(kind: str, **fields: object) -> FormField:
    return FormField(**{"name": "f", "title": "It", "kind": kind, **fields})  # type: ignore[arg-type]


def test_what_cannot_be_shown_and_need_not_is_named() -> None:
    unknown = services.UnknownProperty(kind="_drawing", raw={})
    shown = form_of(form(title="A title", sketch=unknown, name=services.StringProperty()))
    assert [field.name for field in shown.fields] == ["name"]
    assert shown.message == "Well?\n\nA title\n\nLeft out, because they can't be shown: sketch."


def test_a_form_of_another_mode_or_size_is_not_shown() -> None:
    with pytest.raises(UnshowableFormError, match="the kind '_hologram' can't be shown"):
        form_of(services.CreateElicitationRequest(mode="_hologram", message=""))
    many = {f"f{n}": services.StringProperty() for n in range(MAX_FIELDS + 1)}
    with pytest.raises(UnshowableFormError, match="more than 100 fields"):
        form_of(form(**many))


@pytest.mark.parametrize(
    "url",
    ["", "javascript:alert(1)", "file:///etc/passwd", "https://", "http://a b", "https://a/\n", "//x", "https://[",
     "https://example.org/" + "x" * 10_000, None],
)  # fmt: skip
def test_links_that_no_browser_should_open(url: str | None) -> None:
    with pytest.raises(UnshowableFormError):
        form_of(services.CreateElicitationRequest(mode="url", message="", url=url, elicitation_id="1"))


def test_a_link_stays_as_it_is() -> None:
    url = "https://example.org:8080/a?b=c#" + "d" * 1_000
    shown = form_of(services.CreateElicitationRequest(mode="url", message="m", url=url, elicitation_id="1"))
    assert (shown.url, shown.link_id) == (url, "1")


@pytest.mark.parametrize(
    ("one", "value", "sent"),
    [
        (field("text", format="email"), "ada@example.org", "ada@example.org"),
        (field("text", format="date-time"), "2026-12-31T12:00:00Z", "2026-12-31T12:00:00Z"),
        (field("text", format="date"), "2026-12-31", "2026-12-31"),
        (field("text", format="uri"), "https://example.org", "https://example.org"),
        (field("text", format="something new"), "x", "x"),
        (field("text", pattern="^[a-z]+$"), "abc", "abc"),
        (field("text", pattern="(?<name>javascript)"), "abc", "abc"),
        (field("integer"), 3.0, 3),
        (field("number", minimum=0), 0, 0),
        (field("boolean"), False, False),
        (field("choice", choices=(("a", "A"),)), "a", "a"),
        (field("choices", choices=(("a", "A"), ("b", "B"))), ["b", "a"], ("b", "a")),
    ],
)
def test_what_fits(one: FormField, value: object, sent: FormValue) -> None:
    found = checked([one], {"f": value})["f"]
    assert (found, type(found)) == (sent, type(sent))


@pytest.mark.parametrize(
    ("one", "value", "sentence"),
    [
        (field("text"), 1, "It is a text."),
        (field("text", maximum=2), "abc", "It may have 2 characters at most."),
        (field("text", pattern="^a"), "b", "It has to match ^a."),
        (field("text", format="email"), "ada", "It has to be an e-mail address."),
        (field("text", format="date"), "31.12.2026", "It has to be a date such as 2026-12-31."),
        (field("text", format="date-time"), "2026-12-31", "It has to be a date and time such as"),
        (field("text", format="uri"), "example", "It has to be a link with its scheme"),
        (field("number"), True, "It is a number."),
        (field("number"), float("nan"), "It is a number."),
        (field("integer"), 2**70, "It is too large a number."),
        (field("number", minimum=1), 0.5, "It has to be 1 or more."),
        (field("number", maximum=1), 2, "It has to be 1 or less."),
        (field("choices", choices=(("a", "A"),)), "a", "It is a list of choices."),
        (field("choices", choices=(("a", "A"),)), ["a", "a"], "It has a choice twice."),
        (field("choices", choices=(("a", "A"),), minimum=2), ["a"], "It needs 2 choices or more."),
        (
            field("choices", choices=(("a", "A"),), required=True, minimum=1),
            [],
            "It needs 1 choices or more.",
        ),
        (field("text", required=True), "", "It has to be filled in."),
    ],
)
def test_what_does_not_fit(one: FormField, value: object, sentence: str) -> None:
    with pytest.raises(FormError) as raised:
        checked([one], {"f": value})
    assert str(raised.value).startswith(sentence)


def test_what_was_left_empty_is_not_sent() -> None:
    fields = [field("text"), FormField(name="g", title="G", kind="choices")]
    assert checked(fields, {"f": "", "g": []}) == {}


def test_a_pattern_cannot_hold_everything_up() -> None:
    began = time.monotonic()
    for pattern in ("^(a+)+$", "^(a|aa)*$", "a*" * 30 + "b", "[", "(a)\\1" * 10):
        checked([field("text", pattern=pattern)], {"f": "a" * 5_000 + "!"})
    assert time.monotonic() - began < 1
