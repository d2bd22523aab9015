"""A language server that misbehaves as its argument says; run as a program."""

from __future__ import annotations

import json
import sys
import time


def send(**body: object) -> None:
    data = json.dumps({"jsonrpc": "2.0", **body}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
    sys.stdout.buffer.flush()


def receive() -> dict[str, object]:
    length = 0
    while (line := sys.stdin.buffer.readline()).strip():
        name, _, value = line.partition(b":")
        if name.lower() == b"content-length":
            length = int(value)
    if not line:
        sys.exit()
    return json.loads(sys.stdin.buffer.read(length))


def main(how: str) -> None:
    answers: list[object] = []
    while True:
        message = receive()
        method, number = message.get("method"), message.get("id")
        if method is None:
            answers.append(message.get("result", message.get("error")))
        elif method == "initialize":
            send(id=number, result={"capabilities": {"hoverProvider": {}, "definitionProvider": True}})
            if how == "asks":
                send(id="a", method="workspace/configuration", params={"items": [{}, {}]})
                send(id="b", method="client/registerCapability", params={"registrations": []})
                send(id="c", method="window/showDocument", params={})
        elif method == "textDocument/hover":
            misbehave(how, number, answers)
        elif number is not None and how not in ("hangs", "stubborn"):
            send(id=number, result=None)


def misbehave(how: str, number: object, answers: list[object]) -> None:
    if how == "dies":
        sys.stderr.write("Traceback\nOutOfCheese: +++\n")
        sys.exit(1)
    if how == "junk":
        sys.stdout.write("Content-Length: 9\r\n\r\nnot json!")
        sys.stdout.flush()
    elif how == "shouts":
        sys.stdout.write("Content-Length: 99999999999\r\n\r\n")
        sys.stdout.flush()
    elif how == "errs":
        send(id=number, error={"code": -32603, "message": "no such file open"})
    elif how == "odd":
        send(id=number, result={"contents": 3})
    elif how == "asks":
        while len(answers) < 3:
            answer = receive()
            answers.append(answer.get("result", answer.get("error")))
        send(id=number, result={"contents": {"kind": "plaintext", "value": json.dumps(answers)}})
    elif how == "stubborn":
        time.sleep(600)


if __name__ == "__main__":
    main(sys.argv[1])
