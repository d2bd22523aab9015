from __future__ import annotations

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from minime_agent.frontmatter import FrontmatterError, split


def test_head_and_body() -> None:
    head, body = split("---\nname: pdf-tools\ndescription: Fills in forms: all of them\n---\n# Text\n---\n")
    assert (head["name"], body) == ("pdf-tools", "# Text\n---\n")


@pytest.mark.parametrize("text", ["# No head\n", "--- \nname: x\n", "", "text\n---\na: b\n---\n"])
def test_a_file_without_a_head_is_all_body(text: str) -> None:
    assert split(text) == ({}, text)


def test_heads_as_people_write_them() -> None:
    head, body = split(
        "\ufeff---\r\ndescription: >-\r\n  Two lines,\r\n  folded\r\nmetadata:\r\n  author: me\r\n"
        "disable-model-invocation: true\r\n---\r\nText\r\n"
    )
    assert head == {
        "description": "Two lines, folded",
        "metadata": {"author": "me"},
        "disable-model-invocation": True,
    }
    assert body == "Text\n"


@pytest.mark.parametrize(
    ("text", "reason"), [("a: [", "not valid YAML"), ("- a\n- b", "no `key: value` lines")]
)
def test_a_head_that_is_none_is_said(text: str, reason: str) -> None:
    with pytest.raises(FrontmatterError, match=reason):
        split(f"---\n{text}\n---\nbody")


@settings(max_examples=500, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.sampled_from(("name", "description", "on", "a-b", "x9")),
            st.text(alphabet="aZ09 :#'\"-&*!|>%@`{}[],?~.\t\u00e9\u2028\u0085\x07", max_size=12)
            | st.sampled_from(("yes", "Null", "a: b", "a #b", "a:", "trailing  ", "it's")),
        ),
        max_size=3,
    )
)
def test_simple_heads_are_read_as_yaml_reads_them(rows: list[tuple[str, str]]) -> None:
    head = "".join(f"{key}: {value}\n" for key, value in rows)
    try:
        found, _ = split(f"---\n{head}---\n")
    except FrontmatterError:
        found = None
    try:
        expected = yaml.safe_load(head)
    except yaml.YAMLError:
        return
    assert found is not None
    if isinstance(expected, dict):
        assert found == {str(key): value for key, value in expected.items()}
    else:
        assert found == {}
