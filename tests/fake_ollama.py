"""A scripted stand-in for an Ollama server, with the standard library only.

    with FakeOllama({"generate": [{"stream": [{"response": "x"}]}]}) as fake:
        ...  # http://{fake.host}

A script is a dict of:

- `generate`: answers in order, the last one repeats. An answer's keys, all optional: `status`, `stream` (objects,
  or a string for a line as it is), `body` (JSON) or `text` (plain) instead of a stream, `delay_ms` before the first
  byte, `gap_ms` between lines, `end`: `done` (a last line with counters is added unless the stream has one or an
  error), `drop` (the connection breaks), `hang` (nothing more comes), `forever` (the stream begins again);
  `split_bytes`: one byte a packet; `final`: fields of the last line.
- `rules`: answers that go first: `has`: a field of the request that must be set; `when`: a regular expression that
  must be found in its prompt.
- `shows`: by a model's name, what `show` says of it.
- `show`, `ps`, `tags`, `version`: fields over those of the usual answer, or `{"status": ..., "text" or "body": ...}`.
- `require_header`: a name and a value, without which the answer is 401.
- `down_ms`: milliseconds in which connections are refused.

A request of at most one token is a warm-up: it is answered at once and takes nothing from the script.
"""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Self

Json = dict[str, Any]

MODEL = "fake:1b"
GENERATE = ("/api/generate", "/api/chat")
USUAL: dict[str, Json] = {
    "version": {"version": "0.34.4"},
    "tags": {"models": [{"name": MODEL, "model": MODEL}]},
    "ps": {"models": [{"name": MODEL, "model": MODEL, "context_length": 8192}]},
    "show": {
        "capabilities": ["completion", "insert"],
        "template": "{{ .Prompt }}{{ .Suffix }}",
        "details": {"family": "fake", "parameter_size": "1B", "quantization_level": "Q4_K_M"},
        "model_info": {"general.architecture": "fake", "fake.context_length": 8192},
    },
    "embed": {"embeddings": [[0.0, 1.0]]},
}


class FakeOllama:
    """A server on a free port of the loopback interface, in a thread of its own."""

    def __init__(self, script: Json | None = None) -> None:
        self.script: Json = script or {}
        """May be exchanged at any time: `play`."""
        self.events: list[Json] = []
        """`{"t", "event": "request" | "done" | "closed" | "reset", "n"}`; a request has `path`, `headers`, `body`."""
        self.open = 0
        self.max_open = 0
        """The largest number of generate requests that were open at one time."""
        self.resetting = False
        """Every connection is accepted and broken at once."""
        self._played = 0
        self._number = 0
        self._last_prompt = ""
        self._socket = _bound(0)
        self.port: int = self._socket.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._loop.run_forever, name="fake-ollama", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        if down := self.script.get("down_ms"):
            self._loop.call_soon_threadsafe(lambda: self._loop.call_later(down / 1000, self._come_up))
        else:
            self.up()
        return self

    def __exit__(self, *_: object) -> None:
        self.down()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()
        self._socket.close()

    def up(self) -> None:
        """Listen; until then, connections are refused."""
        asyncio.run_coroutine_threadsafe(self._up(), self._loop).result(5)

    def down(self) -> None:
        """Break the open connections and refuse new ones; the port stays ours."""
        asyncio.run_coroutine_threadsafe(self._down(), self._loop).result(5)

    def play(self, *answers: Json, **script: Any) -> None:
        """From now on: these answers in order, with the rest of the script."""
        self.script = {"generate": list(answers), **script}
        self._played = 0

    def requests(self, *paths: str) -> list[Json]:
        """The events of requests to these paths, or of all."""
        return [e for e in list(self.events) if e["event"] == "request" and (not paths or e["path"] in paths)]

    def generates(self) -> list[Json]:
        """The bodies of what asked for text, warm-ups left out."""
        return [e["body"] for e in self.requests(*GENERATE) if not _is_warmup(e["body"])]

    def warmups(self) -> list[Json]:
        return [e["body"] for e in self.requests(*GENERATE) if _is_warmup(e["body"])]

    def closed(self) -> list[int]:
        """The numbers of requests whose client left before the end."""
        return [e["n"] for e in list(self.events) if e["event"] == "closed"]

    # the server

    def _come_up(self) -> None:
        self._connections.add(task := asyncio.ensure_future(self._up()))
        task.add_done_callback(self._connections.discard)

    async def _up(self) -> None:
        if self._server is None:
            self._server = await asyncio.start_server(self._connected, sock=self._socket)

    async def _down(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
            self._socket = _bound(self.port)
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if self.resetting:
                self._note("reset", 0)
                writer.transport.abort()
            else:
                await self._converse(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            writer.transport.abort()
        finally:
            self._connections.discard(task)
            writer.close()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request and its answer; another needs another connection."""
        if (request := await _read_request(reader)) is None:
            return
        self._number += 1
        number, is_generate = self._number, request["path"] in GENERATE
        self._note("request", number, **request)
        if is_generate:
            self.open += 1
            self.max_open = max(self.max_open, self.open)
        answering = asyncio.ensure_future(self._answer(writer, request))
        leaving = asyncio.ensure_future(reader.read(1))  # who waits for an answer sends nothing: the end means it left
        try:
            await asyncio.wait({answering, leaving}, return_when=asyncio.FIRST_COMPLETED)
            self._note("done" if answering.done() else "closed", number)
        finally:
            self.open -= is_generate
            for task in (answering, leaving):
                task.cancel()
            await asyncio.gather(answering, leaving, return_exceptions=True)

    def _note(self, event: str, number: int, **more: Any) -> None:
        self.events.append({"t": time.monotonic(), "event": event, "n": number, **more})

    # answers

    async def _answer(self, writer: asyncio.StreamWriter, request: Json) -> None:
        name, value = self.script.get("require_header", ("", None))
        if name and request["headers"].get(name.lower()) != value:
            await _write_whole(writer, 401, {"error": "unauthorized"})
        elif request["path"] in GENERATE:
            await self._generate(writer, request["body"])
        elif request["path"] == "/":
            await _write_whole(writer, 200, "Ollama is running")
        else:
            await self._tell(writer, request["path"].removeprefix("/api/"), request["body"])

    async def _tell(self, writer: asyncio.StreamWriter, what: str, body: Any) -> None:
        told = self.script.get(what, {})
        if what == "show" and isinstance(body, dict):
            told = self.script.get("shows", {}).get(body.get("model"), told)
        if "text" in told or "body" in told:
            await _write_whole(writer, told.get("status", 200), told.get("text") or told["body"])
        elif what not in USUAL:
            await _write_whole(writer, 404, "404 page not found")
        else:
            answer = USUAL[what] | told
            if what == "show" and not (isinstance(body, dict) and body.get("verbose")):
                answer = answer | {"model_info": _without_lists(answer["model_info"])}
            await _write_whole(writer, 200, answer)

    async def _generate(self, writer: asyncio.StreamWriter, body: Any) -> None:
        answer = {"stream": []} if _is_warmup(body) else self._pick(body)
        await asyncio.sleep(answer.get("delay_ms", 0) / 1000)
        if "text" in answer or "body" in answer:
            await _write_whole(writer, answer.get("status", 200), answer.get("text") or answer["body"])
            return
        lines = [self._line(line, body) for line in answer.get("stream", [])]
        end = answer.get("end", "done")
        if end == "done" and not any(
            isinstance(line, dict) and (line.get("done") or "error" in line) for line in lines
        ):
            lines.append(self._last_line(body, lines) | answer.get("final", {}))
        if body.get("stream") is False and end == "done":
            text = "".join(line.get("response", "") for line in lines if isinstance(line, dict))
            await _write_whole(writer, 200, {**_as_dict(lines[-1]), "response": text})
        else:
            await _write_stream(writer, lines, answer, end)

    def _pick(self, body: Json) -> Json:
        for rule in self.script.get("rules", []):
            if "has" in rule and not body.get(rule["has"]):
                continue
            if "when" in rule and not re.search(rule["when"], body.get("prompt", "")):
                continue
            return _as_dict(rule)
        answers = self.script.get("generate") or [{}]
        answer = answers[min(self._played, len(answers) - 1)]
        self._played += 1
        return _as_dict(answer)

    def _line(self, line: str | Json, body: Json) -> str | Json:
        if isinstance(line, str):
            return line
        full = {"model": body.get("model"), "done": False, **line}
        if body.get("logprobs") and line.get("response") and "logprobs" not in line:
            token = line["response"]
            full["logprobs"] = [{"token": token, "logprob": -0.1, "bytes": list(token.encode()), "top_logprobs": []}]
        return full

    def _last_line(self, body: Json, lines: Sequence[str | Json]) -> Json:
        """The counters, as if a token were four characters and the last prompt were in the cache."""
        prompt = body.get("prompt", "")
        cached = sum(
            1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prompt, self._last_prompt, strict=False))
        )
        self._last_prompt = prompt
        return {
            "model": body.get("model"),
            "response": "",
            "done": True,
            "done_reason": "stop",
            "prompt_eval_count": len(prompt) // 4 + 1,
            "prompt_eval_cached_count": cached // 4,
            "eval_count": len(lines),
            "total_duration": 3_000_000,
            "load_duration": 1_000_000,
            "prompt_eval_duration": 1_000_000,
            "eval_duration": 1_000_000,
        }


def answer(text: str, **more: Any) -> Json:
    """An answer of this text in one piece."""
    return {"stream": [{"response": text}], **more}


def tiny_vocabulary(special: Sequence[str], context: int = 8192) -> Json:
    """A `model_info` whose tokens are the single bytes and these special ones, in the byte-level form of GPT-2."""
    letters = _byte_letters()
    return {
        "general.architecture": "fake",
        "fake.context_length": context,
        "tokenizer.ggml.model": "gpt2",
        "tokenizer.ggml.pre": "qwen2",
        "tokenizer.ggml.tokens": [*letters, "qz", *special],
        "tokenizer.ggml.token_type": [1] * (len(letters) + 1) + [3] * len(special),
        "tokenizer.ggml.merges": ["q z"],
    }


def _byte_letters() -> list[str]:
    """The letter that stands for each byte: itself where it can be seen, else one from U+0100 on."""
    seen = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    unseen = iter(range(0x100, 0x200))
    return [chr(byte if byte in seen else next(unseen)) for byte in range(256)]


def _without_lists(info: Json) -> Json:
    """What is told of a model where the whole vocabulary was not asked for."""
    return {key: None if isinstance(value, list) else value for key, value in info.items()}


def _is_warmup(body: Any) -> bool:
    if not isinstance(body, dict) or body.get("logprobs"):
        return False
    return bool((body.get("options") or {}).get("num_predict") == 1)


def _as_dict(value: Any) -> Json:
    assert isinstance(value, dict), value
    return value


def _bound(port: int) -> socket.socket:
    """A socket that has its port and refuses connections until somebody listens on it."""
    bound = socket.socket()
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    bound.bind(("127.0.0.1", port))
    return bound


async def _read_request(reader: asyncio.StreamReader) -> Json | None:
    if not (line := await reader.readline()):
        return None
    method, path, _ = line.decode("latin-1").split(" ", 2)
    headers: dict[str, str] = {}
    while header := (await reader.readline()).decode("latin-1").strip():
        name, _, value = header.partition(":")
        headers[name.strip().lower()] = value.strip()
    raw = await _read_body(reader, headers)
    return {"method": method, "path": path, "headers": headers, "body": json.loads(raw) if raw else None}


async def _read_body(reader: asyncio.StreamReader, headers: dict[str, str]) -> bytes:
    if "chunked" not in headers.get("transfer-encoding", ""):
        return await reader.readexactly(int(headers.get("content-length", 0)))
    raw = b""
    while size := int((await reader.readline()).split(b";")[0], 16):
        raw += await reader.readexactly(size)
        await reader.readline()
    await reader.readline()
    return raw


async def _write_whole(writer: asyncio.StreamWriter, status: int, body: str | Json) -> None:
    kind = "text/plain" if isinstance(body, str) else "application/json"
    data = (body if isinstance(body, str) else json.dumps(body)).encode()
    head = f"HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nContent-Length: {len(data)}\r\nConnection: close\r\n\r\n"
    writer.write(head.encode() + data)
    await writer.drain()


async def _write_stream(writer: asyncio.StreamWriter, lines: Sequence[str | Json], answer: Json, end: str) -> None:
    writer.write(
        b"HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n"
        b"Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    while True:
        await asyncio.sleep(0)
        for line in lines:
            text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
            await _write_chunks(writer, text.encode() + b"\n", 1 if answer.get("split_bytes") else None)
            await asyncio.sleep(answer.get("gap_ms", 0) / 1000)
        if end != "forever":
            break
    if end == "hang":
        await asyncio.sleep(3600)
    elif end == "drop":
        writer.transport.abort()
    else:
        writer.write(b"0\r\n\r\n")
        await writer.drain()


async def _write_chunks(writer: asyncio.StreamWriter, data: bytes, size: int | None) -> None:
    step = size or len(data)
    for start in range(0, len(data), step):
        part = data[start : start + step]
        writer.write(b"%x\r\n%s\r\n" % (len(part), part))
        await writer.drain()
