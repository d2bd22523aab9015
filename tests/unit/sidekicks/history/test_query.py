"""What a person types to search, and what of a message it finds."""

from __future__ import annotations

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidekicks.history.query import Query, readable, separated

TEXT = "The config of foo_bar lives in ./src/sidekicks/app.py (see Config.load_all)."


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("config", TEXT),
        ("CONFIG lives", TEXT),
        ("lives config", TEXT),
        ("conf", TEXT),
        ("foo_bar", TEXT),
        ("bar ", TEXT),
        ("src/sidekicks/app.py", TEXT),
        ("app.py", TEXT),
        ("Config.load", TEXT),
        ('"lives in"', TEXT),
        ('"lives in', TEXT),
        ("creme brulee", "Une crème brûlée"),
        ("crème", "creme"),
        ("Việt", "viet nam"),
        ("東京", "昨日は東京都に行った"),
        ("京都に", "昨日は東京都に行った"),
        ("하세요", "안녕하세요"),
        ("pip東京", "pip東京"),
        ("тест", "Это ТЕСТ"),
        ("🤖", "hello🤖world"),
        ("hello 🤖", "hello🤖world"),
        ("e\u0301te\u0301 ", "l'été"),
        ("été", "l'e\u0301te\u0301"),
        ("12", "version 3.12"),
    ],
)
def test_what_is_found(typed: str, text: str) -> None:
    assert Query(typed).matches(readable(text))
    assert indexed(Query(typed), text)


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("conf ", TEXT),
        ('"conf"', TEXT),
        ("co", TEXT),
        ("onfig", TEXT),
        ("config missing", TEXT),
        ('"in lives"', TEXT),
        ("conf lives", TEXT),
        ("foobar", TEXT),
        ("京東", "昨日は東京都に行った"),
        ("Straße", "strase"),
    ],
)
def test_what_is_not_found(typed: str, text: str) -> None:
    assert not Query(typed).matches(readable(text))
    assert not indexed(Query(typed), text)


def indexed(query: Query, *texts: str) -> bool:
    """Whether the tokenizer of the index has it so too."""
    with sqlite3.connect(":memory:") as connection:
        connection.execute(
            "CREATE VIRTUAL TABLE fts USING fts5(said, content='',"
            " tokenize=\"unicode61 remove_diacritics 2 categories 'L* N* Co So'\")"
        )
        for text in texts:
            connection.execute("INSERT INTO fts (said) VALUES (?)", (separated(readable(text)),))
        find = "SELECT count(*) FROM fts WHERE fts MATCH ?"
        found = [connection.execute(find, (each,)).fetchone()[0] for each in query.expressions()]
    connection.close()
    return any(found)


@pytest.mark.parametrize("typed", ["", "  ", '"', '""', "->", '"(" && *', "\0", "^", "-- :"])
def test_without_a_word_there_is_nothing_to_look_for(typed: str) -> None:
    assert not Query(typed)


@given(st.text(alphabet=st.one_of(st.characters(), st.sampled_from('"*^:()-+ANDORNEAR 東🤖é\0'))))
def test_whatever_is_typed_is_a_query(typed: str) -> None:
    query = Query(typed)
    if query:
        indexed(query, "some text")
        query.snippet("some text")
        assert not query.matches("")


@given(st.text(min_size=1, max_size=40), st.text(max_size=300))
def test_a_snippet_marks_words_within_itself(typed: str, text: str) -> None:
    query = Query(typed)
    snippet, spans = query.snippet(readable(text + " " + typed + " " + text))
    assert "\n" not in snippet
    if query and query.matches(readable(typed)):
        assert spans
    assert all(0 <= start < end <= len(snippet) for start, end in spans)
    assert sorted(spans) == list(spans)


def test_a_snippet_is_cut_around_the_first_hit() -> None:
    words = " ".join(f"word{number}" for number in range(100))
    snippet, spans = Query("target mark").snippet(f"{words}\nthe Target and\tthe mark {words}")
    assert snippet.startswith("… word9")
    assert "the Target and the mark word0" in snippet
    assert snippet.endswith(" …")
    assert len(snippet) <= 165
    assert [snippet[start:end] for start, end in spans] == ["Target", "mark"]


def test_a_snippet_of_a_short_text_is_the_text() -> None:
    assert Query("wor").snippet("hello worlds") == ("hello worlds", ((6, 12),))
