"""An agent that does what a test tells it: its own raw JSON-RPC, so that it can misbehave. Stdlib only.

Run as `python -m tests.scripted_agent OPTION…` or by path. Options, each one word:

    slow-start=SECONDS      wait before answering initialize
    answers-when=PATH       wait with it until this file is there
    never-answers           don't answer it at all
    initialize=JSON         answer it with this
    stdout-closed           close stdout and live on
    protocol=N              answer with another protocol version
    exit=CODE               end at once
    stderr=TEXT, banner     a line on stderr; text on stdout before any JSON
    load, resume            offer session/load, session/resume
    load-forgets            load any session as an empty one; load-late: answer before the past is told
    auth-status             tell of the login in a notification of its own, before session/new's answer
    load-fails=CODE         offer load, then refuse it; resume-fails=CODE likewise
    one-prompt              refuse a prompt while another runs
    early-updates           announce commands before session/new's answer
    commands                announce commands after it
    auth, session-fails     refuse session/new: login needed, internal error
    session-hangs           never answer session/new
    ignore-eof, ignore-term outlive the end of stdin, SIGTERM
    pidfile=PATH            write the pid there
    prompts=PATH            write each prompt there, as a line of JSON
    child, daemon           start a child that ignores SIGTERM, in the group or in a session of its own; a
                            line of stderr is its pid

A prompt's last line is a list of directives, `!name` or `!name(argument, argument)`, done in order; without
any it is answered with `echo: ` and itself. Between directives the agent is polite: a cancel ends the turn.

    text(words) stream(chunks, size, seconds) thought(words) late(words) plan usage(used, size)
    commands(name…) notice(severity, words)
    tool(kind, title, output) big(bytes) growing(updates) terminal(words) diff(path) newfile(path)
    ask(kind, title) askbare(kind, title) ask-when-cancelled withdraw
    choose(kind, option kinds…): asks with an option for each, whose id is its kind and number
    ask-changing(field, value) ask-then-change(field, value, status): the call changes meanwhile, or after
    ask-or-stop: a refusal ends the turn as cancelled
    ask-again: the call goes back to pending while it asks, and its end has a name instead of a title
    read(path) write(path, text) unknown title(words) status
    run(command) run-limited(bytes, command) run-in(folder, command) start(command) show output exited release
    end (terminal/kill) borrow touch(name)
    elicit-form elicit-link
    prompt session turns cwd env(NAME) wait(seconds) stop(reason) error(code, words)
    silent deaf(words) ignore-cancel cancel-error garbage stderr(words)
    flood-stderr(bytes) flood-stdout(bytes, begin)
    flood-updates(count) die(code) kill child daemon forks(count) close-stdout lies answers-twice
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

DIRECTIVE = re.compile(r"!([a-z-]+)(?:\(([^)]*)\))?")
OPTIONS = dict(word.partition("=")[::2] for word in sys.argv[1:])
STUBBORN_CHILD = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print(flush=True); time.sleep(600)"
)


def stubborn_child(*, apart: bool = False) -> int:
    child = subprocess.Popen(
        [sys.executable, "-c", STUBBORN_CHILD], stdout=subprocess.PIPE, start_new_session=apart
    )
    assert child.stdout is not None
    child.stdout.readline()
    return child.pid


class Cancelled(Exception):  # noqa: N818 - it is how a turn ends
    """The client cancelled the turn."""


class Refused(Exception):  # noqa: N818
    """The prompt is answered with a JSON-RPC error."""


class Wire:
    """Lines out, and answers to what was asked."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._ids = itertools.count(1000)
        self._answers: dict[int, dict[str, Any]] = {}
        self._answered = threading.Condition()

    def raw(self, data: bytes) -> None:
        with self._lock:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def send(self, **message: Any) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def ask(self, method: str, params: dict[str, Any]) -> int:
        number = next(self._ids)
        self.send(id=number, method=method, params=params)
        return number

    def answer_of(self, number: int) -> dict[str, Any]:
        with self._answered:
            self._answered.wait_for(lambda: number in self._answers)
            return self._answers.pop(number)

    def take(self, message: dict[str, Any]) -> None:
        with self._answered:
            self._answers[message["id"]] = message
            self._answered.notify_all()


class Turn:
    """One prompt of one session."""

    def __init__(self, wire: Wire, session: Session, text: str, number: int) -> None:
        self.wire, self.session, self.text, self.number = wire, session, text, number
        self.reason = "end_turn"
        self.late = ""
        self.deaf = False
        self.shown = ""

    def run(self) -> str:
        last = self.text.rstrip().rpartition("\n")[2]
        directives = DIRECTIVE.findall(last)
        if not directives:
            self.do_text(f"echo: {last}")
        for name, arguments in directives:
            self.check()
            parts = [part.strip() for part in arguments.split(",")] if arguments else []
            action: Callable[..., None] | None = getattr(self, "do_" + name.replace("-", "_"), None)
            if action is None:
                self.do_text(f"no directive {name}")
            elif name in ("text", "thought", "title", "stderr", "late", "terminal", "run", "start"):
                action(arguments)
            else:
                action(*parts)
        self.check()
        return self.reason

    def check(self) -> None:
        if self.session.cancelled.is_set() and not self.deaf:
            raise Cancelled

    def update(self, update: str, /, **fields: Any) -> None:
        self.session.update(update, **fields)

    def chunk(self, kind: str, text: str) -> None:
        self.update(kind, content={"type": "text", "text": text})

    # -- what it says ----------------------------------------------------------------------------

    def do_text(self, text: str) -> None:
        self.chunk("agent_message_chunk", text)

    def do_stream(self, chunks: str = "20", size: str = "10", delay: str = "0") -> None:
        for number in range(int(chunks)):
            self.check()
            self.do_text(f"{number} ".ljust(int(size), "x"))
            if float(delay):
                self.session.cancelled.wait(float(delay))

    def do_thought(self, text: str) -> None:
        self.chunk("agent_thought_chunk", text)

    def do_late(self, text: str) -> None:
        self.late = text

    def do_prompt(self) -> None:
        self.do_text(self.text)

    def do_session(self) -> None:
        self.do_text(self.session.id)

    def do_turns(self) -> None:
        self.do_text(str(self.session.turns))

    def do_cwd(self) -> None:
        self.do_text(self.session.cwd)

    def do_env(self, name: str) -> None:
        self.do_text(os.environ.get(name, "(unset)"))

    def do_plan(self) -> None:
        steps = ["completed", "in_progress", "pending"]
        entries = [{"content": f"Step {s}", "priority": "high", "status": s} for s in steps]
        self.update("plan", entries=entries)

    def do_usage(self, used: str = "1200", size: str = "32000") -> None:
        self.update("usage_update", used=int(used), size=int(size))

    def do_commands(self, *names: str) -> None:
        self.session.announce(*(names or ("review", "test")))

    def do_notice(self, severity: str, title: str) -> None:
        self.update("notice", severity=severity, title=title)

    def do_title(self, text: str) -> None:
        self.update("session_info_update", title=text)

    def do_status(self) -> None:
        self.update("session_info_update", _meta={"threadStatus": {"type": "active"}})

    # -- tools -----------------------------------------------------------------------------------

    def begin(self, kind: str, title: str, **fields: Any) -> str:
        call = f"call-{next(self.session.calls)}"
        fields.setdefault("rawInput", {"command": title})
        self.update("tool_call", toolCallId=call, title=title, kind=kind, status="pending", **fields)
        return call

    def end(self, call: str, output: str, status: str = "completed", **fields: Any) -> None:
        content = [{"type": "content", "content": {"type": "text", "text": output}}]
        self.update("tool_call_update", toolCallId=call, status=status, content=content, **fields)

    def do_tool(self, kind: str = "execute", title: str = "ls", output: str = "README.md") -> None:
        call = self.begin(kind, title, locations=[{"path": f"{self.session.cwd}/README.md", "line": 1}])
        self.update("tool_call_update", toolCallId=call, status="in_progress")
        self.end(call, output, rawOutput={"exit_code": 0})

    def do_big(self, size: str) -> None:
        self.end(self.begin("read", "big"), "first " + "x" * int(size) + " last")

    def do_growing(self, updates: str) -> None:
        call = self.begin("execute", "growing")
        for number in range(int(updates)):
            self.end(call, "\n".join(f"line {n}" for n in range(number + 1)), "in_progress")
        self.end(call, "grown")

    def do_terminal(self, text: str) -> None:
        content = [{"type": "terminal", "terminalId": "t1"}]
        call = self.begin("execute", "make", content=content)
        for word in text.split():
            meta = {"terminal_output_delta": {"terminal_id": "t1", "data": word + "\n"}}
            self.update("tool_call_update", toolCallId=call, _meta=meta)
        meta = {"terminal_exit": {"terminal_id": "t1", "exit_code": 2}}
        self.update("tool_call_update", toolCallId=call, status="failed", _meta=meta)

    def do_diff(self, path: str = "notes.txt", old: str | None = "one\ntwo\n") -> None:
        full = f"{self.session.cwd}/{path}"
        call = self.begin("edit", f"Edit {path}", locations=[{"path": full}])
        content = [{"type": "diff", "path": full, "oldText": old, "newText": "one\nthree\n"}]
        self.update("tool_call_update", toolCallId=call, status="completed", content=content)

    def do_newfile(self, path: str = "new.txt") -> None:
        self.do_diff(path, None)

    def request(self, fields: dict[str, Any], options: list[dict[str, str]] | None = None) -> int:
        options = options or [
            {"optionId": "yes", "name": "Allow", "kind": "allow_once"},
            {"optionId": "always", "name": "Always allow", "kind": "allow_always"},
            {"optionId": "no", "name": "Reject", "kind": "reject_once"},
        ]
        params = {"sessionId": self.session.id, "toolCall": fields, "options": options}
        return self.wire.ask("session/request_permission", params)

    def permission(
        self, fields: dict[str, Any], options: list[dict[str, str]] | None = None
    ) -> dict[str, Any]:
        return self.wire.answer_of(self.request(fields, options))["result"]["outcome"]

    def decided(self, call: str, outcome: dict[str, Any]) -> None:
        if outcome["outcome"] == "cancelled":
            raise Cancelled
        if outcome["optionId"].startswith(("no", "reject")):
            self.end(call, "rejected", "failed")
        else:
            self.end(call, f"done ({outcome['optionId']})")

    def do_ask(self, kind: str = "execute", title: str = "rm notes.txt") -> None:
        call = self.begin(kind, title)
        self.decided(call, self.permission({"toolCallId": call}))

    def do_choose(self, kind: str, *kinds: str) -> None:
        call = self.begin(kind, f"a {kind}")
        options = [{"optionId": f"{k}-{n}", "name": k, "kind": k} for n, k in enumerate(kinds, 1)]
        self.decided(call, self.permission({"toolCallId": call}, options))

    def do_offer(self, kind: str, *words: str) -> None:
        """An `always` that is called so."""
        name = ", ".join(words)
        call = self.begin(kind, f"a {kind}")
        options = [
            {"optionId": "always", "name": name, "kind": "allow_always"},
            {"optionId": "never", "name": name, "kind": "reject_always"},
            {"optionId": "yes", "name": "Yes", "kind": "allow_once"},
            {"optionId": "no", "name": "No", "kind": "reject_once"},
        ]
        self.decided(call, self.permission({"toolCallId": call}, options))

    def change(self, call: str, field: str, value: str, **fields: Any) -> None:
        path = f"{self.session.cwd}/{value}"
        changed: dict[str, Any] = {
            "title": {"title": value},
            "kind": {"kind": value},
            "input": {"rawInput": {"command": value}},
            "more-input": {"rawInput": {"command": "make", "shell": value}},
            "locations": {"locations": [{"path": path}]},
            "diff": {"content": [{"type": "diff", "path": path, "oldText": None, "newText": value}]},
            "output": {"content": [{"type": "content", "content": {"type": "text", "text": value}}]},
        }
        self.update("tool_call_update", toolCallId=call, **changed[field], **fields)

    def do_ask_changing(self, field: str, value: str) -> None:
        call = self.begin("execute", "make")
        number = self.request({"toolCallId": call})
        self.session.cancelled.wait(0.1)
        self.change(call, field, value)
        self.decided(call, self.wire.answer_of(number)["result"]["outcome"])

    def do_ask_then_change(self, field: str, value: str, status: str = "pending") -> None:
        call = self.begin("execute", "make")
        outcome = self.permission({"toolCallId": call})
        self.change(call, field, value, status=status)
        self.decided(call, outcome)

    def do_ask_or_stop(self) -> None:
        call = self.begin("execute", "make")
        if self.permission({"toolCallId": call}).get("optionId") == "no":
            raise Cancelled
        self.end(call, "made")

    def do_ask_again(self, kind: str = "execute", title: str = "make") -> None:
        call = self.begin(kind, title)
        self.update("tool_call_update", toolCallId=call, status="in_progress")
        self.decided(call, self.permission({"toolCallId": call, "title": title, "status": "pending"}))
        meta = {"terminal_output": {"terminal_id": call, "data": "made\n"}}
        self.update("tool_call_update", toolCallId=call, name="exec_command", _meta=meta)

    def do_ask_when_cancelled(self) -> None:
        self.session.cancelled.wait()
        self.do_ask()

    def do_askbare(self, kind: str = "execute", title: str = "make") -> None:
        call = f"call-{next(self.session.calls)}"
        fields = {"toolCallId": call, "title": title, "kind": kind, "rawInput": {"command": title}}
        self.decided(call, self.permission(fields))

    def do_withdraw(self) -> None:
        call = self.begin("execute", "withdrawn")
        options = [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}]
        params = {"sessionId": self.session.id, "toolCall": {"toolCallId": call}, "options": options}
        number = self.wire.ask("session/request_permission", params)
        self.session.cancelled.wait(0.2)
        self.wire.send(method="$/cancel_request", params={"requestId": number})
        self.end(call, f"withdrawn: {self.wire.answer_of(number)['error']['code']}")

    def service(self, method: str, **params: Any) -> None:
        answer = self.wire.answer_of(self.wire.ask(method, {"sessionId": self.session.id, **params}))
        self.do_text(json.dumps(answer.get("result", answer.get("error"))))

    def do_read(self, path: str) -> None:
        self.service("fs/read_text_file", path=path)

    def do_write(self, path: str, text: str) -> None:
        self.service("fs/write_text_file", path=path, content=text)

    # -- terminals -------------------------------------------------------------------------------

    def answer(self, method: str, **params: Any) -> dict[str, Any]:
        number = self.wire.ask(method, {"sessionId": self.session.id, **params})
        return self.wire.answer_of(number)

    def create(self, command: str, **params: Any) -> bool:
        """A command, its words split as a shell does; with a `;` at its end a line for the shell."""
        line, is_line = command.removesuffix(";"), command.endswith(";")
        program, *args = [line] if is_line else shlex.split(line)
        created = self.answer("terminal/create", command=program, args=args, **params)
        if "result" not in created:
            self.do_text(created["error"]["message"])
            return False
        self.session.terminals.append(created["result"]["terminalId"])
        return True

    def last(self, method: str) -> dict[str, Any]:
        found = self.answer(f"terminal/{method}", terminalId=self.session.terminals[-1])
        return found.get("result", found.get("error"))

    def shown_while(self, command: str, **params: Any) -> None:
        """As agents do it: create, show in a tool call, wait, read, release."""
        if self.create(command, **params):
            self.do_show(command)
            ended = self.last("wait_for_exit")
            self.do_text(json.dumps({**self.last("output"), "waited": ended}))
            self.last("release")
            status = "completed" if ended.get("exitCode") == 0 else "failed"
            self.update("tool_call_update", toolCallId=self.shown, status=status)

    def do_run(self, command: str) -> None:
        self.shown_while(command, env=[{"name": "GREETING", "value": "hello"}])

    def do_run_limited(self, limit: str, command: str) -> None:
        self.shown_while(command, outputByteLimit=int(limit))

    def do_run_in(self, folder: str, command: str) -> None:
        self.shown_while(command, cwd=folder)

    def do_start(self, command: str) -> None:
        self.create(command)

    def do_show(self, title: str = "command") -> None:
        content = [{"type": "terminal", "terminalId": self.session.terminals[-1]}]
        self.shown = self.begin("execute", title, content=content)
        self.update("tool_call_update", toolCallId=self.shown, status="in_progress", content=content)

    def do_output(self) -> None:
        self.do_text(json.dumps(self.last("output")))

    def do_exited(self) -> None:
        self.do_text(json.dumps(self.last("wait_for_exit")))

    def do_end(self) -> None:
        self.do_text(json.dumps(self.last("kill")))

    def do_borrow(self) -> None:
        """The terminals of the first session are taken to be this one's."""
        self.session.terminals = ["terminal-1"]

    def do_touch(self, name: str) -> None:
        Path(self.session.cwd, name).touch()

    def do_release(self) -> None:
        self.do_text(json.dumps(self.last("release")))

    def do_elicit_form(self) -> None:
        properties = {
            "name": {"type": "string", "title": "Name", "description": "What to call it", "minLength": 2},
            "size": {"type": "integer", "title": "Size", "minimum": 1, "default": 3},
            "color": {"type": "string", "title": "Colour", "enum": ["red", "green"]},
            "sure": {"type": "boolean", "title": "Sure"},
        }
        schema = {"type": "object", "properties": properties, "required": ["name", "color"]}
        self.service("elicitation/create", mode="form", message="A few things", requestedSchema=schema)

    def do_elicit_link(self) -> None:
        url = "https://example.org/login"
        self.service("elicitation/create", mode="url", message="Log in", url=url, elicitationId="e1")

    def do_unknown(self) -> None:
        self.service("surprise/please")

    # -- how it misbehaves -----------------------------------------------------------------------

    def do_wait(self, seconds: str) -> None:
        self.session.cancelled.wait(float(seconds))

    def do_stop(self, reason: str) -> None:
        self.reason = reason

    def do_silent(self) -> None:
        self.session.cancelled.wait()

    def do_ignore_cancel(self) -> None:
        self.deaf = True

    def do_deaf(self, text: str = "") -> None:
        self.deaf = True
        if text:
            self.do_text(text)
        threading.Event().wait()

    def do_cancel_error(self) -> None:
        self.session.cancelled.wait()
        raise Refused(-32603, "Internal error")

    def do_error(self, code: str = "-32603", text: str = "Internal error") -> None:
        raise Refused(int(code), text)

    def do_lost(self) -> None:
        raise Refused(-32603, f"Internal error: thread not found: {self.session.id}")

    def do_garbage(self) -> None:
        self.wire.raw(
            b'hello\n42\n"text"\n[1]\n{"half": \n\xff\xfe\xfd\n{"jsonrpc":"2.0","id":99999,"result":1}\n'
        )
        self.wire.send(method="session/update", params={"sessionId": self.session.id, "update": 7})
        self.wire.send(method="session/update", params={"sessionId": "nobody", "update": {}})
        self.update("something_new", value=1)

    def do_stderr(self, text: str) -> None:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()

    def do_flood_stderr(self, size: str) -> None:
        line = b"e" * 199 + b"\n"
        for _ in range(int(size) // 200):
            sys.stderr.buffer.write(line)
        sys.stderr.buffer.flush()

    def do_flood_stdout(self, size: str, begin: str = "") -> None:
        self.wire.raw(begin.encode())
        for _ in range(int(size) // 65536):
            self.wire.raw(b"o" * 65536)
        self.wire.raw(b"\n")

    def do_flood_updates(self, count: str) -> None:
        for number in range(int(count)):
            self.do_text(f"{number} ")

    def do_die(self, code: str = "1") -> None:
        os._exit(int(code))

    def do_kill(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def do_child(self) -> None:
        self.do_text(f"child {stubborn_child()}")

    def do_daemon(self) -> None:
        self.do_text(f"daemon {stubborn_child(apart=True)}")

    def do_forks(self, count: str) -> None:
        self.do_text("forked " + " ".join(str(stubborn_child()) for _ in range(int(count))))

    def do_lies(self) -> None:
        """Answers to what was never asked, wrong types, and requests that make no sense."""
        for number in (0, -1, 99_999, 2**53, "one", None, 1.5, [1]):
            self.wire.send(id=number, result={"stopReason": "end_turn"})
            self.wire.send(id=number, error={"code": "high", "message": 7})
        for params in (None, 7, [], {}, {"sessionId": 7}, {"sessionId": self.session.id, "update": None}):
            self.wire.send(method="session/update", params=params)
            self.wire.send(method="session/request_permission", id=f"p-{params}", params=params)
        for content in (
            None,
            7,
            "text",
            [],
            {"type": "text"},
            {"type": "text", "text": 7},
            {"type": "hologram"},
        ):
            self.update("agent_message_chunk", content=content)
        for fields in (
            {},
            {"toolCallId": 7},
            {"toolCallId": "x", "title": None, "kind": 9, "status": "great"},
        ):
            self.update("tool_call", **fields)
            self.update("tool_call_update", **fields)
        self.update("usage_update", used="many", size=-1)
        self.update("plan", entries="all")

    def do_answers_twice(self) -> None:
        self.wire.send(id=self.number, result={"stopReason": "end_turn"})
        self.wire.send(id=self.number, error={"code": -32603, "message": "no, it failed"})

    def do_close_stdout(self) -> None:
        os.close(1)
        threading.Event().wait()


class Session:
    """A conversation with the client."""

    def __init__(self, wire: Wire, number: str, cwd: str) -> None:
        self.wire, self.id, self.cwd = wire, number, cwd
        self.cancelled = threading.Event()
        self.turns = 0
        self.terminals: list[str] = []
        self.is_prompted = False
        self.calls = itertools.count(1)

    def update(self, update: str, /, **fields: Any) -> None:
        params = {"sessionId": self.id, "update": {"sessionUpdate": update, **fields}}
        self.wire.send(method="session/update", params=params)

    def announce(self, *names: str) -> None:
        commands = [{"name": n, "description": f"Does {n}", "input": {"hint": "what"}} for n in names]
        self.update("available_commands_update", availableCommands=commands)

    def prompt(self, number: int, text: str) -> None:
        self.turns += 1
        turn = Turn(self.wire, self, text, number)
        answer: dict[str, Any]
        try:
            answer = {"result": {"stopReason": turn.run()}}
        except Cancelled:
            answer = {"result": {"stopReason": "cancelled"}}
        except Refused as error:
            answer = {"error": {"code": error.args[0], "message": error.args[1]}}
        self.is_prompted = False
        self.wire.send(id=number, **answer)
        if turn.late:
            turn.do_text(turn.late)


class Agent:
    """Answers the client's requests."""

    def __init__(self) -> None:
        self.wire = Wire()
        self.sessions: dict[str, Session] = {}

    def take(self, message: dict[str, Any]) -> None:
        method, number = message.get("method"), message.get("id")
        if method is None:
            self.wire.take(message)
        elif number is None:
            if method == "session/cancel" and (found := self.sessions.get(message["params"]["sessionId"])):
                found.cancelled.set()
        elif (action := getattr(self, method.replace("/", "_"), None)) is not None:
            action(number, message["params"])
        else:
            self.wire.send(id=number, error={"code": -32601, "message": "Method not found"})

    def initialize(self, number: int, params: dict[str, Any]) -> None:
        del params
        time.sleep(float(OPTIONS.get("slow-start", "0")))
        while "answers-when" in OPTIONS and not Path(OPTIONS["answers-when"]).exists():
            time.sleep(0.01)
        if "never-answers" in OPTIONS:
            return
        if "initialize" in OPTIONS:
            self.wire.send(id=number, result=json.loads(OPTIONS["initialize"]))
            return
        capabilities = {
            "loadSession": any(option.startswith("load") for option in OPTIONS),
            "sessionCapabilities": {"resume": {}} if OPTIONS.keys() & {"resume", "resume-fails"} else {},
        }
        result = {
            "protocolVersion": int(OPTIONS.get("protocol", "1")),
            "agentCapabilities": capabilities,
            "agentInfo": {"name": "scripted", "version": "1"},
            "authMethods": [{"id": "login", "name": "Log in with a browser"}] if "auth" in OPTIONS else [],
        }
        self.wire.send(id=number, result=result)

    def session_new(self, number: int, params: dict[str, Any]) -> None:
        if "session-hangs" in OPTIONS:
            return
        if "auth" in OPTIONS or "session-fails" in OPTIONS:
            code = -32000 if "auth" in OPTIONS else -32603
            self.wire.send(id=number, error={"code": code, "message": "Authentication required"})
            return
        session = self.open(f"session-{os.getpid()}-{len(self.sessions) + 1}", params["cwd"])
        if "early-updates" in OPTIONS:
            session.announce("early")
        if "auth-status" in OPTIONS:
            status = {"kind": "none", "label": "Not logged in"}
            self.wire.send(method="_auth/status_update", params={"authStatus": status})
        self.wire.send(id=number, result={"sessionId": session.id})
        if "commands" in OPTIONS:
            session.announce("review", "test")

    def session_load(self, number: int, params: dict[str, Any]) -> None:
        if "load-fails" in OPTIONS:
            code = int(OPTIONS["load-fails"] or -32002)
            self.wire.send(id=number, error={"code": code, "message": "Resource not found"})
            return
        session = self.open(params["sessionId"], params["cwd"])
        past = (("user_message_chunk", "old question"), ("agent_message_chunk", "old answer"))
        if "load-late" in OPTIONS:
            self.wire.send(id=number, result={})
            time.sleep(0.05)
        for kind, text in past if "load-forgets" not in OPTIONS else ():
            session.update(kind, content={"type": "text", "text": text})
        if "load-late" not in OPTIONS:
            self.wire.send(id=number, result={})

    def session_resume(self, number: int, params: dict[str, Any]) -> None:
        if "resume-fails" in OPTIONS:
            code = int(OPTIONS["resume-fails"] or -32602)
            self.wire.send(id=number, error={"code": code, "message": "No such session"})
            return
        self.open(params["sessionId"], params["cwd"])
        self.wire.send(id=number, result={})

    def session_prompt(self, number: int, params: dict[str, Any]) -> None:
        session = self.sessions[params["sessionId"]]
        if "one-prompt" in OPTIONS and any(each.is_prompted for each in self.sessions.values()):
            self.wire.send(id=number, error={"code": -32603, "message": "one prompt at a time"})
            return
        session.is_prompted = True
        session.cancelled.clear()
        text = "".join(block.get("text", "") for block in params["prompt"])
        if "prompts" in OPTIONS:
            with Path(OPTIONS["prompts"]).open("a") as file:
                file.write(json.dumps(text) + "\n")
        threading.Thread(target=session.prompt, args=(number, text), daemon=True).start()

    def open(self, number: str, cwd: str) -> Session:
        self.sessions[number] = Session(self.wire, number, cwd)
        return self.sessions[number]


def main() -> None:
    if "ignore-term" in OPTIONS:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if "pidfile" in OPTIONS:
        Path(OPTIONS["pidfile"]).write_text(str(os.getpid()))
    if "stderr" in OPTIONS:
        sys.stderr.write(OPTIONS["stderr"] + "\n")
        sys.stderr.flush()
    for option in ("child", "daemon"):
        if option in OPTIONS:
            sys.stderr.write(f"{stubborn_child(apart=option == 'daemon')}\n")
            sys.stderr.flush()
    if "stdout-closed" in OPTIONS:
        os.close(1)
        OPTIONS["never-answers"] = ""
    if "exit" in OPTIONS:
        os._exit(int(OPTIONS["exit"]))
    agent = Agent()
    if "banner" in OPTIONS:
        agent.wire.raw(b"Welcome to the agent!\n")
    for line in sys.stdin.buffer:
        agent.take(json.loads(line))
    while "ignore-eof" in OPTIONS:
        time.sleep(600)


if __name__ == "__main__":
    main()
