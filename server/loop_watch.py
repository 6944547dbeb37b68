"""How long the event loop is held, as a histogram; for benchmarks, since it wakes up every two milliseconds.

Two figures for each sample: how late a timer came, which on a busy machine is mostly the fault of others; and how much
of that time this thread worked, which is the time for which the loop was held.
"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from dataclasses import dataclass, field

PERIOD = 0.002
BORDERS = (1, 2, 4, 6, 8, 10, 15, 20, 50, 100)
"""Milliseconds; what is more goes into one more group."""


@dataclass(slots=True)
class LoopWatch:
    late: list[int] = field(default_factory=lambda: [0] * (len(BORDERS) + 1))
    held: list[int] = field(default_factory=lambda: [0] * (len(BORDERS) + 1))
    longest: float = 0.0
    """Milliseconds for which the loop was held."""
    running: asyncio.Task[None] | None = None

    def start(self) -> None:
        if self.running is None:
            self.running = asyncio.create_task(self.run())

    async def run(self) -> None:
        while True:
            begin, worked = time.perf_counter(), time.thread_time()
            await asyncio.sleep(PERIOD)
            self.note(time.perf_counter() - begin - PERIOD, time.thread_time() - worked)

    def note(self, late: float, worked: float) -> None:
        """Seconds."""
        held = max(min(late, worked), 0.0) * 1000
        self.late[bisect_left(BORDERS, late * 1000)] += 1
        self.held[bisect_left(BORDERS, held)] += 1
        self.longest = max(self.longest, held)

    def as_dict(self) -> dict[str, object]:
        return {"borders_ms": list(BORDERS), "late": self.late, "held": self.held, "longest_ms": round(self.longest, 2)}

    def close(self) -> None:
        if self.running is not None:
            self.running.cancel()
