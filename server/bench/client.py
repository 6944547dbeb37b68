"""A language client for any server: a process, messages on its standard streams, and a clear word where it fails."""

from __future__ import annotations

import asyncio
import json
import os
import re
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

START_SECONDS = 60.0
"""Within which a server must have answered `initialize`."""
STOP_SECONDS = 5.0
LONGEST_HEADER = 1 << 16
LONGEST_BODY = 1 << 28
"""Bytes."""
SAID = 6
"""Messages of the server that are kept."""
METHOD_NOT_FOUND = -32601

Then = Callable[[Any, Any], None]
"""Takes an answer's result and its error; one of them is None."""


class ServerFault(Exception):
    """The server can't be measured; the message says why."""


class Client:
    def __init__(self, command: Sequence[str], folder: Path, options: Any = None, grows: bool = True) -> None:
        self.command = command
        self.folder = folder
        self.options = options
        self.grows = grows
        self.info: dict[str, Any] = {}
        """What the server says of itself."""
        self.capabilities: dict[str, Any] = {}
        self.heard: dict[str, Callable[[Any], None]] = {}
        """What is done with notifications, by method; others are left unheard."""
        self.said: deque[str] = deque(maxlen=SAID)
        """What it showed to the user as a warning or an error."""
        self.waiting: dict[int, Then] = {}
        self._ids = 0
        self._stderr: deque[str] = deque(maxlen=12)
        self._fault: ServerFault | None = None
        self._failed = asyncio.Event()
        self._process: asyncio.subprocess.Process | None = None
        self._readers: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Up to `initialized`. Raises ServerFault."""
        try:
            self._process = await asyncio.create_subprocess_exec(
                *self.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LONGEST_HEADER,
            )
        except OSError as error:
            raise ServerFault(f"{self.command[0]} can't be started: {error.strerror}") from error
        self._readers = [asyncio.create_task(self._read()), asyncio.create_task(self._read_stderr())]
        result = await self.call("initialize", self._initialize(), START_SECONDS)
        if not isinstance(result, dict) or not isinstance(result.get("capabilities"), dict):
            raise ServerFault(f"the server answered initialize with {cut(result)}")
        self.capabilities, self.info = result["capabilities"], result.get("serverInfo") or {}
        self.notify("initialized", {})

    async def stop(self) -> None:
        """As politely as the server lets it; raises nothing."""
        if self._process is None:
            return
        with suppress(ServerFault, TimeoutError):
            await self.call("shutdown", None, STOP_SECONDS)
            self.notify("exit", None)
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            async with asyncio.timeout(STOP_SECONDS if self._fault is None else 0.5):
                await self._process.wait()
        except TimeoutError:
            self._process.kill()
            await self._process.wait()
        await asyncio.wait(self._readers, timeout=0.5)  # a child of the server may hold its streams open
        for reader in self._readers:
            reader.cancel()
        await asyncio.gather(*self._readers, return_exceptions=True)

    # messages

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def ask(self, method: str, params: Any, then: Then) -> int:
        """The request's id; `then` is called when the answer comes."""
        self._ids += 1
        self.waiting[self._ids] = then
        self._send({"id": self._ids, "method": method, "params": params})
        return self._ids

    def cancel(self, id_: int) -> None:
        self.notify("$/cancelRequest", {"id": id_})

    async def call(self, method: str, params: Any, seconds: float) -> Any:
        """The result. Raises ServerFault for an error, and where none comes in time."""
        answered = asyncio.Event()
        answer: list[Any] = []

        def then(result: Any, error: Any) -> None:
            answer.extend((result, error))
            answered.set()

        self.ask(method, params, then)
        if not await self.pause(seconds, answered):
            raise ServerFault(f"the server did not answer {method} within {seconds:.0f} s{self._last_words()}")
        result, error = answer
        if error is not None:
            raise ServerFault(f"the server answered {method} with an error: {cut(error)}")
        return result

    async def pause(self, seconds: float, until: asyncio.Event | None = None) -> bool:
        """Wait so long, or until something happens, which is the answer. Raises ServerFault as soon as there is one."""
        events = [self._failed] if until is None else [self._failed, until]
        waits = [asyncio.ensure_future(event.wait()) for event in events]
        try:
            await asyncio.wait(waits, timeout=max(seconds, 0), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
        if until is not None and until.is_set():
            return True
        if self._fault:
            raise self._fault
        return False

    # the wire

    def _initialize(self) -> dict[str, Any]:
        uri = self.folder.as_uri()
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "kireji bench"},
            "rootUri": uri,
            "rootPath": str(self.folder),
            "workspaceFolders": [{"uri": uri, "name": self.folder.name}],
            "initializationOptions": self.options,
            "capabilities": {
                "general": {"positionEncodings": ["utf-16"]},
                "workspace": {"configuration": True, "workspaceFolders": True},
                "textDocument": {"synchronization": {}, "inlineCompletion": {}},
                "experimental": {"kirejiGrowth": self.grows},
            },
        }

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        body = json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    async def _read(self) -> None:
        assert self._process is not None
        assert self._process.stdout is not None
        try:
            while (body := await read_body(self._process.stdout)) is not None:
                self._take(body)
        except ServerFault as fault:
            self._fail(str(fault))
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(1):
                await self._process.wait()
                await self._readers[1]
        self._fail(f"the server ended with exit code {self._process.returncode}")

    async def _read_stderr(self) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        while chunk := await self._process.stderr.read(4096):
            self._stderr.extend(line for line in chunk.decode(errors="replace").splitlines() if line.strip())

    def _fail(self, why: str) -> None:
        self._fault = ServerFault(why + self._last_words())
        self._failed.set()

    def _last_words(self) -> str:
        return "; on its standard error: " + "\n".join(["", *self._stderr]) if self._stderr else ""

    def _take(self, body: bytes) -> None:
        try:
            message = json.loads(body)
        except ValueError:
            message = None
        if not isinstance(message, dict):
            raise ServerFault(f"the server sent what is no message: {cut(body)}")
        method, id_ = message.get("method"), message.get("id")
        if method is None:
            then = self.waiting.pop(id_, None) if isinstance(id_, int) else None
            if then is not None:
                then(message.get("result"), message.get("error"))
        elif id_ is not None:
            self._send({"id": id_, **self._answer(method, message.get("params"))})
        elif method in self.heard:
            self.heard[method](message.get("params"))
        elif method == "window/showMessage":
            self._note(message.get("params"))

    def _note(self, params: Any) -> None:
        if isinstance(params, dict) and params.get("type") in (1, 2) and params.get("message") not in self.said:
            self.said.append(str(params.get("message")))

    def _answer(self, method: str, params: Any) -> dict[str, Any]:
        """To a request of the server."""
        match method:
            case "workspace/configuration":
                items = params.get("items", []) if isinstance(params, dict) else []
                return {"result": [self._section(item.get("section")) for item in items]}
            case "workspace/workspaceFolders":
                return {"result": [{"uri": self.folder.as_uri(), "name": self.folder.name}]}
            case "workspace/applyEdit":
                return {"result": {"applied": False}}
            case "client/registerCapability" | "client/unregisterCapability" | "window/workDoneProgress/create":
                return {"result": None}
            case "window/showMessageRequest":
                self._note(params)
                return {"result": None}
        return {"error": {"code": METHOD_NOT_FOUND, "message": f"{method} is not known here"}}

    def _section(self, name: Any) -> Any:
        """Of the options, which serve as the user's settings too."""
        found = self.options
        for part in str(name or "").split("."):
            found = found.get(part) if isinstance(found, dict) else None
        return found


async def read_body(stream: asyncio.StreamReader) -> bytes | None:
    """The next message's body; None at the stream's end. Raises ServerFault for what is none."""
    length: int | None = None
    while True:
        try:
            line = await stream.readline()
        except ValueError:
            raise ServerFault("the server sent a line without end where a header should stand") from None
        if line == b"":
            return None
        if line in (b"\r\n", b"\n") and length is not None:
            break
        if found := re.fullmatch(rb"content-length:\s*(\d{1,12})\s*", line, re.IGNORECASE):
            length = int(found[1])
        elif not re.fullmatch(rb"content-type:.*\s*", line, re.IGNORECASE):
            raise ServerFault(f"the server sent what is no message: {cut(line)}")
    if length > LONGEST_BODY:
        raise ServerFault(f"the server announced a message of {length} bytes")
    try:
        return await stream.readexactly(length)
    except asyncio.IncompleteReadError:
        return None


def cut(value: Any) -> str:
    said = repr(value)
    return said if len(said) <= 200 else f"{said[:200]}…"
