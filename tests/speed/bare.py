"""A bare client of Ollama: one kept connection, bodies ready before the clock runs, and nothing else that costs time."""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any, Self

from tests.speed.proxy import CHUNK, GENERATE, Exchange, Json, Lines

UNLOADING = 30.0
"""Seconds that Ollama may take to let go of a model."""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What requests sent one after the other brought. Seconds from the first one's write."""

    first: float
    """To the first line of the first answer."""
    until: float
    """To the wanted line of the last answer."""
    evaluated: int
    """Tokens that the engine read for those that came to their end."""


class Bare:
    """`async with Bare("127.0.0.1:11434") as bare`."""

    def __init__(self, host: str) -> None:
        name, _, port = host.removeprefix("http://").rstrip("/").rpartition(":")
        self.engine = (name, int(port))
        self.reader: asyncio.StreamReader | None = None
        self.writer: asyncio.StreamWriter | None = None

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.leave()

    async def connect(self) -> None:
        """Unless there is a connection already."""
        if self.reader is None or self.reader.at_eof():
            self.leave()
            self.reader, self.writer = await asyncio.open_connection(*self.engine)

    def leave(self) -> None:
        """Close the connection, which aborts what runs on it."""
        if self.writer is not None:
            self.writer.close()
        self.reader = self.writer = None

    async def ask(self, request: bytes, lines: int | None = None) -> list[tuple[float, Json]]:
        """The lines of an answer, each with the time at which it came; after so many the connection is closed."""
        await self.connect()
        assert self.reader is not None
        assert self.writer is not None
        self.writer.write(request)
        found, parser = list[tuple[float, Json]](), Lines()
        while not parser.complete and (lines is None or len(found) < lines):
            data = await self.reader.read(CHUNK)
            if not data:
                raise ConnectionError("the engine closed the connection")
            came = time.monotonic()
            found += [(came, line) for line in parser.feed(data)]
            if found and "error" in found[-1][1]:
                raise ConnectionError(f"the engine: {found[-1][1]['error']}")
        if not parser.complete:
            done = bool(found and found[-1][1].get("done"))
            if not done or await self.rest(parser):
                self.leave()
        if b"connection: close" in (parser.head or b"").lower():
            self.leave()
        return found

    async def rest(self, parser: Lines) -> bool:
        """Read what ends an answer behind its last line; whether more came than that."""
        assert self.reader is not None
        while not parser.complete:
            if not (data := await self.reader.read(CHUNK)) or parser.feed(data):
                return True
        return False

    async def generate(self, body: Json) -> Json:
        """The last line of an answer."""
        return (await self.ask(post(GENERATE, body)))[-1][1]

    async def replay(self, bodies: list[Json], lines: int) -> Replayed:
        """These one after the other; of the last one so many lines."""
        await self.connect()
        requests = [post(GENERATE, body) for body in bodies]
        answers = [Exchange(GENERATE, body, 0.0) for body in bodies]
        begin = time.monotonic()
        for answer, request in zip(answers, requests, strict=True):
            answer.lines = await self.ask(request, lines if answer is answers[-1] else None)
        first = next(answer for answer in answers if answer.is_answer).lines[0][0]
        read = sum(answer.evaluated or 0 for answer in answers)
        return Replayed(first - begin, answers[-1].lines[-1][0] - begin, read)

    async def version(self) -> str:
        return str((await self.ask(get("/api/version")))[-1][1].get("version", "?"))

    async def unload(self, model: str) -> None:
        """Have the model let go, and its cache with it."""
        await self.generate({"model": model, "keep_alive": 0, "stream": False})
        async with asyncio.timeout(UNLOADING):
            while await self.is_loaded(model):
                await asyncio.sleep(0.05)

    async def is_loaded(self, model: str) -> bool:
        models = (await self.ask(get("/api/ps")))[-1][1].get("models") or []
        return any(one.get("name", "").removesuffix(":latest") == model.removesuffix(":latest") for one in models)


def post(path: str, body: Json) -> bytes:
    content = json.dumps(body, ensure_ascii=False).encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {len(content)}"
    )
    return head.encode() + b"\r\n\r\n" + content


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


def read_only(body: Json) -> Json:
    """The same request, of one token: its prompt stands in the cache then, and nothing behind it."""
    kept: dict[str, Any] = {name: value for name, value in body.items() if name not in ("logprobs", "top_logprobs")}
    return kept | {"options": body["options"] | {"num_predict": 1}}
