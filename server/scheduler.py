"""Idle-time work in small slices, modelled on the browser's `requestIdleCallback`.

Knows no protocol, no engine and no index: work comes as generators and async callables. Made for one event loop;
nothing here may be called from another thread.
"""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Awaitable, Callable, Generator, Hashable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TypeAlias

import psutil

log = logging.getLogger(__name__)

Slices: TypeAlias = Generator[object, None, object]  # each `next()` is a slice of the CPU, of at most `SLICE`
EngineSlice: TypeAlias = Callable[[], Awaitable[bool]]  # each call is one bounded slice; tells if there is more

SLICE = 0.004
FRAME = 0.008  # seconds of CPU work in a row: the event loop is held for less than 10 ms
REST = 0.004  # seconds between two frames: a message takes several turns of the loop before it is a live request
MEASURE_EVERY = 5.0  # seconds for which a measurement of the machine is believed
BUSY = 1.5  # load per core; the engine alone brings up to 1: from here on somebody else wants the machine
LOW = 30.0  # per cent of the battery, while nothing charges it
FEW_CORES = 4  # the engine takes them all: two threads of it beside one other fall from 17 to 1 token a second
FINISHED = object()


class Kind(Enum):
    """What the work is for, most urgent first."""

    GROW = auto()  # go on with the shown suggestion
    SPECULATE = auto()  # answer as if it were accepted
    WARM = auto()  # read the prompt of the next key into the engine's cache
    WIDEN = auto()  # read more of the file, for better answers later
    OVERLAY = auto()  # index the buffer that is not saved
    EMBED = auto()
    INDEX = auto()  # index the disk


@dataclass(frozen=True, slots=True)
class Rule:
    quiet: float  # seconds since the last keystroke before it may run
    latest: float  # seconds in the queue without a slice of this kind; then one comes although it is not quiet
    engine: bool = False  # needs the engine's one lane
    heavy: bool = False  # on the CPU: on few cores not while the engine generates
    essential: bool = False  # goes on while the battery is low or the machine is busy
    next_key: bool = False  # of use for the next key only: not while the editor has no focus
    from_any_key: bool = False  # quiet counts from the last key, also where that was as good as none


RULES = {
    # Whoever types on presses the next key within 0.15 s; its own request goes first.
    Kind.GROW: Rule(0.15, 1.0, engine=True, essential=True, next_key=True),
    # Whoever has not typed for 0.3 s reads the suggestion, and may accept it.
    Kind.SPECULATE: Rule(0.3, 30.0, engine=True, next_key=True),
    # A slice holds the lane for up to a second, so in a pause; without any pause a warm cache is needed all the same.
    Kind.WARM: Rule(0.3, 3.0, engine=True, essential=True, next_key=True),
    # Worth little to each answer, and the lane is held for a while: where one thinks, not between two words.
    Kind.WIDEN: Rule(2.0, 30.0, engine=True, next_key=True, from_any_key=True),
    # Names just typed are asked for at the next pause, and soon also without one.
    Kind.OVERLAY: Rule(0.3, 2.0, heavy=True),
    # Costs the lane and the CPU, and only betters a ranking: while the user thinks or is away.
    Kind.EMBED: Rule(2.0, 120.0, engine=True, heavy=True),
    # Long, and of use as a whole; the slices that come anyway only keep it from standing still.
    Kind.INDEX: Rule(2.0, 30.0, heavy=True),
}


@dataclass(frozen=True, slots=True)
class Machine:
    """What was measured; what can't be is left open."""

    cores: int = 1
    load: float = 0.0  # per core, over a minute
    battery: float = 100.0  # per cent left while nothing charges it; 100 where something does, or there is none


async def measure() -> Machine:
    """The gates of this machine. In a thread: some firmware takes long to tell of its battery."""
    return await asyncio.to_thread(measured)


@dataclass(slots=True, eq=False)
class Piece:
    kind: Kind
    key: Hashable
    document: str | None
    work: Slices | EngineSlice
    since: float  # when it was queued, or what it replaces
    quiet: float  # seconds since the last keystroke, where it needs more of them than its kind


@dataclass(slots=True, eq=False)
class Scheduler:
    now: Callable[[], float]
    """Seconds; monotonic, and finer than a millisecond everywhere (`time.perf_counter`)."""
    gates: Callable[[], Awaitable[Machine]] = measure
    overruns: int = field(default=0, init=False)  # slices of the CPU that took longer than `SLICE`
    queues: dict[Kind, dict[Hashable, Piece]] = field(default_factory=lambda: {kind: {} for kind in Kind}, init=False)
    served: dict[Kind, float] = field(default_factory=dict, init=False)  # when each kind began its last slice
    last_key: float = field(default=-math.inf, init=False)  # that keeps others waiting
    pressed: float = field(default=-math.inf, init=False)
    lives: int = field(default=0, init=False)
    generations: int = field(default=0, init=False)
    focused: bool = field(default=True, init=False)
    machine: Machine = field(default_factory=Machine, init=False)
    measured_at: float = field(default=-math.inf, init=False)
    slicing: Piece | None = field(default=None, init=False)  # on the CPU right now
    lane: asyncio.Task[None] | None = field(default=None, init=False)  # the last slice in the engine
    changed: asyncio.Event = field(default_factory=asyncio.Event, init=False)
    closed: bool = field(default=False, init=False)

    def typed(self) -> None:
        """A key was pressed. Wakes nobody: it can only put work off."""
        self.last_key = self.pressed = self.now()

    @property
    def quiet(self) -> float:
        """Seconds since the last keystroke."""
        return self.now() - self.pressed

    def rested(self) -> None:
        """The key before is as good as none: the next one will hardly need the engine."""
        self.last_key = -math.inf
        self.changed.set()

    @contextmanager
    def live(self) -> Iterator[None]:
        """Around a live request: no slice starts meanwhile. A slice in the engine ends by itself."""
        self.lives += 1
        try:
            yield
        finally:
            self.lives -= 1
            self.changed.set()

    @contextmanager
    def generating(self) -> Iterator[None]:
        """While the engine works for somebody else than this scheduler, live or not."""
        self.generations += 1
        try:
            yield
        finally:
            self.generations -= 1
            self.changed.set()

    def focus(self, focused: bool) -> None:
        """Whether the editor has the focus; true until told."""
        self.focused = focused
        self.changed.set()

    def add(
        self, kind: Kind, key: Hashable, work: Slices | EngineSlice, document: str | None = None, quiet: float = 0.0
    ) -> None:
        """Queue work; it takes the place of the same key's older work of this kind, and its time of waiting."""
        if isinstance(work, Generator) is RULES[kind].engine:
            raise TypeError(f"{kind.name} takes {'an async callable' if RULES[kind].engine else 'a generator'}")
        older = self.queues[kind].get(key)
        self.queues[kind][key] = Piece(kind, key, document, work, older.since if older else self.now(), quiet)
        if older:
            self._end(older)
        if self.closed:
            self.drop(key)
        self.changed.set()

    def drop(self, key: Hashable) -> None:
        """Drop this key's work of every kind."""
        self._drop(lambda piece: piece.key == key)

    def drop_document(self, document: str) -> None:
        self._drop(lambda piece: piece.document == document)

    def next_due(self, now: float) -> Piece | float:
        """The piece of work that gets a slice now, or the seconds until one could if nothing else changes.

        Work past its latest time comes first. Each kind has that once in its latest time, so this holds up what is
        more urgent for one slice only. A piece is finished before the next of its kind, except for those slices,
        which go round.
        """
        if self.lives:
            return math.inf
        heads = [next(iter(queue.values())) for queue in self.queues.values() if queue]
        moments = [(self._moments(head), head) for head in heads if not self._is_shut(RULES[head.kind])]
        late = [(at, head) for (_, at), head in moments if at <= now]
        if late:
            return min(late, key=lambda pair: pair[0])[1]
        quiet = [head for (at, _), head in moments if at <= now]
        return quiet[0] if quiet else min((min(both) - now for both, _ in moments), default=math.inf)

    async def run(self) -> None:
        """Give slices until `close`; in between, sleep until the next moment at which anything could run."""
        try:
            while not self.closed:
                self.changed.clear()
                if any(self.queues.values()) and self.now() >= self.measured_at + MEASURE_EVERY:
                    self.machine = await self.gates()
                    self.measured_at = self.now()
                due = self.next_due(self.now())
                if isinstance(due, Piece):
                    self._frame()
                    await asyncio.sleep(REST)
                    continue
                with suppress(TimeoutError):
                    async with asyncio.timeout(None if due == math.inf else due):
                        await self.changed.wait()
        finally:
            if self.lane is not None:
                self.lane.cancel()

    async def close(self) -> None:
        """Drop everything and close the engine's stream; no slice begins after this, and `run` returns."""
        self.closed = True
        self.changed.set()
        self._drop(lambda piece: True)
        if self.lane is not None:
            self.lane.cancel()
            await asyncio.wait([self.lane])

    def _is_shut(self, rule: Rule) -> bool:
        """Whether it waits for something that wakes the loop when it comes."""
        engine_busy = self.generations > 0 or (self.lane is not None and not self.lane.done())
        needs_quiet_engine = rule.engine or (rule.heavy and self.machine.cores <= FEW_CORES)
        return (engine_busy and needs_quiet_engine) or (rule.next_key and not self.focused)

    def _moments(self, head: Piece) -> tuple[float, float]:
        """When it is quiet enough for this piece, and when it gets a slice anyway.

        On a busy machine it is never quiet, until the next measurement; a low battery puts off both.
        """
        rule = RULES[head.kind]
        quiet = (self.pressed if rule.from_any_key else self.last_key) + max(rule.quiet, head.quiet)
        late = max(head.since, self.served.get(head.kind, -math.inf)) + rule.latest
        believed = -math.inf if rule.essential else self.measured_at + MEASURE_EVERY
        if self.machine.battery < LOW:
            return max(quiet, believed), max(late, believed)
        return (max(quiet, believed) if self.machine.load >= BUSY else quiet), late

    def _frame(self) -> None:
        end = self.now() + FRAME
        while end - (now := self.now()) > SLICE and isinstance(due := self.next_due(now), Piece):
            self._give(due, now)

    def _give(self, piece: Piece, now: float) -> None:
        queue = self.queues[piece.kind]
        if self._moments(piece)[1] <= now:
            queue[piece.key] = queue.pop(piece.key)  # to the end: the next late slice is another's
        self.served[piece.kind] = now
        if isinstance(piece.work, Generator):
            self._slice(piece, piece.work)
        else:
            self.lane = asyncio.create_task(self._engine_slice(piece, piece.work))

    def _slice(self, piece: Piece, work: Slices) -> None:
        begun, more = self.now(), False
        self.slicing = piece
        with logged(piece):
            more = next(work, FINISHED) is not FINISHED
        self.slicing = None
        self._settle(piece, more)
        self.overruns += self.now() - begun > SLICE

    async def _engine_slice(self, piece: Piece, work: EngineSlice) -> None:
        more = False
        try:
            with logged(piece):
                more = await work()
        finally:
            self._settle(piece, more)
            self.changed.set()

    def _settle(self, piece: Piece, more: bool) -> None:
        """After a slice: out of the queue what is finished; ended, what was dropped or replaced during the slice."""
        queue = self.queues[piece.kind]
        if queue.get(piece.key) is not piece:
            self._end(piece)
        elif not more:
            del queue[piece.key]

    def _drop(self, chosen: Callable[[Piece], bool]) -> None:
        for queue in self.queues.values():
            for piece in [piece for piece in queue.values() if chosen(piece)]:
                del queue[piece.key]
                self._end(piece)

    def _end(self, piece: Piece) -> None:
        """Close the generator, unless this is called from within it: then after its slice."""
        if isinstance(piece.work, Generator) and piece is not self.slicing:
            with logged(piece):
                piece.work.close()


@contextmanager
def logged(piece: Piece) -> Iterator[None]:
    """What goes wrong in a piece of work is its own affair; being cancelled goes through."""
    try:
        yield
    except Exception:
        log.exception("idle work was dropped: %s %s", piece.kind.name, piece.key)


def measured() -> Machine:
    untold = (AttributeError, NotImplementedError, OSError, RuntimeError, ValueError, psutil.Error)
    cores, load, battery = psutil.cpu_count() or 1, 0.0, 100.0
    with suppress(*untold):
        load = psutil.getloadavg()[0] / cores
    with suppress(*untold):
        state = psutil.sensors_battery()
        if state is not None and state.power_plugged is False:
            battery = float(state.percent)
    return Machine(cores, load, battery)
