"""mm in another program, as docs/mm-library.md shows it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from minime_agent import Agent
from minime_agent.engine.errors import ModelError
from minime_agent.engine.session import Outcome
from minime_agent.ui.events import TextDelta, ToolEnd, ToolStart
from tests.scripted_model import Call, ScriptedModel, Stall, Status, Text

TOUCH = Call("bash", {"command": "touch made"})
PAGE = Path(__file__).parents[3] / "docs" / "mm-library.md"


@pytest.fixture
async def server() -> AsyncIterator[ScriptedModel]:
    async with ScriptedModel() as server:
        yield server


async def test_asked_it_works_and_answers(server: ScriptedModel, tmp_path: Path) -> None:
    server.play([[TOUCH], [Text("It is made.")]])
    async with Agent(tmp_path, baseURL=server.url) as agent:
        answer = await agent.ask("Make it.")
    assert (answer.text, answer.stop) == ("It is made.", "end_turn")
    assert (tmp_path / "made").exists()


async def test_events_come_as_they_happen_and_the_outcome_last(server: ScriptedModel, tmp_path: Path) -> None:
    server.play([[Text("I "), TOUCH], [Text("did.")]])
    async with Agent(tmp_path, baseURL=server.url) as agent:
        events = [event async for event in agent.run("Make it.")]
    kinds = [type(event) for event in events if isinstance(event, TextDelta | ToolStart | ToolEnd | Outcome)]
    assert kinds == [TextDelta, ToolStart, ToolEnd, TextDelta, Outcome]


@pytest.mark.parametrize("is_coroutine", [True, False])
async def test_what_is_not_allowed_does_not_run(
    server: ScriptedModel, tmp_path: Path, is_coroutine: bool
) -> None:
    (tmp_path / "seen").write_text("x")
    asked: list[str] = []

    def no(call: ToolStart) -> bool:
        asked.append(call.name)
        return False

    async def slow_no(call: ToolStart) -> bool:
        return no(call)

    server.play([[Call("read_file", {"path": "seen"})], [TOUCH], [Text("No.")]])
    async with Agent(tmp_path, baseURL=server.url, allow=slow_no if is_coroutine else no) as agent:
        await agent.ask("Make it.")
    assert asked == ["bash"]
    assert not (tmp_path / "made").exists()


async def test_leaving_the_loop_stops_the_turn(server: ScriptedModel, tmp_path: Path) -> None:
    server.play([[Text("One "), Stall()], [Text("two")]])
    async with Agent(tmp_path, baseURL=server.url) as agent:
        run = agent.run("Count.")
        async for event in run:
            if isinstance(event, TextDelta):
                break
        await run.aclose()  # type: ignore[attr-defined]  it is a generator
        assert (await agent.ask("Go on.")).text == "two"
        assert [m["content"] for m in server.chats[1]["messages"][1:]] == ["Count.", "One ", "Go on."]


async def test_a_conversation_goes_on(
    server: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    server.play([[Text("hi")], [Text("ho")]])
    async with Agent(tmp_path, baseURL=server.url, keep=True) as agent:
        await agent.ask("one")
    async with Agent(tmp_path, baseURL=server.url, session="last") as agent:
        await agent.ask("two")
    assert [m["content"] for m in server.chats[1]["messages"][1:]] == ["one", "hi", "two"]


async def test_a_failure_is_a_sentence(server: ScriptedModel, tmp_path: Path) -> None:
    server.play([Status(401)] * 2)
    async with Agent(tmp_path, baseURL=server.url) as agent:
        with pytest.raises(ModelError, match="API key"):
            await agent.ask("hi")
        with pytest.raises(ModelError, match="API key"):
            async for _ in agent.run("hi"):
                pass


async def test_the_page_shows_what_works(
    server: ScriptedModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    example = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-project").mkdir()
    names: dict[str, object] = {}
    assert '"my-project",' in example
    example = example.replace('"my-project",', f'"my-project", baseURL="{server.url}",')
    exec(example.replace("asyncio.run(main())", ""), names)
    await names["main"]()  # type: ignore[operator]  it is the example's
    assert capsys.readouterr().out == "Hello from the scripted model.\n"
