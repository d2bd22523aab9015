"""`sidekicks doctor`: as a real process, and its checks on machines that this one is not."""

from __future__ import annotations

import http.server
import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sidekicks.commands.checkup import machine, servers, setup
from sidekicks.commands.checkup.servers import Place
from sidekicks.models import AgentDefinition
from tests.e2e.test_cli import sidekicks

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lacks libraries")


def test_every_finding_is_a_line_that_needs_no_colour(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "agents: [{name: mm, command: mm}, {name: bob, command: no-such-program}]"
    )
    places = {"DISPLAY": "", "WAYLAND_DISPLAY": "", "MM_DATA_DIR": str(tmp_path)}
    ran = sidekicks("doctor", "--config", "a.yaml", "--data-dir", "data", home=tmp_path, **places)
    lines = ran.stdout.splitlines()
    assert any(line.startswith("ok       configuration") and line.endswith("is valid") for line in lines)
    assert any(line.startswith("ok       agent mm") for line in lines)
    at = lines.index("problem  agent bob       the program no-such-program is not found")
    assert lines[at + 1].lstrip().startswith("-> install it, or change `command`")
    assert any(line.startswith("warning  own model       none is installed") for line in lines) or any(
        line.startswith("problem  own model       none is installed") for line in lines
    )
    assert "problem" in lines[-1]
    assert (ran.returncode, ran.stderr) == (1, "")
    assert not (tmp_path / "data").exists()


def test_findings_as_json(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("agents: 1")
    ran = sidekicks("doctor", "--config", "a.yaml", "--data-dir", "data", "--json", home=tmp_path)
    findings = json.loads(ran.stdout)
    assert {"topic", "level", "message", "advice"} == set(findings[0])
    [wrong] = [finding for finding in findings if finding["topic"] == "configuration"]
    assert (wrong["level"], "a.yaml:1:9" in wrong["message"]) == ("problem", True)
    assert ran.returncode == 1


@linux
@pytest.mark.parametrize(
    ("manager", "line"),
    [
        ("apt-get", "sudo apt install libegl1 libxcb-cursor0"),
        ("dnf", "sudo dnf install mesa-libEGL xcb-util-cursor"),
        ("pacman", "sudo pacman -S libglvnd xcb-util-cursor"),
        ("zypper", "sudo zypper install Mesa-libEGL1 libxcb-cursor0"),
        ("", "install them; on Debian the packages are libegl1 libxcb-cursor0"),
    ],
)
def test_missing_libraries_and_the_line_that_installs_them(manager: str, line: str) -> None:
    absent = {"libEGL.so.1", "libxcb-cursor.so.0"}
    [found] = machine.libraries(
        is_wanted=True,
        has=lambda library: library not in absent,
        which=lambda program: f"/usr/bin/{program}" if program == manager else None,
    )
    assert found.level == "problem"
    assert found.message == "missing: libEGL.so.1, libxcb-cursor.so.0"
    assert found.advice == line


@linux
@pytest.mark.parametrize(("absent", "is_wanted"), [("libgomp.so.1", True), ("libEGL.so.1", False)])
def test_a_library_that_no_window_here_needs_is_a_warning(absent: str, is_wanted: bool) -> None:
    [found] = machine.libraries(is_wanted=is_wanted, has=lambda library: library != absent)
    assert found.level == "warning"


@pytest.mark.parametrize(("free", "level"), [(10**12, "ok"), (10**8, "warning"), (10**6, "problem")])
def test_the_disk(tmp_path: Path, free: int, level: str) -> None:
    assert machine.disk(tmp_path / "not" / "yet", lambda path: free).level == level


def test_a_python_that_is_not_tested() -> None:
    assert machine.python((3, 12)).level == "ok"
    assert machine.python((3, 15)).level == "warning"


@pytest.mark.parametrize(("version", "level"), [("v22.1.0", "ok"), ("v18.20.1", "warning")])
async def test_node_for_agents_that_npx_fetches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, version: str, level: str
) -> None:
    agent = AgentDefinition(name="claude", title="Claude", command="npx")
    monkeypatch.setenv("PATH", str(tmp_path))
    [found] = await setup.node([agent])
    assert (found.level, found.message) == ("problem", "not found, and needed by claude")
    node = tmp_path / "node"
    node.write_text(f"#!/bin/sh\necho {version}\n")
    node.chmod(0o755)
    [found] = await setup.node([agent])
    assert found.level == level
    assert await setup.node([AgentDefinition(name="mm", title="mm", command="mm")]) == []


async def test_a_history_that_can_t_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file")
    found = await setup.history(tmp_path / "store")
    assert found.level == "warning"
    assert (await setup.history(tmp_path / "new" / "store")).level == "ok"


@contextmanager
def answering(body: bytes) -> Iterator[tuple[int, list[str]]]:
    """A server on loopback that answers everything with `body`; its port, and what it was asked."""
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(f"{self.command} {self.path}")
            self.send_response(200)
            self.end_headers()
            self.wfile.write(body)

        def log_request(self, code: object = "-", size: object = "-") -> None:
            del code, size

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.server_port, asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


async def test_model_servers_on_this_machine() -> None:
    names = [{"id": f"model-{number}"} for number in range(6)]
    with answering(json.dumps({"data": names}).encode()) as (port, asked), answering(b"<html>") as (other, _):
        places = [Place(name="Ollama", port=port), Place(name="a web page", port=other)]
        server, own = await servers.models(places)
    assert server.message == f"Ollama's port {port} answers: model-0, model-1, model-2, model-3 and 2 more"
    assert (server.level, own.topic, asked) == ("ok", "own model", ["GET /v1/models"])


async def test_no_model_at_all_is_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MM_DATA_DIR", str(tmp_path))
    none, own = await servers.models([])
    assert (none.message, none.level) == ("none on this machine", "ok")
    assert own.level == "problem"
    assert "mm model install smollm2" in own.advice
