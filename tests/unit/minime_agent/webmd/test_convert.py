from __future__ import annotations

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from minime_agent.webmd.convert import convert
from minime_agent.webmd.errors import PageError
from minime_agent.webmd.fetch import Page

WHOLE = """<!doctype html><html><head><title>A  page</title><base href="/docs/"><style>p {}</style>
<script>var tracking = 1</script></head><body class="has-sidebar">
<header><nav><a href="/">Home</a></nav><p>Company slogan</p></header>
<div id="cookie-banner">We value your privacy <button>Accept</button></div>
<div class="advertisement">Buy this now</div>
<aside>Related stories</aside>
<main><h1>Title</h1><p>Text with <b>bold</b>, <code>code_of_it</code> and
<a href="more.html#x">a link</a>.</p>
<aside>A remark that belongs to it</aside>
<table><tr><th>A</th><th>B</th></tr><tr><td>1</td><td>2|3</td></tr></table>
<pre><code class="language-python">def f():
    return 1
</code></pre>
<ol><li>one<ul><li>inner</li></ul></li><li>two</li></ol>
<section id="cookies"><h2><a href="#cookies">Cookies</a>&nbsp;<a href="#cookies">¶</a></h2>
<p>How to <a href="javascript:show()">set</a> one.<img src="data:image/png;base64,AAAA"></p></section>
<img src="/i.png" alt="picture"><p hidden>hidden words</p></main>
<footer>Copyright</footer></body></html>"""

MARKDOWN = """# Title

Text with **bold**, `code_of_it` and [a link](http://h/docs/more.html#x).

A remark that belongs to it

| A | B |
| --- | --- |
| 1 | 2\\|3 |

```python
def f():
    return 1
```

1. one
   - inner
2. two

## Cookies

How to set one.

![picture](http://h/i.png)"""


def page(text: str | bytes, kind: str = "text/html", charset: str = "") -> Page:
    data = text if isinstance(text, bytes) else text.encode()
    return Page("http://h/", kind, charset, data)


def test_the_main_content_and_nothing_around_it() -> None:
    converted = convert(page(WHOLE))
    assert converted.title == "A page"
    assert converted.text == MARKDOWN


def test_without_a_main_element_nothing_of_the_text_is_lost() -> None:
    body = (
        "<nav>Home</nav><div class=wrap-sidebar><h1>Head</h1><p>First.</p></div><p>Second.</p><ul><li>x</ul>"
    )
    assert convert(page(body)).text == "# Head\n\nFirst.\n\nSecond.\n\n- x"


def test_what_stands_around_is_taken_out_where_the_page_marks_nothing_as_its_content() -> None:
    words = "<p>" + "The words of the page. " * 20 + "</p>"
    around = (
        "<header><p>Slogan</p></header><aside>Related</aside><div class='ad-container'>Buy</div>"
        "<div id=onetrust-banner>We use cookies</div><div class='Newsletter-box'>Subscribe</div>"
    )
    text = convert(page(f"{around}<div>{words}</div><footer>Copyright</footer>")).text
    assert text == ("The words of the page. " * 20).strip()
    inside = convert(
        page(f"<main>{words}<div class=share-buttons>Share</div><aside>A note</aside></main>")
    ).text
    assert inside.endswith("The words of the page.\n\nA note")


def test_a_page_of_links_keeps_them() -> None:
    rows = "".join(f"<li><a href=/{n}>Story {n}</a></li>" for n in range(30))
    text = convert(page(f"<title>News</title><ul>{rows}</ul>")).text
    assert text.startswith("# News\n\n- [Story 0](http://h/0)")
    assert text.count("](http://h/") == 30


def test_most_of_a_page_stays_whatever_its_class_is_called() -> None:
    text = convert(page(f"<div class=popup><p>{'All the words. ' * 20}</p></div>")).text
    assert "All the words." in text


@pytest.mark.parametrize(
    ("data", "charset"),
    [
        ("<p>café".encode("latin-1"), "iso-8859-1"),
        ("<meta charset=windows-1251><p>привет café".encode("cp1251", "replace"), ""),
        ("<p>café".encode(), "utf-8"),
        ("<p>café".encode(), "no-such-charset"),
        ("\ufeff<p>café".encode(), "iso-8859-1"),
        ("\ufeff<p>café".encode("utf-16-le"), ""),
        ("<p>これは日本語の文章です。café ".encode("shift_jis", "replace"), "shift_jis"),
        ("<p>café au lait, déjà vu, très bien, où êtes-vous</p>".encode("latin-1"), ""),
    ],
)
def test_charsets(data: bytes, charset: str) -> None:
    text = convert(page(data, charset=charset)).text
    assert any(word in text for word in ("café", "привет", "日本語")), text


@pytest.mark.parametrize(
    ("data", "kind", "charset", "text"),
    [
        (b'{"a": [1]}', "application/json", "", '{"a": [1]}'),
        (b"plain <b>text</b>\n", "text/plain", "", "plain <b>text</b>\n"),
        ("café".encode("latin-1"), "text/plain", "latin-1", "café"),
        ("café".encode("utf-16"), "text/plain", "", "café"),
        (b"# Already\n", "text/markdown", "utf-8", "# Already\n"),
        (b"<!doctype html><p>x", "", "", "x"),
        (b"just words", "", "", "just words"),
    ],
)
def test_text_passes_as_it_is(data: bytes, kind: str, charset: str, text: str) -> None:
    assert convert(page(data, kind, charset)).text == text


@pytest.mark.parametrize(
    ("data", "kind", "said"),
    [
        ("<html><body></body></html>", "text/html", "the page is empty"),
        ("  \n", "text/plain", "the page is empty"),
        ("<nav>Home</nav><script>x()</script>", "text/html", "the page is empty"),
        (b"\x89PNG\0\0\0", "", "it is a binary file"),
        (
            "<title>App</title><div id=root></div><script src=a.js></script>",
            "text/html",
            "without JavaScript",
        ),
        (
            "<noscript>Please enable JavaScript</noscript><p>Loading…</p><script>x()</script>",
            "text/html",
            "without JavaScript, which is not run; look for an API",
        ),
        (
            '<meta http-equiv=refresh content="0; url=/new">',
            "text/html",
            "only leads to http://h/new: fetch that",
        ),
    ],
)
def test_what_is_no_page_is_said(data: str | bytes, kind: str, said: str) -> None:
    with pytest.raises(PageError, match=said) as caught:
        convert(page(data, kind))
    assert caught.value.code == 1


def test_nesting_without_end() -> None:
    deep = "<div><b>" * 50_000 + "<p>the words</p>"
    assert "the words" in convert(page(deep)).text


_TAGS = [
    "p",
    "/p",
    "div",
    "/div",
    "table",
    "td",
    "main",
    "article",
    "svg",
    "script",
    "noscript",
    "pre",
    "title",
    "!--",
    "/",
]
_WITH_ATTRIBUTES = [
    "<div class=cookie->",
    "<meta charset=x>",
    "<base href='http://['>",
    "<a href='http://['>",
]
_PIECES = st.sampled_from(
    [*(f"<{tag}>" for tag in _TAGS), *_WITH_ATTRIBUTES, "<b", "-->", "&#", "\0", "é", "x"]
)


@given(st.lists(_PIECES, max_size=30).map("".join), st.sampled_from(["", "utf-8", "utf-16", "x"]))
@settings(max_examples=200, deadline=None)
def test_broken_pages_give_text_or_a_reason(text: str, charset: str) -> None:
    with contextlib.suppress(PageError):
        assert convert(page(text, charset=charset)).text.strip()
