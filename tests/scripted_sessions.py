"""The scripted agent with sessions that can be set, listed, closed, logged in to. Run by path. Stdlib only.

Options beside those of `scripted_agent`:

    record=PATH           each line that comes in is appended there
    modes, models         offer three modes; two models, the former way
    options=JSON          config options; `set_config_option` sets them, and tells all
    refuses=VALUE         whatever is set to that value is refused
    takes=a+b             of prompts: image, audio, embeddedContext
    can=a+b               session capabilities: list, close, delete, resume
    stored=JSON           the sessions of `session/list`, one a page
    past=JSON             updates that `session/load` replays
    login=TYPE            sessions and prompts need a login first, of that type: agent, terminal, or
                          named (terminal-auth: another program)
    login-file=PATH       a terminal login has succeeded when this exists
    login-hangs           authenticate is answered when it is withdrawn
    logout                offer it
    asks-first=JSON       an elicitation outside of any session, while `session/new` waits

Directives beside those: blocks (what the prompt is made of), say JSON (an update, alone), mode(id),
elicit(number of the form of `FORMS`), complete (a link that is done before the user says so), withdrawn
(a question that is), commands-of(count, size of each description), extensions (a request and notifications
of the agent's own).
"""

from __future__ import annotations

import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import scripted_agent as base

OPTIONS = base.OPTIONS
FORMS: list[dict[str, Any]] = [
    {
        "mode": "form",
        "message": "Who are you?",
        "requestedSchema": {
            "type": "object",
            "properties": {
                "name": {"type": "string", "title": "Name", "minLength": 2},
                "age": {"type": "integer", "minimum": 0, "maximum": 150},
                "colour": {"type": "string", "oneOf": [{"const": "r", "title": "Red"}]},
                "tags": {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}, "maxItems": 1},
                "ok": {"type": "boolean", "default": True},
            },
            "required": ["name"],
        },
    },
    {
        "mode": "url",
        "message": "Please sign in",
        "elicitationId": "link-1",
        "url": "https://example.org/?a=1",
    },
    {"mode": "url", "message": "Please", "elicitationId": "link-2", "url": "javascript:alert(1)"},
    {
        "mode": "form",
        "message": "Draw",
        "requestedSchema": {
            "type": "object",
            "properties": {"sketch": {"type": "_drawing"}},
            "required": ["sketch"],
        },
    },
]


class Turn(base.Turn):
    """A turn that also asks, sets and shows."""

    def run(self) -> str:
        last = self.text.rstrip().rpartition("\n")[2]
        name, _, rest = last.partition(" ")
        if name == "!say":
            self.session.update_raw(json.loads(rest))
            return self.reason
        return super().run()

    def do_blocks(self) -> None:
        shown = [
            {key: value if len(str(value)) < 200 else len(str(value)) for key, value in block.items()}
            for block in self.session.blocks
        ]
        self.do_text(json.dumps(shown))

    def do_mode(self, mode: str) -> None:
        self.update("current_mode_update", currentModeId=mode)

    def do_elicit(self, number: str = "0") -> None:
        params = {**FORMS[int(number)], "sessionId": self.session.id}
        answer = self.wire.answer_of(self.wire.ask("elicitation/create", params))
        self.do_text(json.dumps(answer.get("result", answer.get("error"))))

    def do_complete(self, link: str = "link-1") -> None:
        """The link is asked for, and then done without an answer of the user's."""
        number = self.wire.ask("elicitation/create", {**FORMS[1], "sessionId": self.session.id})
        self.wire.send(method="elicitation/complete", params={"elicitationId": link})
        self.do_text(json.dumps(self.wire.answer_of(number)["result"]))

    def do_commands_of(self, count: str, size: str) -> None:
        listed = [{"name": f"c{n}", "description": "d" * int(size)} for n in range(int(count))]
        self.update("available_commands_update", availableCommands=listed)

    def do_extensions(self) -> None:
        """What no page of the protocol lists."""
        answer = self.wire.answer_of(self.wire.ask("_ada/surprise", {"sessionId": self.session.id}))
        self.wire.send(method="_auth/status_update", params={"anything": [1]})
        self.wire.send(method="_ada/telemetry")
        self.do_text(f"refused: {answer['error']['code']}")

    def do_withdrawn(self) -> None:
        number = self.wire.ask("elicitation/create", {**FORMS[0], "sessionId": self.session.id})
        self.session.cancelled.wait(0.2)
        self.wire.send(method="$/cancel_request", params={"requestId": number})
        self.do_text(f"withdrawn: {self.wire.answer_of(number)['error']['code']}")


class Session(base.Session):
    """A session that knows what its prompt is made of."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.blocks: list[dict[str, Any]] = []

    def update_raw(self, update: dict[str, Any]) -> None:
        self.wire.send(method="session/update", params={"sessionId": self.id, "update": update})


base.Turn = Turn
base.Session = Session


class Agent(base.Agent):
    """Answers what the plain scripted agent does not."""

    def __init__(self) -> None:
        super().__init__()
        self.mode, self.model = "ask", "small"
        self.options: list[dict[str, Any]] = json.loads(OPTIONS.get("options", "[]"))
        self.logged_in = "login" not in OPTIONS or Path(OPTIONS.get("login-file", "/none")).exists()
        self.login: int | None = None
        self.stored: list[dict[str, Any]] = json.loads(OPTIONS.get("stored", "[]"))

    def take(self, message: dict[str, Any]) -> None:
        if "record" in OPTIONS:
            with Path(OPTIONS["record"]).open("a") as file:
                file.write(json.dumps(message) + "\n")
        withdrawn = message.get("params", {}).get("requestId") if "params" in message else None
        if message.get("method") == "$/cancel_request" and withdrawn == self.login is not None:
            self.wire.send(id=self.login, error={"code": -32800, "message": "Cancelled"})
            note("the login was called off")
        super().take(message)

    def initialize(self, number: int, params: dict[str, Any]) -> None:
        del params
        can = [name for name in OPTIONS.get("can", "").split("+") if name]
        takes = [name for name in OPTIONS.get("takes", "").split("+") if name]
        methods = [
            {"id": "other", "name": "Other", "description": "Some other way"},
            {"id": "main", "name": "Log in", "type": OPTIONS.get("login", "agent")},
        ]
        if OPTIONS.get("login") == "terminal":
            methods[1] |= {"args": ["--login"], "env": {"LOGIN": "1"}}
        if OPTIONS.get("login") == "named":
            named = {"command": sys.executable, "args": ["-c", "print('named')"], "env": {"LOGIN": "2"}}
            methods[1] |= {"type": "agent", "_meta": {"terminal-auth": named}}
        result = {
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": "past" in OPTIONS,
                "promptCapabilities": dict.fromkeys(takes, True),
                "sessionCapabilities": {name: {} for name in can},
                "auth": {"logout": {}} if "logout" in OPTIONS else {},
            },
            "authMethods": methods if "login" in OPTIONS else [],
        }
        self.wire.send(id=number, result=result)

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = {}
        if "modes" in OPTIONS:
            modes = [{"id": name, "name": name.title()} for name in ("ask", "code", "plan")]
            state["modes"] = {"currentModeId": self.mode, "availableModes": modes}
        if "models" in OPTIONS:
            models = [{"modelId": name, "name": name.title()} for name in ("small", "large")]
            state["models"] = {"currentModelId": self.model, "availableModels": models}
        if self.options:
            state["configOptions"] = self.options
        return state

    def refused(self, number: int, value: object) -> bool:
        if OPTIONS.get("refuses") == str(value):
            self.wire.send(id=number, error={"code": -32602, "message": f"{value} is not for you"})
            return True
        return False

    def needs_login(self, number: int) -> bool:
        if not self.logged_in:
            self.wire.send(id=number, error={"code": -32000, "message": "Authentication required"})
        return not self.logged_in

    def session_new(self, number: int, params: dict[str, Any]) -> None:
        if self.needs_login(number):
            return
        if "asks-first" in OPTIONS:
            threading.Thread(target=self.ask_first, args=(number, params), daemon=True).start()
        else:
            self.made(number, params)

    def ask_first(self, number: int, params: dict[str, Any]) -> None:
        asked = self.wire.ask(
            "elicitation/create", {**FORMS[int(OPTIONS["asks-first"])], "requestId": number}
        )
        self.wire.answer_of(asked)
        self.made(number, params)

    def made(self, number: int, params: dict[str, Any]) -> None:
        session = self.open(f"session-{os.getpid()}-{len(self.sessions) + 1}", params["cwd"])
        self.wire.send(id=number, result={"sessionId": session.id, **self.state()})

    def session_load(self, number: int, params: dict[str, Any]) -> None:
        session = self.open(params["sessionId"], params["cwd"])
        for update in json.loads(OPTIONS["past"]):
            session.update_raw(update)
        self.wire.send(id=number, result=self.state())

    def session_resume(self, number: int, params: dict[str, Any]) -> None:
        self.open(params["sessionId"], params["cwd"])
        self.wire.send(id=number, result=self.state())

    def session_prompt(self, number: int, params: dict[str, Any]) -> None:
        if self.needs_login(number):
            return
        session = self.sessions[params["sessionId"]]
        session.blocks = params["prompt"]
        first = [block for block in params["prompt"] if block["type"] == "text"][:1]
        super().session_prompt(number, {**params, "prompt": first})

    def session_set_mode(self, number: int, params: dict[str, Any]) -> None:
        if not self.refused(number, params["modeId"]):
            self.mode = params["modeId"]
            self.wire.send(id=number, result={})

    def session_set_model(self, number: int, params: dict[str, Any]) -> None:
        if not self.refused(number, params["modelId"]):
            self.model = params["modelId"]
            self.wire.send(id=number, result={})

    def session_set_config_option(self, number: int, params: dict[str, Any]) -> None:
        if not self.refused(number, params["value"]):
            for option in self.options:
                if option["id"] == params["configId"]:
                    option["currentValue"] = params["value"]
            self.wire.send(id=number, result={"configOptions": self.options})

    def session_list(self, number: int, params: dict[str, Any]) -> None:
        at = int(params.get("cursor") or 0)
        there = [s for s in self.stored if params.get("cwd") in (None, s["cwd"])]
        result: dict[str, Any] = {"sessions": there[at : at + 1]}
        if at + 1 < len(there):
            result["nextCursor"] = str(at + 1)
        self.wire.send(id=number, result=result)

    def session_close(self, number: int, params: dict[str, Any]) -> None:
        self.wire.send(id=number, result={})

    session_delete = session_close

    def authenticate(self, number: int, params: dict[str, Any]) -> None:
        if "login-hangs" in OPTIONS:
            self.login = number
            note("the login has begun")
        elif not self.refused(number, params["methodId"]):
            self.logged_in = True
            self.wire.send(id=number, result={})

    def logout(self, number: int, params: dict[str, Any]) -> None:
        self.logged_in = False
        self.wire.send(id=number, result={})


def note(line: str) -> None:
    """Says what happens on stderr, where a test can wait for it."""
    sys.stderr.write(line + "\n")
    sys.stderr.flush()


base.Agent = Agent

if __name__ == "__main__":
    base.main()
