"""A language server of a few lines, which does what its argument says.

good      says `pass` wherever it is asked, and once more with a line behind it as a growth
stats     good, and counts as `kireji.stats` does
deaf      answers the first request for a completion and no other
lossy     answers every other one
mute      never answers `initialize`
rubbish   sends what is no message at the third request
dies      ends at the third request, with a word on its standard error
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

MODE = sys.argv[1]


def read() -> dict[str, Any]:
    length = int(sys.stdin.buffer.readline().split(b":")[1])
    sys.stdin.buffer.readline()
    found: dict[str, Any] = json.loads(sys.stdin.buffer.read(length))
    return {"params": {}, **found}


def send(**message: Any) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    sys.stdout.buffer.flush()


def answer(method: str, params: Any, asked: int, version: int) -> object:
    if method == "initialize":
        commands = ["kireji.stats"] if MODE == "stats" else []
        capabilities = {"inlineCompletionProvider": {}, "executeCommandProvider": {"commands": commands}}
        return {"capabilities": capabilities, "serverInfo": {"name": "fake", "version": "7"}}
    if method == "workspace/executeCommand":
        return {"asked": asked, "remembered": asked // 2, "evaluated": 10 * asked, "generated": 3 * asked, "busy_ms": 1}
    if method != "textDocument/inlineCompletion":
        return None
    if version > 1:
        grown = {"uri": params["textDocument"]["uri"], "version": version, "position": params["position"]}
        send(method="kireji/suggestionGrew", params={**grown, "text": "pass\nelse"})
    return {"items": [{"insertText": "pass"}]}


def main() -> None:
    asked = version = 0
    while True:
        message = read()
        method, params = message["method"], message["params"]
        if method == "exit":
            return
        if method == "textDocument/didChange":
            version = params["textDocument"]["version"]
        if "id" not in message:
            continue
        asked += method == "textDocument/inlineCompletion"
        if MODE == "mute":
            time.sleep(60)
        if MODE == "rubbish" and asked == 3:
            print("here you are", flush=True)
        if MODE == "dies" and asked == 3:
            sys.exit("it was too much")
        lost = (MODE == "deaf" and asked > 1) or (MODE == "lossy" and asked % 2 == 0)
        if lost and method == "textDocument/inlineCompletion":
            continue
        send(id=message["id"], result=answer(method, params, asked, version))


main()
