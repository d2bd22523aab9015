"""Histories as a session leaves them, and the rule that every one of them keeps."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from minime_agent.engine.messages import FunctionCall, Message, ToolCall, tool_result, user


def call(identity: str, name: str = "bash", arguments: str = '{"command": "pytest -q"}') -> Message:
    return Message("assistant", None, (ToolCall(identity, FunctionCall(name, arguments)),))


def worked(question: str, *outputs: str, first: int = 0) -> list[Message]:
    """A turn: a question, a call for each output, an answer."""
    steps = [
        message
        for n, output in enumerate(outputs, first)
        for message in (call(f"c{n}"), tool_result(f"c{n}", output))
    ]
    return [user(question), *steps, Message("assistant", f"answer to {question}")]


def check(history: Sequence[Message]) -> None:
    """What servers and chat templates need: else they refuse every later request."""
    if not history:
        return
    assert history[0].role == "user"
    waiting: list[str] = []
    seen: set[str] = set()
    for before, message in zip([None, *history], history, strict=False):
        if message.role == "tool":
            assert message.tool_call_id == waiting.pop(0)
            continue
        assert not waiting
        assert before is None or not (message.role == before.role == "user")
        waiting = [call.id for call in message.tool_calls]
        assert not seen & set(waiting)
        seen |= set(waiting)
    assert not waiting


_texts = st.text(max_size=30) | st.integers(0, 60).map(lambda n: f"line {n} é\n" * n)
_arguments = st.sampled_from(
    ['{"command": "make test"}', '{"path": "a b.py"}', "{}", '{"command": 3}', "[1]", '{"steps": []}']
)


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Some turns; the last may have only begun."""
    history: list[Message] = []
    serial = 0
    for _ in range(draw(st.integers(0, 6))):
        history.append(user(draw(_texts)))
        for _ in range(draw(st.integers(0, 3))):
            calls = draw(
                st.lists(
                    st.tuples(st.sampled_from(["bash", "edit_file", "mcp__x"]), _arguments),
                    min_size=1,
                    max_size=3,
                )
            )
            ids = [f"id{serial + n}" for n in range(len(calls))]
            serial += len(calls)
            history.append(
                Message(
                    "assistant",
                    draw(st.none() | _texts),
                    tuple(ToolCall(i, FunctionCall(*c)) for i, c in zip(ids, calls, strict=True)),
                )
            )
            history += [tool_result(i, draw(_texts)) for i in ids]
        history.append(Message("assistant", draw(_texts)))
    if draw(st.booleans()):
        history.append(user(draw(_texts)))
    return history
