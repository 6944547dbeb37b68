"""A proxy on loopback between server and engine that keeps what was asked, what came back, and when.

It passes bytes on as they come and reads them afterwards, so that it costs a fraction of a millisecond a request.
One connection to the engine for each of the client's, so that closing the one closes the other.
"""

from __future__ import annotations

import asyncio
import json
import time
from dataclasses import dataclass, field
from typing import Any, Self

Json = dict[str, Any]

GENERATE = "/api/generate"
CHUNK = 1 << 16
LOOK_EVERY = 0.01
"""Seconds."""


class Lines:
    """JSON lines out of the bytes of one HTTP answer, chunked or whole."""

    def __init__(self) -> None:
        self.raw, self.line = b"", b""
        self.head: bytes | None = None
        self.left: int | None = None
        """Bytes of a body whose length was told; None: it is chunked."""
        self.complete = False

    def feed(self, data: bytes) -> list[Json]:
        self.raw += data
        if self.head is None:
            if b"\r\n\r\n" not in self.raw:
                return []
            self.head, self.raw = self.raw.split(b"\r\n\r\n", 1)
            found = length_of(self.head)
            self.left = None if b"chunked" in self.head.lower() else found
        body = self.dechunked() if self.left is None else self.told()
        *lines, self.line = (self.line + body).split(b"\n")
        return [json.loads(line) for line in lines if line.strip()]

    def told(self) -> bytes:
        body, self.raw = self.raw, b""
        self.left = (self.left or 0) - len(body)
        self.complete = self.left <= 0
        return body + b"\n" if self.complete else body

    def dechunked(self) -> bytes:
        body = b""
        while (mark := self.raw.find(b"\r\n")) >= 0:
            size = int(self.raw[:mark].split(b";")[0], 16)
            end = mark + 2 + size
            if len(self.raw) < end + 2:
                break
            body, self.raw = body + self.raw[mark + 2 : end], self.raw[end + 2 :]
            if size == 0:
                self.complete = True
                break
        return body


def length_of(head: bytes) -> int:
    """Bytes of the body behind an HTTP head."""
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0


@dataclass(slots=True, eq=False)
class Exchange:
    """One request and its answer. Times are seconds of `time.monotonic`."""

    path: str
    body: Json
    asked: float
    lines: list[tuple[float, Json]] = field(default_factory=list)
    """Of the answer, each with the time at which it came from the engine; of `/api/generate` only."""
    ended: float | None = None
    """When the answer was complete, or its client left."""

    @property
    def tokens(self) -> int:
        """Of the answer at most: 1 for a probe and for a slice of a prompt."""
        return int((self.body.get("options") or {}).get("num_predict", -1))

    @property
    def is_slice(self) -> bool:
        """A part of a prompt, sent to be read."""
        return self.tokens == 1 and not self.body.get("logprobs")

    @property
    def is_answer(self) -> bool:
        return self.tokens != 1

    @property
    def last(self) -> Json:
        """The line with the engine's figures; empty where it never came."""
        return next((line for _, line in self.lines if line.get("done")), {})

    @property
    def prompt(self) -> int:
        """Tokens of the whole prompt."""
        return int(self.last.get("prompt_eval_count") or 0)

    @property
    def evaluated(self) -> int | None:
        """Tokens that the engine had to read; None where it did not say, as of an answer that was left early."""
        cached = self.last.get("prompt_eval_cached_count")
        return None if cached is None else self.prompt - int(cached)

    @property
    def load_ms(self) -> float:
        return float(self.last.get("load_duration") or 0) / 1e6


def evaluated(exchanges: list[Exchange]) -> int:
    """Tokens read for these, as far as the engine said."""
    return sum(exchange.evaluated or 0 for exchange in exchanges)


class Proxy:
    """`async with Proxy("127.0.0.1:11434") as proxy`: what is sent to `proxy.host` gets there."""

    def __init__(self, host: str) -> None:
        name, _, port = host.removeprefix("http://").rstrip("/").rpartition(":")
        self.engine = (name, int(port))
        self.exchanges: list[Exchange] = []
        """All of them, the newest last."""
        self.host = ""
        self.connections: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self.server = await asyncio.start_server(self.connected, "127.0.0.1", 0)
        self.host = f"127.0.0.1:{self.server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.close()
        for task in list(self.connections):
            task.cancel()
        await asyncio.gather(*self.connections, return_exceptions=True)

    def generated(self, since: int = 0) -> list[Exchange]:
        """Requests for text, from that exchange on."""
        return [exchange for exchange in self.exchanges[since:] if exchange.path == GENERATE]

    async def quiet(self, seconds: float, most: float = 300.0) -> None:
        """Until nothing has been under way for so long."""
        async with asyncio.timeout(most):
            while True:
                ends = [exchange.ended for exchange in self.exchanges]
                if None not in ends and time.monotonic() - max((end for end in ends if end), default=0.0) >= seconds:
                    return
                await asyncio.sleep(LOOK_EVERY)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.connections.add(task)
        road: list[tuple[Exchange, Lines]] = []
        other: asyncio.StreamWriter | None = None
        ways: list[asyncio.Task[None]] = []
        try:
            answers, other = await asyncio.open_connection(*self.engine)
            ways = [
                asyncio.create_task(self.forth(reader, other, road)),
                asyncio.create_task(back(answers, writer, road)),
            ]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            if road and road[-1][0].ended is None:
                road[-1][0].ended = time.monotonic()
            for each in (writer, other):
                if each is not None:
                    each.close()
            self.connections.discard(task)

    async def forth(
        self, reader: asyncio.StreamReader, engine: asyncio.StreamWriter, road: list[tuple[Exchange, Lines]]
    ) -> None:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            body = await reader.readexactly(length_of(head))
            asked = time.monotonic()
            exchange = Exchange(head.split(b" ", 2)[1].decode(), {}, asked)
            road.append((exchange, Lines()))
            engine.write(head + body)
            self.exchanges.append(exchange)
            if exchange.path == GENERATE:
                exchange.body = json.loads(body)


async def back(reader: asyncio.StreamReader, client: asyncio.StreamWriter, road: list[tuple[Exchange, Lines]]) -> None:
    while data := await reader.read(CHUNK):
        came = time.monotonic()
        client.write(data)
        exchange, lines = road[-1]
        if exchange.path != GENERATE:
            exchange.ended = came
            continue
        exchange.lines += [(came, line) for line in lines.feed(data)]
        if lines.complete:
            exchange.ended = came
