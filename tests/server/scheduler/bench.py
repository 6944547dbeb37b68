"""On a clock that jumps to the next timer: exact, and nothing sleeps."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Generator
from typing import Any

from server.scheduler import (
    FEW_CORES,
    RULES,
    EngineSlice,
    Kind,
    Machine,
    Piece,
    Scheduler,
    Slices,
)

CPU = [kind for kind in Kind if not RULES[kind].engine]
ENGINE = [kind for kind in Kind if RULES[kind].engine]
HEAVY = [kind for kind in Kind if RULES[kind].heavy]
ESSENTIAL = [Kind.GROW, Kind.WARM]
ROOMY = Machine(cores=FEW_CORES + 1)
START = 1000.0


class Jump(selectors.DefaultSelector):
    """Waits for nothing: the clock goes on instead. `waits` is what the loop would have slept."""

    def __init__(self) -> None:
        super().__init__()
        self.time = START
        self.waits: list[float] = []

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "everything waits, and nothing could wake it"
        if timeout > 0:
            self.waits.append(timeout)
            self.time += timeout
        return super().select(0)


class JumpLoop(asyncio.SelectorEventLoop):
    def __init__(self, jump: Jump) -> None:
        self.jump = jump
        super().__init__(jump)

    def time(self) -> float:
        return self.jump.time


class Bench:
    """A scheduler, work that leaves a trace, and a clock to turn."""

    def __init__(self, machine: Machine = ROOMY) -> None:
        self.clock = Jump()
        self.machine = machine
        self.measured: list[float] = []
        self.trace: list[str] = []
        self.ended: list[str] = []
        self.scheduler = Scheduler(lambda: self.clock.time, self.gates)
        self.scheduler.machine, self.scheduler.measured_at = machine, START

    @property
    def time(self) -> float:
        return self.clock.time - START

    async def gates(self) -> Machine:
        self.measured.append(round(self.time, 6))
        return self.machine

    def cpu(self, name: str, slices: int = 1, seconds: float = 0.001) -> Slices:
        def work() -> Generator[None, None, None]:
            try:
                for _ in range(slices):
                    self.trace.append(name)
                    self.clock.time += seconds
                    yield
            finally:
                self.ended.append(name)

        return work()

    def slices(self, name: str, slices: int = 1, seconds: float = 0.5) -> EngineSlice:
        left = slices

        async def work() -> bool:
            nonlocal left
            self.trace.append(name)
            left -= 1
            try:
                await asyncio.sleep(seconds)
            finally:
                self.ended.append(name)
            return left > 0

        return work

    def add(self, kind: Kind, name: str | None = None, slices: int = 1, document: str | None = None) -> None:
        name = name or kind.name
        work = self.slices(name, slices) if RULES[kind].engine else self.cpu(name, slices)
        self.scheduler.add(kind, name, work, document)

    def due(self) -> str | float:
        """The key that gets a slice now, or the seconds to wait."""
        due = self.scheduler.next_due(self.clock.time)
        return str(due.key) if isinstance(due, Piece) else round(due, 6)

    def play(self, story: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run the story beside the scheduler's loop; afterwards that is closed, and has ended."""

        async def scene() -> None:
            loop = asyncio.create_task(self.scheduler.run())
            try:
                await story()
            finally:
                await self.scheduler.close()
                await loop

        self.run(scene())

    def run(self, scene: Coroutine[Any, Any, None]) -> None:
        with asyncio.Runner(loop_factory=lambda: JumpLoop(self.clock)) as runner:
            runner.run(scene)


def started(bench: Bench) -> list[tuple[float, str]]:
    """Note the moment of each slice from here on."""
    moments: list[tuple[float, str]] = []

    class Trace(list[str]):
        def append(self, name: str) -> None:
            moments.append((round(bench.time, 3), name))
            super().append(name)

    bench.trace = Trace()
    return moments
