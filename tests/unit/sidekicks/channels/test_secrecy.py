"""What an agent was given to keep for itself is not in what is kept of its answers."""

from __future__ import annotations

from sidekicks.models import TextPart, ToolPart
from tests.agents import scripted
from tests.talk import Talk

SECRET = "s3cr3t/value+1"


async def test_an_answer_is_kept_without_the_secrets_of_its_agent(talk: Talk) -> None:
    talk.configure(scripted("ada", env={"API_TOKEN": SECRET, "MODEL": "opus-4.5"}))
    channel = await talk.channel("ada")
    answer = await talk.ask(channel, f"!env(API_TOKEN) !tool(execute,env,{SECRET}) !env(MODEL)")
    text = "".join(part.text for part in answer.parts if isinstance(part, TextPart))
    output = "".join(part.output for part in answer.parts if isinstance(part, ToolPart))
    assert text.startswith("[API_TOKEN]")
    assert "[API_TOKEN]" in output
    assert text.endswith("opus-4.5")  # a person reads it again: what is no secret stays
    assert SECRET not in repr(answer)


async def test_another_agents_secret_is_not_looked_for(talk: Talk) -> None:
    talk.configure(scripted("ada", env={"API_TOKEN": SECRET}), scripted("bob", env={"OTHER": SECRET}))
    channel = await talk.channel("bob")
    answer = await talk.ask(channel, "!env(OTHER)")
    assert SECRET in repr(answer)
