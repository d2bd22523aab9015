"""A fetched page as Markdown: its main content, without scripts, navigation, advertising, cookie banners."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

import msgspec

from minime_agent.webmd.errors import NOT_A_PAGE, PageError
from minime_agent.webmd.fetch import Page

if TYPE_CHECKING:
    from turbohtml import Document, Element, Node

_NOT_CONTENT = (
    "script, style, noscript, template, iframe, object, svg, canvas, dialog, nav, button, select, input, "
    "[role=navigation], [role=search], [role=dialog], [role=alertdialog], [hidden], [aria-hidden=true], "
    "img[src^='data:' i]"
)
_AROUND = "aside, [role=complementary], [role=banner], [role=contentinfo], body > header, body > footer"
_BANNERS = (
    "cookie-", "cookie_", "cookiebanner", "cookiebar", "cookieconsent", "consent-", "gdpr", "onetrust",
)  # fmt: skip
"""Parts of class names and ids; not the bare words, as chapters have ids too (`cookies`)."""
_BESIDE = (
    "advert", "adsbygoogle", "ad-banner", "ad-container", "sponsored", "newsletter", "popup", "breadcrumb",
    "share-buttons", "social-share", "sidebar", "skip-link",
)  # fmt: skip
"""Parts of class names that pages give to what nobody came for."""
_MUCH = 0.3
"""Share of the page's text; what holds more of it is not beside the content, whatever its name."""
_CONTENT = "main, [role=main], article, h1"
"""What is never taken out with what stands around it."""
_SHELLS = "#root, #app, #__next, #__nuxt, app-root, [data-reactroot], [ng-app]"
_PERMALINKS = frozenset({"", "#", "¶", "§", "🔗", "↩"})
_ENDS_IN_BLANKS = re.compile(r"(?:&#160;)+$", re.MULTILINE)
_SHORT = 200
"""Characters; a shell of a program in JavaScript shows less."""
_PROGRAM = "the page is empty without JavaScript, which is not run; look for an API, a feed or another page"


class Markdown(msgspec.Struct, frozen=True):
    """A page as text; `title` may be empty."""

    title: str
    text: str


def convert(page: Page) -> Markdown:
    """The page's Markdown; text and JSON as they are. Raises `PageError` 1. Takes some 20 ms a MiB."""
    if page.kind in ("text/html", "application/xhtml+xml") or (not page.kind and _looks_like_html(page.data)):
        converted = _from_html(page)
    else:
        converted = Markdown("", _decoded(page))
    if not converted.text.strip():
        raise PageError(NOT_A_PAGE, page.url, "the page is empty")
    return converted


def _from_html(page: Page) -> Markdown:
    from turbohtml import Markdown as Style
    from turbohtml import parse

    try:
        document = parse(page.data, encoding=page.charset or None, detect_encoding=True, scripting=True)
    except LookupError:
        # The server names an encoding that there is none of: what the page says, or looks like, counts.
        document = parse(page.data, detect_encoding=True, scripting=True)
    title = _text(document.select_one("title"))
    refresh = document.meta_refresh(page.url)
    is_program = _is_program(document)
    _remove_inner_links(document)
    document.resolve_links(document.base_url(page.url))
    document.remove(_NOT_CONTENT)
    if len(document.to_text().strip()) < _SHORT:
        if refresh is not None and refresh[1] != page.url:
            raise PageError(NOT_A_PAGE, page.url, f"the page only leads to {refresh[1]}: fetch that")
        if is_program:
            raise PageError(NOT_A_PAGE, page.url, _PROGRAM)
    _remove_around(document)
    text = _main(document).to_markdown(Style(escaping=Style.Escaping(underscores=False))).strip()
    text = _ENDS_IN_BLANKS.sub("", text)
    if title and text and not text.startswith("# "):
        text = f"# {title}\n\n{text}"
    return Markdown(title, text)


def _is_program(document: Document) -> bool:
    """Whether scripts make the page: it has none of its own, or says that it needs them."""
    if not document.select("script"):
        return False
    asks = any("javascript" in hint.text.lower() for hint in document.select("noscript"))
    return asks or document.select_one(_SHELLS) is not None


def _remove_inner_links(document: Document) -> None:
    """Links within the page and to scripts, which lead a model nowhere; their text stays."""
    for link in document.select("a[href^='#'], a[href^='javascript:' i]"):
        if _text(link) in _PERMALINKS:
            link.decompose()
        else:
            link.unwrap()


def _remove_around(document: Document) -> None:
    for element in document.select(_AROUND):
        if not _holds_content(element) and element.closest("main, article") is None:
            element.decompose()
    classes = [f"[class*='{word}' i]" for word in (*_BANNERS, *_BESIDE)]
    ids = [f"[id*='{word}' i]" for word in _BANNERS]
    most = _MUCH * len(document.text)
    for element in document.select(", ".join([*classes, *ids])):
        if not _holds_content(element) and len(element.text) < most:
            element.decompose()


def _holds_content(element: Element) -> bool:
    return element.matches(f"html, body, {_CONTENT}") or element.select_one(_CONTENT) is not None


def _main(document: Document) -> Node:
    """What the page itself calls its content, else what reads like it, where that is most of the page."""
    if (named := document.select_one("main, [role=main]")) is not None and _text(named):
        return named
    articles = document.select("article")
    if len(articles) == 1 and _text(articles[0]):
        return articles[0]
    found = document.main_content()
    whole = document.select_one("body") or document
    return found if found is not None and 2 * len(found.text) > len(whole.text) else whole


def _text(element: Element | None) -> str:
    return " ".join(element.text.split()) if element is not None else ""


def _looks_like_html(data: bytes) -> bool:
    start = data[:1024].lstrip().lower()
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body", b"<!--"))


def _decoded(page: Page) -> str:
    """Text by what the server says, a byte-order mark, UTF-8, or what it looks like."""
    from turbohtml.detect import detect

    if b"\0" in page.data[:8192] and not page.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise PageError(NOT_A_PAGE, page.url, "it is a binary file, not a page")
    for name in (page.charset, detect(page.data).encoding):
        try:
            return page.data.decode(name or "utf-8").removeprefix("\ufeff")
        except (LookupError, UnicodeDecodeError):
            continue
    return page.data.decode("utf-8", "replace")
