"""A server whose engine stands behind a recording proxy, driven key by key."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Self

from tests.protocol.client import Client
from tests.quality.tasks import Task
from tests.speed.bare import Bare
from tests.speed.proxy import Exchange, Json, Proxy

LIMIT = 180.0
"""Seconds that one answer may take: a slow machine loads a model and reads a long prompt for it."""
REST = 2.0
"""Seconds in which that comes."""
GREW = "kireji/suggestionGrew"
GROWS = {"experimental": {"kirejiGrowth": True}}
"""Each answer is wanted at its first finished line."""
USUAL = {"engine": "ollama", "timeout": LIMIT, "remember": False, "backOff": False}
"""Of both measurements: answers of an earlier run, and waiting on purpose, are not what is measured."""


@dataclass(frozen=True, slots=True)
class Place:
    """A document with a cursor, and what is typed there."""

    name: str
    language: str
    text: str
    line: int
    character: int
    typed: str

    @classmethod
    def of(cls, task: Task) -> Self:
        line = task.before.rpartition("\n")[2]
        return cls(
            task.path.replace("/", "_"),
            task.language,
            task.before + task.after,
            task.before.count("\n"),
            len(line.encode("utf-16-le")) // 2,
            task.truth.partition("\n")[0],
        )

    @property
    def uri(self) -> str:
        return f"file:///w/{self.name}"


@dataclass(frozen=True, slots=True)
class Asked:
    """One completion through the server. Times are seconds of `time.monotonic`."""

    began: float
    answered: float
    text: str
    chain: list[Exchange]
    """The requests that reached the engine before the answer was given."""
    own: list[Exchange]
    """The others: what the server wants to know of the engine."""

    @property
    def bodies(self) -> list[Json]:
        return [exchange.body for exchange in self.chain]

    @property
    def lines(self) -> int:
        """Of the last request's answer: so many were needed to know the first line of the text.

        Those that came before the server's answer did, at most; fewer where an earlier one ended the line already.
        """
        written = ""
        for number, (came, line) in enumerate(self.chain[-1].lines, 1):
            if came > self.answered:
                return max(number - 1, 1)
            written += line.get("response", "")
            if line.get("done") or "\n" in written.lstrip():
                return number
        return len(self.chain[-1].lines)

    @property
    def first(self) -> float | None:
        """Seconds to the first token of the answer, where it reaches the server."""
        answer = next((exchange for exchange in self.chain if exchange.is_answer), None)
        return answer.lines[0][0] - self.began if answer is not None and answer.lines else None


@dataclass(slots=True)
class Driven:
    client: Client
    proxy: Proxy
    bare: Bare
    """On the same road: through the proxy too."""
    rest_asked: float = 0.0
    """When the model was asked for what follows a text that was given already."""

    async def ask(self, place: Place, key: str = "", at: int = 0) -> Asked:
        """Ask behind the cursor and `at` characters more; `key` is typed there first, in the same write."""
        since, column = len(self.proxy.exchanges), place.character + at
        began = time.monotonic()
        if key:
            edit(self.client, place.uri, (place.line, column), (place.line, column), key)
        items = await self.client.inline(place.uri, place.line, column + len(key))
        answered = time.monotonic()
        if items and not any(exchange.is_answer for exchange in self.proxy.generated(since)):
            await self.request_of_the_rest(since)
        seen = [
            exchange for exchange in self.proxy.exchanges[since:] if exchange.asked <= max(answered, self.rest_asked)
        ]
        chain = [exchange for exchange in self.proxy.generated(since) if exchange in seen]
        text = str(items[0]["insertText"]) if items else ""
        return Asked(began, answered, text, chain, [exchange for exchange in seen if exchange not in chain])

    async def request_of_the_rest(self, since: int) -> None:
        """A name that goes on with what is typed is given before the model is asked for what follows it."""
        until = time.monotonic() + REST
        while time.monotonic() < until:
            for exchange in self.proxy.generated(since):
                if exchange.is_answer and exchange.lines:
                    self.rest_asked = exchange.asked
                    return
            await asyncio.sleep(0.005)

    def take_back(self, place: Place, count: int) -> None:
        """Delete what was typed at the cursor."""
        edit(self.client, place.uri, (place.line, place.character), (place.line, place.character + count), "")

    async def forget(self) -> None:
        """Each key is to ask the engine."""
        await self.client.request("workspace/executeCommand", {"command": "kireji.forget", "arguments": []})


@asynccontextmanager
async def driven(host: str, model: str, options: dict[str, Any]) -> AsyncIterator[Driven]:
    """A fresh server."""
    async with Proxy(host) as proxy, Bare(proxy.host) as bare:
        wanted = USUAL | {"host": proxy.host, "model": model} | options
        async with Client(options=wanted, capabilities=GROWS, allow=(GREW,), limit=LIMIT) as client:
            yield Driven(client, proxy, bare)


def edit(client: Client, uri: str, first: tuple[int, int], last: tuple[int, int], text: str) -> None:
    """Without the client's own copy of the text, which would take longer than the server."""
    start, end = ({"line": line, "character": column} for line, column in (first, last))
    change = {"range": {"start": start, "end": end}, "text": text}
    document = {"uri": uri, "version": time.monotonic_ns() // 1_000_000}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
