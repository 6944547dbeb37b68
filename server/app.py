"""The composition root: what the server is made of, and what lasts from request to request."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from server.completion import Completion, complete
from server.documents import Documents, Snapshot
from server.engines import Engine
from server.engines.selection import engine_of
from server.items import Where
from server.latest import Latest
from server.outage import Outage
from server.positions import uri_key
from server.settings import Settings, with_values
from server.stats import Stats
from server.trigger import Reason

log = logging.getLogger(__name__)

Turned = Callable[[str, str], None]


@dataclass(slots=True)
class App:
    documents: Documents
    settings: Settings
    engine: Engine
    tell: Callable[[str], None]
    """Shows one message to the user."""
    turned: Turned
    """Is told when the engine goes down or comes back."""
    outage: Outage = field(init=False)
    latest: Latest[Completion] = field(default_factory=Latest)
    numbers: count[int] = field(default_factory=lambda: count(1))
    stats: Stats = field(default_factory=Stats)
    told: set[str] = field(default_factory=set)
    watching: asyncio.Task[None] | None = None
    """The editor's process, which may die without a word."""
    last: Completion = field(default_factory=lambda: Completion(Reason.NOTHING))

    def __post_init__(self) -> None:
        self.outage = Outage(time.monotonic, self.tell, self.turned)
        self.documents.closed = self.latest.drop

    async def completion(self, where: Where, invoked: bool = False) -> Completion:
        """The one answer for this cursor. Raises nothing but CancelledError, when a newer question came."""
        self.stats.asked += 1
        question = (where.snapshot.version, where.offset, where.snapshot.text, invoked)
        return await self.latest.ask(
            uri_key(where.snapshot.uri), question, lambda: self.answer(where.snapshot, where.offset, invoked)
        )

    async def answer(self, snapshot: Snapshot, offset: int, invoked: bool) -> Completion:
        if (failure := self.outage.pause()) is not None:
            return failure
        settled = await self.documents.settled(snapshot)
        completion = await complete(settled, offset, self.engine, self.settings, invoked=invoked)
        self.outage.note(completion)
        self.last = completion
        self.stats.add(completion.counters)
        self.stats.shown += bool(completion.text)
        log.info(
            "%s: %s %s %s", snapshot.path or snapshot.uri, completion.reason, completion.timings, completion.counters
        )
        return completion

    async def use(self, values: object) -> None:
        """Take new settings into use at once; what is wrong in them is said once and changes nothing."""
        settings, problems = with_values(self.settings, values)
        for problem in problems:
            if problem not in self.told:
                self.told.add(problem)
                self.tell(problem)
        if settings == self.settings:
            return
        before, self.settings = self.settings, settings
        if engine_part(before) != engine_part(settings):
            self.latest.drop()
            old, self.engine = self.engine, engine_of(settings)
            self.outage.recovered()
            await old.close()

    def state(self) -> dict[str, object]:
        """For the user, in words."""
        failure = self.outage.failure if self.outage.is_told else None
        return {
            "state": "ready" if failure is None else "down",
            "reason": "" if failure is None else failure.detail,
            "engine": self.engine.name,
            "model": self.last.model,
            "last": str(self.last.reason),
            "accepted": self.stats.accepted,
        }

    async def close(self) -> None:
        self.latest.drop()
        await asyncio.sleep(0)  # lets the cancelled requests close their streams
        await self.engine.close()


def engine_part(settings: Settings) -> tuple[object, ...]:
    return settings.engine, settings.model, settings.host, settings.keepAlive, settings.contextLength
