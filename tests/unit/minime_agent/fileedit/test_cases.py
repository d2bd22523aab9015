"""Edits that models send and people would understand, and some that must change nothing."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from minime_agent.tools.edit_file import EditFile
from minime_agent.tools.tool import ToolFailure, ToolResult
from minime_agent.tools.workspace import Workspace
from tests.recording_sink import RecordingSink

CASES: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[3] / "data" / "edit_cases.json").read_text("utf-8")
)["cases"]


def before(case: dict[str, Any]) -> bytes | None:
    if made := case.get("before_gen"):
        return "".join(made["format"] % number for number in range(1, made["count"] + 1)).encode()
    if encoded := case.get("before_b64"):
        return base64.b64decode(encoded)
    return case["before"].encode() if case["before"] is not None else None


def after(case: dict[str, Any], data: bytes | None) -> bytes | None:
    [edit, *_] = case["edits"]
    if "after_gen" in case:
        assert data is not None
        return data.replace(edit["old"].encode() + b"\n", edit["new"].encode() + b"\n")
    if case["expect"] == "refuse_or_bytes_kept":  # mm keeps them, where the encoding is beyond doubt
        assert data is not None
        return data.replace(edit["old"].encode(), edit["new"].encode())
    return case["after"].encode() if case["after"] is not None else data


async def edited(path: Path, edits: list[dict[str, str]]) -> ToolResult:
    workspace = Workspace(path.parent)
    try:
        call = await EditFile().prepare({"path": path.name, "edits": edits}, workspace)
    except ToolFailure as failure:
        return ToolResult(str(failure), failed=True)
    return await call.run(RecordingSink(), "1")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['title']}")
async def test_case(case: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / case.get("path", "file.txt")
    data = before(case)
    if data is not None:
        path.write_bytes(data)
    result = await edited(path, case["edits"])
    assert (path.read_bytes() if path.exists() else None) == after(case, data)
    assert result.failed == (case["expect"] == "refuse")
    for word in case["reply_should_mention"]:
        assert word in result.output
    assert len(result.output) < 4_000
