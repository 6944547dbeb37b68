"""The composition root: what the server is made of, and what lasts from request to request."""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

from server.asking import Asking
from server.completion import Completion
from server.documents import Documents
from server.engines import Engine
from server.engines.selection import engine_of
from server.idle import Idle
from server.lane import Lane
from server.loop_watch import LoopWatch
from server.memory import Memory
from server.notebooks import Notebooks
from server.others import others
from server.outage import Outage
from server.scheduler import Machine, Scheduler, measure
from server.settings import NAMES, Settings, with_values
from server.stats import Stats
from server.where import Where

log = logging.getLogger(__name__)

Turned = Callable[[str, str], None]


@dataclass(slots=True)
class App:
    documents: Documents
    notebooks: Notebooks
    settings: Settings
    engine: Engine
    tell: Callable[[str], None]
    """Shows one message to the user."""
    turned: Turned
    """Is told when the engine goes down, comes back, or loads its model."""
    stats: Stats = field(default_factory=Stats)
    memory: Memory = field(default_factory=Memory)
    watch: LoopWatch = field(default_factory=LoopWatch)
    numbers: count[int] = field(default_factory=lambda: count(1))
    told: set[str] = field(default_factory=set)
    watching: asyncio.Task[None] | None = None
    """The editor's process, which may die without a word."""
    running: asyncio.Task[None] | None = None
    """Idle work."""
    lane: Lane = field(init=False)
    outage: Outage = field(init=False)
    scheduler: Scheduler = field(init=False)
    idle: Idle = field(init=False)
    asking: Asking = field(init=False)

    def __post_init__(self) -> None:
        self.lane = Lane(lambda: self.engine, self.stats.add)
        self.outage = Outage(time.monotonic, self.tell, self.turned)
        self.scheduler = Scheduler(time.monotonic, idle_machine if os.environ.get("KIREJI_TEST") == "1" else measure)
        self.idle = Idle(
            self.documents, self.lane, self.memory, self.scheduler, lambda: self.settings, self.is_down, self.turned
        )
        self.asking = Asking(
            self.documents, self.lane, self.memory, self.outage, self.idle, self.stats, lambda: self.settings
        )
        self.documents.opened = self.idle.opened
        self.documents.changed = self.changed
        self.documents.closed = self.closed

    async def completion(self, where: Where, invoked: bool = False, grows: bool = False) -> Completion:
        """The one answer for this cursor. Raises nothing but CancelledError."""
        return await self.asking.completion(where, invoked, grows)

    async def others(self, where: Where, first: Completion) -> list[Completion]:
        """Other answers at a cursor, for who asked by a key and may choose."""
        settled = await self.documents.settled(where.snapshot)
        return await others(settled, where.offset, first, self.lane, self.settings, self.asking.is_current)

    def start(self) -> None:
        """Give idle work its time, from now on."""
        if self.running is None:
            self.running = asyncio.create_task(self.scheduler.run())

    def is_down(self) -> bool:
        return self.outage.pause() is not None

    def changed(self, key: str) -> None:
        self.scheduler.typed()
        self.asking.changed(key)

    def closed(self, key: str) -> None:
        self.asking.closed(key)
        self.idle.closed(key)

    async def use(self, values: object) -> None:
        """Take new settings into use at once; what is wrong in them is said once and changes nothing."""
        settings, problems = with_values(self.settings, values)
        for problem in problems:
            if problem not in self.told:
                self.told.add(problem)
                self.tell(problem)
        self.asking.habit.forget()  # an editor's own settings, of which nothing is known here, may have turned it off
        if settings == self.settings:
            return
        before, self.settings = self.settings, settings
        log.info(
            "new settings: %s", ", ".join(name for name in NAMES if getattr(before, name) != getattr(settings, name))
        )
        if engine_part(before) != engine_part(settings):
            self.asking.closed()
            self.memory.forget()
            self.asking.model = ""
            self.lane.account.forget()
            old, self.engine = self.engine, engine_of(settings)
            self.outage.recovered()
            await old.close()

    async def forget(self) -> None:
        """Every answer, in memory and on disk."""
        self.memory.forget()
        await self.asking.disk.forget()

    def state(self) -> dict[str, object]:
        """For the user, in words."""
        failure = self.outage.failure if self.outage.is_told else None
        last = self.asking.last
        return {
            "state": "ready" if failure is None else "down",
            "reason": "" if failure is None else failure.detail,
            "engine": self.engine.name,
            "model": last.model,
            "last": str(last.reason),
            "accepted": self.stats.accepted,
        }

    async def close(self) -> None:
        self.watch.close()
        self.asking.close()
        await self.scheduler.close()
        await self.asking.disk.close()
        await self.lane.close()
        await asyncio.sleep(0)  # lets the cancelled requests close their streams
        await self.engine.close()


async def idle_machine() -> Machine:
    """For tests, which run on machines that are busy."""
    return Machine()


def engine_part(settings: Settings) -> tuple[object, ...]:
    return settings.engine, settings.model, settings.host, settings.keepAlive, settings.contextLength
