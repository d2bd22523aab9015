from __future__ import annotations

import pytest

from minime_agent.webmd.address import normalize_url
from minime_agent.webmd.errors import PageError


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://k33g.org/a?b=c", "https://k33g.org/a?b=c"),
        ("k33g.org", "https://k33g.org"),
        ("https//k33g.org", "https://k33g.org"),
        ("http:/k33g.org/x", "http://k33g.org/x"),
        ("HTTPS:k33g.org", "https://k33g.org"),
        ("//k33g.org/x", "https://k33g.org/x"),
        (" <https://k33g.org/> ", "https://k33g.org/"),
        ("`k33g.org/a#part`", "https://k33g.org/a"),
        ("k33g.org:8443/x", "https://k33g.org:8443/x"),
        ("localhost:3000/x", "http://localhost:3000/x"),
        ("127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("https://localhost:3000", "https://localhost:3000"),
        ("[::1]:8000/x", "http://[::1]:8000/x"),
        ("https://bücher.example/ü", "https://bücher.example/ü"),
    ],
)
def test_what_is_meant(text: str, url: str) -> None:
    assert normalize_url(text) == url


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not a web address; write it like https://example.com/page"),
        ("hello", "not a web address"),
        ("the docs of k33g.org", "not a web address"),
        ("https://", "not a web address"),
        ("https://[bad", "not a web address"),
        ("k33g.org:99999", "not a web address"),
        ("file:///etc/passwd", "file: is not for the web, only http and https are"),
        ("ftp://k33g.org", "ftp: is not for the web"),
        ("javascript:alert(1)", "javascript: is not for the web"),
        ("data:text/html,x", "data: is not for the web"),
    ],
)
def test_what_is_no_address(text: str, said: str) -> None:
    with pytest.raises(PageError, match=said) as caught:
        normalize_url(text)
    assert caught.value.code == 3
