from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import psutil
import pytest

from minime_agent.tools.bash import Bash
from minime_agent.tools.workspace import Workspace
from minime_agent.ui.events import ToolRunning
from tests.processes import gone, is_running
from tests.recording_sink import RecordingSink
from tests.unit.minime_agent.tools.conftest import Use

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are a POSIX shell's")


async def test_output_of_both_streams_and_the_exit_code(use: Use) -> None:
    result = await use(Bash(), command="echo out; echo err >&2; exit 3")
    assert (result.output, result.failed, result.exit_code) == ("out\nerr\n[exit code: 3]", True, 3)


async def test_silence_is_said(use: Use) -> None:
    assert (await use(Bash(), command="true")).output == "[no output, exit code: 0]"


async def test_runs_in_the_folder(use: Use, workspace: Workspace) -> None:
    assert (await use(Bash(), command="pwd")).output == str(workspace.cwd)


async def test_there_is_no_stdin(use: Use) -> None:
    assert (await use(Bash(), command="cat; read x || echo nothing")).output == "nothing"


async def test_job_in_the_background_does_not_hold_the_call(use: Use, tmp_path: Path) -> None:
    result = await use(Bash(5), command="sleep 600 & echo $!")
    pid = int(result.output)
    assert is_running(pid)
    psutil.Process(pid).kill()


async def test_job_that_writes_a_log_goes_on_after_the_call(use: Use, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go")
    await use(Bash(5), command="nohup sh -c 'cat go; echo $$ > done' > log 2>&1 &")
    await asyncio.to_thread((tmp_path / "go").write_text, "later\n")
    pid = int((await use(Bash(20), command="until test -s done; do sleep 0.05; done; cat done")).output)
    await gone(pid)
    assert (tmp_path / "log").read_text().endswith("later\n")


async def test_limit_ends_the_whole_group(use: Use, tmp_path: Path) -> None:
    command = "trap '' TERM; (trap '' TERM; sleep 600) & echo $! > child; echo begun; sleep 600"
    result = await use(Bash(0.5), command=command)
    assert result.failed
    assert result.output.startswith("begun\n[error: 0.5s timeout exceeded")
    pid = int((tmp_path / "child").read_text())
    await gone(pid)


async def test_cancel_ends_the_whole_group(workspace: Workspace, tmp_path: Path) -> None:
    started = asyncio.Event()
    sink = RecordingSink(watch=lambda _event: started.set())
    bash = Bash()
    call = await bash.prepare({"command": "sleep 600 & echo $! > child; echo up; wait"}, workspace)
    task = asyncio.ensure_future(call.run(sink, "1"))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    pid = int((tmp_path / "child").read_text())
    await gone(pid)
    await bash.close()


async def test_output_is_shown_while_it_grows(use: Use, sink: RecordingSink, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "go")
    seen = asyncio.Event()

    def watch(event: object) -> None:
        if isinstance(event, ToolRunning) and "first" in event.output:
            seen.set()

    sink.watch = watch
    task = asyncio.ensure_future(use(Bash(), command="echo first; cat go; echo last"))
    await seen.wait()
    await asyncio.to_thread((tmp_path / "go").write_text, "second\n")
    assert (await task).output == "first\nsecond\nlast"


async def test_a_flood_keeps_its_head_and_tail(use: Use, workspace: Workspace) -> None:
    workspace.max_output = 2_000
    result = await use(Bash(), command="echo begin; head -c 5000000 /dev/zero | tr '\\0' x; echo; echo end")
    assert len(result.output) < 2_200
    assert result.output.startswith("begin\nxxx")
    assert result.output.endswith("xxx\nend")
    assert "left out" in result.output


async def test_no_file_stays_behind(use: Use, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tempfile

    spare = tmp_path / "spare"
    spare.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spare))
    await use(Bash(), command="echo x")
    await use(Bash(0.1), command="sleep 60")
    assert list(spare.iterdir()) == []


async def test_key_of_the_model_is_not_passed_on(use: Use, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MM_API_KEY", "secret")
    assert (await use(Bash(), command="echo ${MM_API_KEY:-none}")).output == "none"


async def test_output_that_is_not_text(use: Use) -> None:
    assert (await use(Bash(), command=r"printf 'a\377b\000c'")).output == "a�b�c"


async def test_a_command_that_cannot_be_started(use: Use) -> None:
    assert "could not be started" in (await use(Bash(), command="a\0b")).output


async def test_a_call_may_ask_for_another_budget(use: Use) -> None:
    result = await use(Bash(), command="echo begun; sleep 600", timeout=0.3)
    assert result.output.startswith("begun\n[error: 0.3s timeout exceeded")
    assert "Give it more time (timeout, at most 600)" in result.output
    assert (await use(Bash(0.3), command="sleep 1; echo done", timeout="20")).output == "done"


async def test_a_command_that_floods_the_disk_is_ended(use: Use) -> None:
    result = await use(Bash(flood=1 << 20), command="echo begin; yes")
    assert result.failed
    assert result.output.startswith("begin\ny\ny\n")
    assert result.output.endswith(
        "[error: more than 1 MiB of output; the command was ended. Write less, or into a file]"
    )


async def test_colours_titles_and_links_are_taken_out(use: Use) -> None:
    command = (
        r"printf '\033[1;31mred\033[0m \033]0;title\007\033]8;;http://x\033\\link\033]8;;\033\\ \033(Bend\n'"
    )
    assert (await use(Bash(), command=command)).output == "red link end"


async def test_of_a_progress_bar_the_last_state_is_read(use: Use) -> None:
    result = await use(Bash(), command=r"printf ' 10%%\r 50%%\r100%%\nwindows\r\nlast\r'")
    assert result.output == "100%\nwindows\nlast"


async def test_binary_output_is_described(use: Use) -> None:
    result = await use(Bash(), command="head -c 5000 /dev/zero")
    assert result.output == "[binary output, 5000 bytes, not shown. Write it into a file instead]"


async def test_text_with_strange_bytes_in_it_is_shown(use: Use) -> None:
    assert (await use(Bash(), command=r"printf 'caf\351 and other words of an old file\n'")).output == (
        "caf� and other words of an old file"
    )


async def test_an_empty_command_is_told(use: Use) -> None:
    result = await use(Bash(), command=" ")
    assert result.failed
    assert result.output == "[error: the command is empty; nothing was run]"


async def test_a_wrong_call_is_told_the_shape(use: Use) -> None:
    result = await use(Bash(), what="ls")
    assert "expected {command: string, timeout?: number}" in result.output
