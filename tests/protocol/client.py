"""A language client for tests, written from the protocol's text: it knows nothing of the product's own code.

It fails on everything that it did not expect: a notification or request of a method that the test has not
allowed, a second answer to one request, an answer to a request that was never made, bytes on stdout that are
not a message, a traceback on stderr, an exit code other than 0, and silence.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from tests.protocol.text import apply_edit
from tests.protocol.wire import ProtocolFault, frame, read_message

ROOT = Path(__file__).parents[2]
SERVER = (sys.executable, "-m", "server", "serve", "--stdio")

Handler = Callable[[Any], Any]


class ResponseError(Exception):
    """The server answered a request with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code
        self.message = message


class Client:
    """`async with Client(...) as client`: a server process, from initialize to its exit."""

    def __init__(
        self,
        command: Sequence[str] = SERVER,
        *,
        options: Any = None,
        capabilities: Mapping[str, Any] | None = None,
        encodings: Sequence[str] = ("utf-16",),
        folders: Sequence[Path] = (),
        environment: Mapping[str, str] | None = None,
        allow: Iterable[str] = (),
        handlers: Mapping[str, Handler] | None = None,
        limit: float = 10.0,
    ) -> None:
        self.command = command
        self.options = options
        self.capabilities = {
            "general": {"positionEncodings": list(encodings)},
            **(capabilities or {}),
        }
        self.folders = folders
        self.environment = dict(environment or {})
        self.allowed = set(allow)
        self.handlers: dict[str, Handler] = dict(handlers or {})
        self.limit = limit
        """Seconds that any one wait may take."""
        self.initialize_result: Any = None
        self.encoding = "utf-16"
        self.stderr: list[str] = []
        self.texts: dict[str, str] = {}
        """What the open documents hold, by uri."""
        self._versions: dict[str, int] = {}
        self._received: defaultdict[str, list[Any]] = defaultdict(list)
        self._arrived = asyncio.Event()
        self._pending: dict[int, tuple[str, asyncio.Future[Any]]] = {}
        self._answered: set[int] = set()
        self._last_id = 0
        self._is_shut_down = False
        self._fault: ProtocolFault | None = None
        self._home = tempfile.TemporaryDirectory(prefix="kireji-test-", ignore_cleanup_errors=True)
        self.home = Path(self._home.name)

    # the life of a server

    async def __aenter__(self) -> Self:
        await self._start()
        try:
            self.initialize_result = await self.request("initialize", self._initialize_params())
            capabilities = self.initialize_result["capabilities"]
            self.encoding = capabilities.get("positionEncoding", "utf-16")
            self.notify("initialized", {})
        except BaseException as error:
            self._add_note(error)
            await self._kill()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if error is None:
                await self._stop()
            else:
                self._add_note(error)
        finally:
            await self._kill()

    async def _start(self) -> None:
        self.process = await asyncio.create_subprocess_exec(
            *self.command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(self.home) | self.environment,
            cwd=self.home,
        )
        self._readers = [
            asyncio.create_task(self._read_stdout()),
            asyncio.create_task(self._read_stderr()),
        ]

    async def _stop(self) -> None:
        for id_ in list(self._pending):
            await self.answer(id_)
        await self.shut_down()
        self.notify("exit", None)
        self._stdin.close()
        try:
            async with asyncio.timeout(self.limit):
                code = await self.process.wait()
                await asyncio.gather(*self._readers)
        except TimeoutError:
            raise self._noted(f"the server still runs {self.limit} s after exit") from None
        if self._fault:
            raise self._fault
        if code != 0:
            raise self._noted(f"the server ended with exit code {code}")
        if "Traceback" in self.stderr_text:
            raise self._noted("there is a traceback on stderr")

    async def shut_down(self) -> None:
        """Ask for it, once; leaving the client does so if the test did not."""
        if not self._is_shut_down:
            self._is_shut_down = True
            await self.request("shutdown", None)

    async def _kill(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
            await self.process.wait()
        self._stdin.close()
        await asyncio.gather(*self._readers, return_exceptions=True)
        for _, future in self._pending.values():
            future.cancel()
        self._home.cleanup()

    def _initialize_params(self) -> dict[str, Any]:
        folders = [{"uri": folder.as_uri(), "name": folder.name} for folder in self.folders]
        return {
            "processId": os.getpid(),
            "clientInfo": {"name": "tests"},
            "rootUri": folders[0]["uri"] if folders else None,
            "workspaceFolders": folders or None,
            "capabilities": self.capabilities,
            "initializationOptions": self.options,
        }

    # messages

    async def request(self, method: str, params: Any) -> Any:
        """The result; raises ResponseError, or ProtocolFault where no answer comes in time."""
        return await self.answer(self.start_request(method, params)[0])

    def start_request(self, method: str, params: Any) -> tuple[int, asyncio.Future[Any]]:
        """The request's id and the future of its result."""
        self._last_id += 1
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        future.add_done_callback(_look_at)
        self._pending[self._last_id] = (method, future)
        self._send({"id": self._last_id, "method": method, "params": params})
        return self._last_id, future

    async def answer(self, id_: int) -> Any:
        """The result of a request that `start_request` sent and that is not yet answered."""
        method, future = self._pending[id_]
        try:
            async with asyncio.timeout(self.limit):
                return await future
        except TimeoutError:
            raise self._noted(f"no answer to {method} within {self.limit} s") from None

    def notify(self, method: str, params: Any) -> None:
        self._send({"method": method, "params": params})

    def is_waiting(self, id_: int) -> bool:
        """Whether a request has no answer yet."""
        return id_ in self._pending

    def cancel(self, id_: int) -> None:
        self.notify("$/cancelRequest", {"id": id_})

    def notifications(self, method: str) -> list[Any]:
        """The params of all that came so far."""
        return list(self._received[method])

    async def notification(self, method: str, wanted: Callable[[Any], bool] = lambda _: True) -> Any:
        """The params of the first that is wanted, awaited if it did not come yet."""
        self.allowed.add(method)
        try:
            async with asyncio.timeout(self.limit):
                while True:
                    for params in self._received[method]:
                        if wanted(params):
                            return params
                    if self._fault:
                        raise self._fault
                    self._arrived.clear()
                    await self._arrived.wait()
        except TimeoutError:
            raise self._noted(f"no {method} within {self.limit} s") from None

    # documents

    def open(self, uri: str, text: str, language: str = "python") -> None:
        self._versions[uri], self.texts[uri] = 1, text
        document = {"uri": uri, "languageId": language, "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, *edits: dict[str, Any]) -> None:
        """Send edits (entries of `contentChanges`) and do them to the client's own copy."""
        self._versions[uri] += 1
        for edit in edits:
            self.texts[uri] = apply_edit(self.texts[uri], edit, self.encoding)
        document = {"uri": uri, "version": self._versions[uri]}
        self.notify(
            "textDocument/didChange",
            {"textDocument": document, "contentChanges": list(edits)},
        )

    def close(self, uri: str) -> None:
        del self._versions[uri], self.texts[uri]
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    async def inline(self, uri: str, line: int, character: int, *, invoked: bool = False) -> list[Any]:
        """The items of an inline completion."""
        return _items(await self.answer(self.start_inline(uri, line, character, invoked=invoked)[0]))

    def start_inline(
        self, uri: str, line: int, character: int, *, invoked: bool = False
    ) -> tuple[int, asyncio.Future[Any]]:
        params = _at(uri, line, character) | {"context": {"triggerKind": 1 if invoked else 2}}
        return self.start_request("textDocument/inlineCompletion", params)

    async def complete(self, uri: str, line: int, character: int) -> list[Any]:
        """The items of a popup completion, as one who asked for it by a key gets them."""
        params = _at(uri, line, character) | {"context": {"triggerKind": 1}}
        return _items(await self.request("textDocument/completion", params))

    async def text_of(self, uri: str) -> str:
        """The server's own copy of a document; needs KIREJI_TEST=1 in the server's environment."""
        text = await self.request("workspace/executeCommand", {"command": "kireji.text", "arguments": [uri]})
        assert isinstance(text, str), text
        return text

    @property
    def fault(self) -> ProtocolFault | None:
        """What the server did that it should not have done, if it did."""
        return self._fault

    @property
    def stderr_text(self) -> str:
        return "".join(self.stderr)

    # the wire

    @property
    def _stdin(self) -> asyncio.StreamWriter:
        assert self.process.stdin is not None
        return self.process.stdin

    def _send(self, message: dict[str, Any]) -> None:
        if self._fault:
            raise self._fault
        self._stdin.write(frame(message))

    async def _read_stdout(self) -> None:
        assert self.process.stdout is not None
        try:
            while (message := await read_message(self.process.stdout)) is not None:
                self._take(message)
        except ProtocolFault as fault:
            self._fail(fault)
        waiting = [method for method, _ in self._pending.values()]
        if waiting:
            await self._see_it_end()
            self._fail(ProtocolFault(f"the server ended and owes answers to {waiting}"))

    async def _see_it_end(self) -> None:
        """A moment for the exit code and the last words on stderr."""
        await asyncio.wait([asyncio.ensure_future(self.process.wait()), self._readers[1]], timeout=1)

    async def _read_stderr(self) -> None:
        assert self.process.stderr is not None
        while line := await self.process.stderr.readline():
            self.stderr.append(line.decode(errors="replace"))

    def _take(self, message: dict[str, Any]) -> None:
        if message.get("jsonrpc") != "2.0":
            raise ProtocolFault(f"not a JSON-RPC 2.0 message: {message}")
        if "method" not in message:
            self._take_answer(message)
        elif "id" in message:
            self._take_request(message)
        else:
            self._take_notification(message)
        self._arrived.set()

    def _take_answer(self, message: dict[str, Any]) -> None:
        id_ = message.get("id")
        if id_ in self._answered:
            raise ProtocolFault(f"a second answer to request {id_}: {message}")
        if id_ not in self._pending:
            raise ProtocolFault(f"an answer to request {id_}, which was never made: {message}")
        if ("result" in message) == ("error" in message):
            raise ProtocolFault(f"an answer holds a result or an error, one of the two: {message}")
        _, future = self._pending.pop(id_)
        self._answered.add(id_)
        if future.cancelled():
            return
        if "error" in message:
            future.set_exception(ResponseError(message["error"]["code"], message["error"]["message"]))
        else:
            future.set_result(message["result"])

    def _take_request(self, message: dict[str, Any]) -> None:
        handler = self.handlers.get(message["method"])
        if handler is None:
            raise ProtocolFault(f"a request that the test has not allowed: {message}")
        self._received[message["method"]].append(message.get("params"))
        self._stdin.write(frame({"id": message["id"], "result": handler(message.get("params"))}))

    def _take_notification(self, message: dict[str, Any]) -> None:
        if message["method"] not in self.allowed:
            raise ProtocolFault(f"a notification that the test has not allowed: {message}")
        self._received[message["method"]].append(message.get("params"))

    def _fail(self, fault: ProtocolFault) -> None:
        """From now on every wait raises this, and so does leaving the client."""
        self._fault = self._fault or fault
        self._add_note(self._fault)
        for _, future in self._pending.values():
            if not future.done():
                future.set_exception(self._fault)
        self._arrived.set()

    def _noted(self, message: str) -> ProtocolFault:
        fault = ProtocolFault(message)
        self._add_note(fault)
        return fault

    def _add_note(self, error: BaseException) -> None:
        """What else there is to know, once."""
        if not hasattr(error, "__notes__"):
            said = "".join(self.stderr[-40:]).rstrip() or "nothing"
            error.add_note(f"exit code of the server: {self.process.returncode}; on its stderr: {said}")


def environment(home: Path) -> dict[str, str]:
    """The environment of a server that finds nothing of its user: home and caches are in `home`."""
    foreign = re.compile(r"XDG_|OLLAMA_|KIREJI_|.*_proxy$", re.IGNORECASE)
    kept = {name: value for name, value in os.environ.items() if not foreign.match(name)}
    places = {
        "XDG_CACHE_HOME": ".cache",
        "XDG_CONFIG_HOME": ".config",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
        "XDG_RUNTIME_DIR": ".run",
        "LOCALAPPDATA": "local",
        "APPDATA": "roaming",
    }
    homes = dict.fromkeys(("HOME", "USERPROFILE"), str(home))
    return kept | homes | {name: str(home / place) for name, place in places.items()} | {"PYTHONPATH": str(ROOT)}


def _at(uri: str, line: int, character: int) -> dict[str, Any]:
    return {
        "textDocument": {"uri": uri},
        "position": {"line": line, "character": character},
    }


def _items(result: Any) -> list[Any]:
    """The items of either form of a list; null is a fault, since editors go on showing the old items."""
    items = result.get("items") if isinstance(result, dict) else result
    if not isinstance(items, list):
        raise ProtocolFault(f"neither a list nor an object with items: {result!r}")
    return items


def _look_at(future: asyncio.Future[Any]) -> None:
    """Nobody may be waiting any more for a future that failed; asyncio would complain."""
    if not future.cancelled():
        future.exception()
