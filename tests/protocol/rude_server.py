"""A language server that breaks the protocol in the way that its argument names; `polite` does not."""

from __future__ import annotations

import json
import sys
import time
from typing import Any


def send(**message: Any) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def read() -> dict[str, Any]:
    length = 0
    while (line := sys.stdin.buffer.readline().strip()) != b"":
        length = int(line.removeprefix(b"Content-Length: "))
    message: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return message


def misbehave(manner: str, id_: int) -> None:
    """What comes in the place of the answer to a request of the method `test`."""
    answer = {"id": id_, "result": "yes"}
    match manner:
        case "polite" | "ends badly":
            send(**answer)
        case "answers twice":
            send(**answer)
            send(**answer)
        case "answers a stranger":
            send(id=4711, result=None)
        case "answers both ways":
            send(**answer, error={"code": 1, "message": "no"})
        case "refuses":
            send(id=id_, error={"code": -32603, "message": "no"})
        case "notifies":
            send(method="window/showMessage", params={"type": 3, "message": "hello"})
            send(**answer)
        case "asks":
            send(
                id="q1",
                method="workspace/configuration",
                params={"items": [{"section": "kireji"}]},
            )
            send(**{**answer, "result": read()["result"]})
        case "prints":
            print("debugging", flush=True)
        case "writes nonsense":
            sys.stdout.buffer.write(b"Content-Length: 3\r\n\r\n{,}")
            sys.stdout.buffer.flush()
        case "falls":
            sys.exit("oops")
        case "raises on stderr":
            print("Traceback (most recent call last):", file=sys.stderr, flush=True)
            send(**answer)


def main(manner: str) -> None:
    while (message := read())["method"] != "exit":
        match message["method"]:
            case "initialize":
                send(id=message["id"], result={"capabilities": {}})
            case "shutdown":
                send(id=message["id"], result=None)
            case "test":
                misbehave(manner, message["id"])
    if manner == "lingers":
        time.sleep(60)
    sys.exit(manner == "ends badly")


main(sys.argv[1])
