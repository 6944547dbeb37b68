"""A client at work, with a scripted stand-in for Ollama: what is typed, what comes back, what reached the engine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fake_ollama import FakeOllama, Json
from tests.picture import CURSOR
from tests.protocol.client import Client, ResponseError
from tests.protocol.text import Position, apply_item, lines_of, position_of, units

OPTIONS = {"engine": "ollama", "model": "fake:1b", "warmUp": False, "speculate": False, "remember": False}
CANCELLED = -32800


@dataclass
class Desk:
    client: Client
    fake: FakeOllama

    def typist(self, uri: str, drawing: str, language: str = "python") -> Typist:
        """Opens the document, with the cursor at the mark."""
        before, after = drawing.split(CURSOR)
        self.client.open(uri, before + after, language)
        return Typist(self, uri, before)

    async def answers_still(self, seconds: float = 8) -> None:
        """The engine is asked, and its answer shown, in a document of its own; it may have to be asked again, since one
        that failed is left alone for a moment."""
        typist = self.typist("file:///w/other.py", f"answer = {CURSOR}\n")
        self.fake.play({"stream": [{"response": "42"}]})
        async with asyncio.timeout(seconds):
            while not await typist.items():
                await asyncio.sleep(0.1)


@dataclass
class Typist:
    desk: Desk
    uri: str
    before: str
    """What stands before the cursor."""
    asked: list[int] = field(default_factory=list)
    """Ids of requests."""

    @property
    def client(self) -> Client:
        return self.desk.client

    @property
    def text(self) -> str:
        return self.client.texts[self.uri]

    @property
    def cursor(self) -> Position:
        return position_of(self.before, self.client.encoding)

    def press(self, key: str) -> None:
        """Write a letter at the cursor; `\\b` takes the one before it away."""
        end = self.cursor
        if key == "\b":
            self.before = self.before[:-1]
            self.client.change(self.uri, {"range": {"start": self.cursor, "end": end}, "text": ""})
        else:
            self.before += key
            self.client.change(self.uri, {"range": {"start": end, "end": end}, "text": key})

    def go(self, before: str) -> None:
        """Move the cursor behind that text."""
        assert self.text.startswith(before)
        self.before = before

    def leave(self) -> None:
        """Cancel what was asked last, if it has no answer."""
        if self.asked and self.client.is_waiting(self.asked[-1]):
            self.client.cancel(self.asked[-1])

    def ask(self) -> asyncio.Future[Any]:
        """Ask at the cursor, and cancel the request before, as editors do."""
        self.leave()
        id_, future = self.client.start_inline(self.uri, **self.cursor)
        self.asked.append(id_)
        return future

    async def items(self) -> list[Json]:
        found: list[Json] = (await self.ask())["items"]
        return found

    async def offered(self) -> str | None:
        """The document after accepting what is offered here, with the cursor; None: nothing is."""
        items = await self.items()
        return self.accepted(items[0]) if items else None

    def accepted(self, item: Json) -> str:
        start, end = item["range"]["start"], item["range"]["end"]
        assert start["line"] == end["line"] == self.cursor["line"]
        assert start["character"] <= self.cursor["character"] <= end["character"]
        assert end["character"] <= units(lines_of(self.text)[end["line"]].rstrip("\r\n"), self.client.encoding)
        return apply_item(self.text, item, self.client.encoding, CURSOR)


async def result(answer: asyncio.Future[Any]) -> list[Json] | None:
    """The items, or None where the request was cancelled."""
    try:
        found: list[Json] = (await answer)["items"]
    except ResponseError as error:
        if error.code != CANCELLED:
            raise
        return None
    return found


def at_a_desk(script: Json, use: Callable[[Desk], Awaitable[None]], **more: Any) -> None:
    """A session with a server whose engine follows the script; behind it no connection may be left open."""
    options = OPTIONS | more.pop("options", {})

    async def run(fake: FakeOllama) -> None:
        async with Client(
            options=options | {"host": fake.host}, environment={"KIREJI_TEST": "1"}, allow=["window/logMessage"], **more
        ) as client:
            await use(Desk(client, fake))

    with FakeOllama(script) as fake:
        asyncio.run(run(fake))
        assert all_closed(fake)


def all_closed(fake: FakeOllama) -> bool:
    ended = {event["n"] for event in list(fake.events) if event["event"] in ("done", "closed")}
    return {event["n"] for event in fake.requests()} == ended


async def until(is_so: Callable[[], bool], seconds: float = 5) -> None:
    async with asyncio.timeout(seconds):
        while not is_so():
            await asyncio.sleep(0.01)
