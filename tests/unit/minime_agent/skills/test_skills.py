"""Skills on a disk: found, chosen, loaded by the model, named by the person."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from minime_agent.resources import resource
from minime_agent.skills.discover import Skills, discover, folders
from minime_agent.skills.invoke import rewrite
from minime_agent.skills.skill import load
from minime_agent.tools.read_skill import ReadSkill, catalogue
from minime_agent.tools.tool import ToolFailure
from minime_agent.tools.workspace import Workspace
from tests.recording_sink import RecordingSink

PDF = "---\nname: pdf-forms\ndescription: >\n  Fills\n  forms\n---\nRun fill.py"
GREET = "[skill: greet — load it with read_skill and carry out its steps now"
BUNDLED = ["bg-jobs", "commit", "explain-code", "greetings", "release-notes", "review", "tests"]


def page(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def skill_text(description: str, more: str = "") -> str:
    return f"---\ndescription: {description}\n{more}---\nDo it.\n"


async def loaded(skills: Skills, name: str, folder: Path) -> str:
    call = await ReadSkill(skills).prepare({"name": name}, Workspace(folder))
    return (await call.run(RecordingSink(), "c")).output


async def test_both_formats(tmp_path: Path) -> None:
    page(tmp_path, "greet.md", "# Greets people\n\nSay hello.")
    page(tmp_path, "tools/pdf/SKILL.md", PDF)
    page(tmp_path, "tools/pdf/NOTES.md", "not a skill")
    page(tmp_path, "README.md", "not a skill")
    page(tmp_path, ".hidden/SKILL.md", "not a skill")
    skills = discover([tmp_path])
    assert skills.problems == ()
    assert [(s.name, s.description) for s in skills.by_name.values()] == [
        ("greet", "Greets people"),
        ("pdf-forms", "Fills forms"),
    ]
    assert await loaded(skills, "greet", tmp_path) == "# Greets people\n\nSay hello."
    assert await loaded(skills, " $PDF-forms", tmp_path) == (
        f"[skill: pdf-forms; the files that it names are in {tmp_path / 'tools' / 'pdf'}]\n\nRun fill.py"
    )


async def test_the_nearest_counts_and_twins_are_said(tmp_path: Path) -> None:
    near, far = tmp_path / "near", tmp_path / "far"
    page(near, "a.md", skill_text("near"))
    page(far, "a.md", skill_text("far"))
    page(far, "b.md", skill_text("b"))
    page(far, "b/SKILL.md", skill_text("other b"))
    skills = discover([near, tmp_path / "missing", far])
    assert [skill.description for skill in skills.by_name.values()] == ["near", "other b"]
    assert skills.problems == (
        f"the skill {far / 'b.md'} is left out: {far / 'b' / 'SKILL.md'} has its name b",
    )


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("Bad_Name.md", skill_text("x"), "its name 'Bad_Name' is not made of"),
        ("a.md", "---\nname: x\n---\n", "no description"),
        ("a.md", "---\na: [\n---\n", "not valid YAML"),
        ("a.md", skill_text("x") + "x" * 300_000, "larger than 256 KiB"),
    ],
)
def test_what_is_wrong_is_a_sentence(tmp_path: Path, name: str, text: str, reason: str) -> None:
    path = page(tmp_path, name, text)
    skills = discover([tmp_path])
    assert skills.by_name == {}
    assert skills.problems[0].startswith(f"the skill {path} is left out: ")
    assert reason in skills.problems[0]


def test_keywords_are_eight_at_most(tmp_path: Path) -> None:
    page(tmp_path, "a.md", skill_text("a", f"keywords: {', '.join(map(str, range(20)))}\n"))
    page(tmp_path, "b.md", skill_text("b", "metadata:\n  keywords: [one, two]\n"))
    page(tmp_path, "c.md", skill_text("c", "keywords: 7\n"))
    assert catalogue(discover([tmp_path]).offered) == (
        "- a: a (0, 1, 2, 3, 4, 5, 6, 7)\n- b: b (one, two)\n- c: c"
    )


def test_a_large_catalogue_keeps_its_size(tmp_path: Path) -> None:
    for number in range(200):
        page(tmp_path, f"skill-{number}.md", skill_text(f"does {number} things " * 8, "keywords: one, two\n"))
    offered = discover([tmp_path]).offered
    assert len(catalogue(offered[:30])) <= 2_000
    assert "skill-0: does 0" in catalogue(offered[:30])
    assert "(one, two)" in catalogue(offered[:9])
    assert len(catalogue(offered)) <= 2_100
    assert "and 34 more" in catalogue(offered)


async def test_a_skill_for_the_person_alone_is_not_offered(tmp_path: Path) -> None:
    page(tmp_path, "a.md", skill_text("a", "disable-model-invocation: true\n"))
    page(tmp_path, "b.md", skill_text("b"))
    skills = discover([tmp_path])
    assert "- a" not in ReadSkill(skills).description
    assert await loaded(skills, "a", tmp_path) == "Do it."
    with pytest.raises(ToolFailure, match=r'\[skill: no skill named "c" — available: b\]'):
        await loaded(skills, "c", tmp_path)


async def test_a_skill_that_is_gone_meanwhile_is_said_to_the_model(tmp_path: Path) -> None:
    path = page(tmp_path, "a.md", skill_text("a"))
    skills = discover([tmp_path])
    path.unlink()
    assert "a cannot be loaded: it cannot be read: No such file" in await loaded(skills, "a", tmp_path)


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("$greet Bob", f"{GREET}; parameters: Bob]"),
        ("/skill greet", f"{GREET}]"),
        ("/skill:greet Bob\nand Ann", f"{GREET}; parameters: Bob\nand Ann]"),
        ("/skill great Bob", 'Bob\n[skill: no skill named "great" — available: greet]'),
        ("/skill:x", '[skill: no skill named "x" — available: greet]'),
        ("$path is empty", '$path is empty\n[skill: no skill named "path" — available: greet]'),
    ],
)
def test_a_skill_that_the_person_names(tmp_path: Path, text: str, rewritten: str) -> None:
    page(tmp_path, "greet.md", skill_text("Greets"))
    assert rewrite(text, discover([tmp_path]), by_tool=True) == rewritten


@pytest.mark.parametrize("text", ["$HOME is", "$5 each", "$a.b", "say $greet", "/skillful", "/skill", "$"])
def test_all_else_stays(tmp_path: Path, text: str) -> None:
    page(tmp_path, "greet.md", skill_text("Greets"))
    assert rewrite(text, discover([tmp_path]), by_tool=True) == text


def test_without_the_tool_the_text_goes_along(tmp_path: Path) -> None:
    page(tmp_path, "greet.md", skill_text("Greets"))
    assert rewrite("$greet Bob", discover([tmp_path]), by_tool=False) == (
        "[skill: greet — carry out these steps now; parameters: Bob]\n\nDo it."
    )


def test_places_from_the_working_folder_to_the_bundled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(variable, str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    root = tmp_path / "root"
    (root / "in").mkdir(parents=True)
    (root / ".git").mkdir()
    found = folders(root / "in", str(tmp_path / "mine"))
    assert found == [
        root / "in" / ".mm" / "skills",
        root / "in" / ".agents" / "skills",
        root / ".mm" / "skills",
        root / ".agents" / "skills",
        tmp_path / "mine",
        tmp_path / "home" / ".agents" / "skills",
        resource("skills"),
    ]


def test_the_bundled_skills_are_whole_and_short() -> None:
    skills = discover([resource("skills")])
    assert (skills.problems, list(skills.by_name)) == ((), BUNDLED)
    for skill in skills.offered:
        assert len(skill.description) <= 80
        assert len(skill.text()) <= 2_500
        assert load(skill.path).keywords
    assert len(catalogue(skills.offered)) <= 1_000


def test_the_bundled_skills_need_no_yaml_which_is_slow_to_import() -> None:
    script = (
        "import sys; from minime_agent.skills.discover import discover; "
        "from minime_agent.resources import resource; "
        "assert discover([resource('skills')]).by_name; assert 'yaml' not in sys.modules"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert ran.stderr == ""
