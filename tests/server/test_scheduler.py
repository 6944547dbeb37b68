"""On a clock that jumps to the next timer: exact, and nothing sleeps."""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine, Generator
from inspect import GEN_CLOSED, getgeneratorstate
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from server.scheduler import (
    BUSY,
    FEW_CORES,
    FRAME,
    LOW,
    MEASURE_EVERY,
    REST,
    RULES,
    EngineSlice,
    Kind,
    Machine,
    Piece,
    Scheduler,
    Slices,
    measure,
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


# What is due


def test_without_work_it_waits_for_ever() -> None:
    assert Bench().due() == math.inf


def test_the_most_urgent_kind_goes_first() -> None:
    bench = Bench()
    for kind in reversed(Kind):
        bench.add(kind)
    order = []
    for _ in Kind:
        order.append(bench.due())
        bench.scheduler.drop(order[-1])
    assert order == ["GROW", "SPECULATE", "WARM", "OVERLAY", "EMBED", "INDEX"]


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_waits_for_its_quiet_time(kind: Kind) -> None:
    bench, quiet = Bench(), RULES[kind].quiet
    bench.scheduler.typed()
    bench.add(kind)
    assert bench.due() == quiet > 0
    bench.clock.time += quiet - 0.01
    assert bench.due() == 0.01
    bench.scheduler.typed()
    assert bench.due() == quiet
    bench.clock.time += quiet + 0.001
    assert bench.due() == kind.name


@pytest.mark.parametrize("kind", Kind)
def test_after_its_latest_time_each_kind_is_due_although_it_is_not_quiet(kind: Kind) -> None:
    bench, rule = Bench(), RULES[kind]
    bench.add(kind)
    bench.clock.time += rule.latest - 0.01
    bench.scheduler.typed()
    assert bench.due() == 0.01
    bench.clock.time += 0.011
    bench.scheduler.typed()
    assert bench.due() == kind.name


def test_what_is_late_goes_before_what_is_more_urgent_and_the_latest_first() -> None:
    bench = Bench()
    bench.add(Kind.INDEX)
    bench.clock.time += RULES[Kind.INDEX].latest - RULES[Kind.OVERLAY].latest + 1
    bench.add(Kind.OVERLAY)
    bench.clock.time += RULES[Kind.OVERLAY].latest + 1
    bench.add(Kind.GROW)
    order = []
    for _ in range(3):
        order.append(bench.due())
        bench.scheduler.drop(order[-1])
    assert order == ["INDEX", "OVERLAY", "GROW"]


def test_nothing_is_due_while_anything_live_runs_however_late_it_is() -> None:
    bench = Bench()
    for kind in Kind:
        bench.add(kind)
    bench.clock.time += 1000
    with bench.scheduler.live():
        with bench.scheduler.live():
            assert bench.due() == math.inf
        assert bench.due() == math.inf
    assert bench.due() != math.inf


def test_a_live_request_that_fails_is_over() -> None:
    bench = Bench()
    bench.add(Kind.GROW)
    with pytest.raises(ValueError), bench.scheduler.live():
        raise ValueError
    assert bench.due() == "GROW"


def test_work_of_the_wrong_form_is_refused() -> None:
    bench = Bench()
    for kind in CPU:
        with pytest.raises(TypeError, match="generator"):
            bench.scheduler.add(kind, "x", bench.slices("x"))
    for kind in ENGINE:
        with pytest.raises(TypeError, match="async"):
            bench.scheduler.add(kind, "x", bench.cpu("x"))
    assert bench.due() == math.inf


# The queue


def test_the_newest_work_of_a_key_replaces_the_older_of_its_kind_only() -> None:
    bench = Bench()

    async def story() -> None:
        bench.scheduler.add(Kind.OVERLAY, "a", bench.cpu("older", 9))
        bench.scheduler.add(Kind.INDEX, "a", bench.cpu("disk"))
        bench.scheduler.add(Kind.OVERLAY, "a", bench.cpu("newer"))
        await asyncio.sleep(1)

    bench.play(story)
    assert bench.trace == ["newer", "disk"]


def test_the_replaced_generator_is_closed() -> None:
    bench = Bench()

    async def story() -> None:
        bench.scheduler.add(Kind.OVERLAY, "a", bench.cpu("older", 1000))
        await asyncio.sleep(0.02)
        assert bench.ended == []
        bench.scheduler.add(Kind.OVERLAY, "a", bench.cpu("newer"))
        assert bench.ended == ["older"]
        await asyncio.sleep(0.02)

    bench.play(story)
    assert bench.trace[-1] == "newer"


def test_replacing_does_not_put_off_the_latest_time() -> None:
    bench = Bench()
    moments = started(bench)

    async def story() -> None:
        for _ in range(50):
            bench.scheduler.typed()
            bench.add(Kind.OVERLAY)
            await asyncio.sleep(0.1)

    bench.play(story)
    latest = RULES[Kind.OVERLAY].latest
    assert moments[0] == (latest, "OVERLAY")


def test_work_is_dropped_by_key_and_by_document() -> None:
    bench = Bench()
    bench.add(Kind.GROW, "grow", document="a")
    bench.add(Kind.OVERLAY, "one", document="a")
    bench.add(Kind.OVERLAY, "two", document="b")
    bench.add(Kind.INDEX, "disk")
    bench.scheduler.drop_document("a")
    assert bench.due() == "two"
    bench.scheduler.drop("two")
    assert bench.due() == "disk"
    bench.scheduler.drop("disk")
    assert bench.due() == math.inf


def test_a_dropped_generator_is_closed_and_not_gone_on_with() -> None:
    bench = Bench()

    async def story() -> None:
        bench.add(Kind.INDEX, "disk", slices=1000)
        await asyncio.sleep(0.02)
        bench.scheduler.drop("disk")
        assert bench.ended == ["disk"]
        given = len(bench.trace)
        await asyncio.sleep(0.1)
        assert len(bench.trace) == given > 0

    bench.play(story)


def test_work_may_replace_and_drop_itself(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()

    def replacing() -> Generator[None, None, None]:
        bench.trace.append("replacing")
        bench.scheduler.add(Kind.INDEX, "a", second)
        yield
        bench.trace.append("never")

    def dropping() -> Generator[None, None, None]:
        bench.trace.append("dropping")
        bench.scheduler.drop("a")
        yield
        bench.trace.append("never")

    first, second = replacing(), dropping()

    async def story() -> None:
        bench.scheduler.add(Kind.INDEX, "a", first)
        await asyncio.sleep(0.1)
        assert bench.due() == math.inf

    bench.play(story)
    assert bench.trace == ["replacing", "dropping"]
    assert [getgeneratorstate(work) for work in (first, second)] == [GEN_CLOSED] * 2
    assert caplog.records == []


def test_a_piece_is_finished_before_the_next_of_its_kind() -> None:
    bench = Bench()

    async def story() -> None:
        bench.add(Kind.INDEX, "a", slices=3)
        bench.add(Kind.INDEX, "b", slices=2)
        await asyncio.sleep(0.1)

    bench.play(story)
    assert bench.trace == ["a", "a", "a", "b", "b"]


def test_under_endless_typing_a_kind_gets_one_slice_in_its_latest_time_and_its_pieces_take_turns() -> None:
    bench = Bench()
    moments = started(bench)

    async def story() -> None:
        bench.add(Kind.INDEX, "a", slices=9)
        bench.add(Kind.INDEX, "b", slices=9)
        for _ in range(int(3.5 * RULES[Kind.INDEX].latest * 8)):
            bench.scheduler.typed()
            await asyncio.sleep(0.125)

    bench.scheduler.typed()
    bench.play(story)
    assert [name for _, name in moments] == ["a", "b", "a"]
    assert [round(at / RULES[Kind.INDEX].latest, 2) for at, _ in moments] == [1, 2, 3]


def test_nothing_starves_beside_work_that_never_ends() -> None:
    bench = Bench(Machine(cores=1))

    async def story() -> None:
        bench.add(Kind.GROW, slices=10**6)
        for kind in Kind:
            bench.add(kind, slices=10**6)
        await asyncio.sleep(3 * max(rule.latest for rule in RULES.values()))

    bench.play(story)
    assert set(bench.trace) == {kind.name for kind in Kind}


# The loop


def test_it_sleeps_exactly_until_the_next_moment_and_does_not_poll() -> None:
    bench = Bench()
    moments = started(bench)
    quiet = RULES[Kind.INDEX].quiet

    async def story() -> None:
        bench.scheduler.typed()
        await asyncio.sleep(1)
        bench.add(Kind.INDEX)
        await asyncio.sleep(quiet + 60)

    bench.play(story)
    assert moments == [(quiet, "INDEX")]
    assert [round(wait, 3) for wait in bench.clock.waits] == [1, quiet - 1, REST, round(61 - 0.001 - REST, 3)]


def test_a_key_during_the_sleep_puts_the_work_off() -> None:
    bench = Bench()
    moments = started(bench)

    async def story() -> None:
        bench.scheduler.typed()
        bench.add(Kind.INDEX)
        await asyncio.sleep(1)
        bench.scheduler.typed()
        await asyncio.sleep(10)

    bench.play(story)
    assert moments == [(1 + RULES[Kind.INDEX].quiet, "INDEX")]


def test_the_loop_is_never_held_for_10_ms() -> None:
    bench = Bench()
    turns: list[float] = []

    async def story() -> None:
        bench.scheduler.add(Kind.OVERLAY, "buffer", bench.cpu("buffer", slices=20, seconds=0.003))
        bench.scheduler.add(Kind.INDEX, "disk", bench.cpu("disk", slices=50, seconds=0.0007))
        while len(bench.ended) < 2:
            turns.append(bench.time)
            await asyncio.sleep(0.001)

    bench.play(story)
    held = [after - before - 0.001 for before, after in pairwise(turns)]
    assert 0.005 < max(held) <= FRAME < 0.01


def test_between_two_frames_a_message_has_as_many_turns_as_it_needs() -> None:
    bench = Bench()

    async def story() -> None:
        bench.add(Kind.INDEX, slices=1000)
        await asyncio.sleep(0.001)
        given = len(bench.trace)
        for _ in range(100):
            await asyncio.sleep(0)
        assert len(bench.trace) == given > 0

    bench.play(story)


def test_no_slice_begins_with_less_than_a_slice_left_in_the_frame() -> None:
    bench = Bench()
    moments = started(bench)

    async def story() -> None:
        bench.scheduler.add(Kind.INDEX, "disk", bench.cpu("disk", slices=6, seconds=0.003))
        await asyncio.sleep(1)

    bench.play(story)
    frame = 0.006 + REST
    assert [at for at, _ in moments] == pytest.approx([0, 0.003, frame, frame + 0.003, 2 * frame, 2 * frame + 0.003])


def test_a_slice_that_takes_too_long_is_counted() -> None:
    bench = Bench()

    async def story() -> None:
        bench.scheduler.add(Kind.INDEX, "short", bench.cpu("short", slices=3, seconds=0.0039))
        await asyncio.sleep(1)
        assert bench.scheduler.overruns == 0
        bench.scheduler.add(Kind.INDEX, "long", bench.cpu("long", slices=3, seconds=0.0041))
        await asyncio.sleep(1)
        assert bench.scheduler.overruns == 3

    bench.play(story)


def test_a_live_request_stops_the_generator_where_it_is_and_it_goes_on_afterwards() -> None:
    bench = Bench()

    async def story() -> None:
        bench.add(Kind.INDEX, slices=50)
        await asyncio.sleep(0.01)
        with bench.scheduler.live():
            given = len(bench.trace)
            await asyncio.sleep(100)
            assert len(bench.trace) == given > 0
        await asyncio.sleep(1)

    bench.play(story)
    assert bench.trace == ["INDEX"] * 50
    assert bench.ended == ["INDEX"]


def test_a_slice_in_the_engine_is_not_aborted_by_a_live_request_and_none_follows() -> None:
    bench = Bench()

    async def story() -> None:
        bench.add(Kind.WARM, slices=3)
        await asyncio.sleep(0.1)
        with bench.scheduler.live():
            await asyncio.sleep(10)
            assert (bench.trace, bench.ended) == (["WARM"], ["WARM"])
        await asyncio.sleep(10)

    bench.play(story)
    assert bench.trace == ["WARM"] * 3


def test_of_all_engine_kinds_one_slice_runs_at_a_time() -> None:
    bench = Bench()
    running, most = 0, 0

    def counted(name: str) -> EngineSlice:
        work = bench.slices(name, 2)

        async def slice_() -> bool:
            nonlocal running, most
            running += 1
            most = max(most, running)
            try:
                return await work()
            finally:
                running -= 1

        return slice_

    async def story() -> None:
        for kind in ENGINE:
            bench.scheduler.add(kind, kind.name, counted(kind.name))
        await asyncio.sleep(100)

    bench.play(story)
    assert bench.trace == [kind.name for kind in ENGINE for _ in range(2)]
    assert most == 1


def test_engine_slices_follow_each_other_without_a_gap() -> None:
    bench = Bench()
    moments = started(bench)

    async def story() -> None:
        bench.add(Kind.WARM, slices=3)
        await asyncio.sleep(10)

    bench.play(story)
    assert [at for at, _ in moments] == [0, 0.5, 1]


def test_an_engine_slice_that_never_waits_does_not_hold_the_loop() -> None:
    bench = Bench()

    async def at_once() -> bool:
        bench.trace.append("x")
        return True

    async def story() -> None:
        bench.scheduler.add(Kind.WARM, "x", at_once)
        await asyncio.sleep(0.1)

    bench.play(story)
    assert 1 < len(bench.trace) < 100


@pytest.mark.parametrize("left", [1, 9])
def test_replaced_in_the_engine_the_older_slice_ends_and_the_newer_follows(left: int) -> None:
    bench = Bench()

    async def story() -> None:
        bench.scheduler.add(Kind.WARM, "a", bench.slices("older", left))
        await asyncio.sleep(0.1)
        bench.scheduler.add(Kind.WARM, "a", bench.slices("newer", 2))
        await asyncio.sleep(10)

    bench.play(story)
    assert bench.trace == ["older", "newer", "newer"]


def test_dropped_in_the_engine_the_slice_is_the_last() -> None:
    bench = Bench()

    async def story() -> None:
        bench.add(Kind.WARM, "a", slices=9)
        await asyncio.sleep(0.1)
        bench.scheduler.drop("a")
        await asyncio.sleep(10)

    bench.play(story)
    assert bench.trace == ["a"]
    assert bench.due() == math.inf


# Gates


@pytest.mark.parametrize("kind", Kind)
def test_on_a_low_battery_only_the_essential_runs_however_late(kind: Kind) -> None:
    bench = Bench(Machine(cores=ROOMY.cores, battery=LOW - 1))
    bench.add(kind)
    assert bench.due() == (kind.name if kind in ESSENTIAL else MEASURE_EVERY)
    bench.clock.time += 1000
    bench.scheduler.measured_at = bench.clock.time
    assert bench.due() == (kind.name if kind in ESSENTIAL else MEASURE_EVERY)
    bench.scheduler.machine = Machine(cores=ROOMY.cores, battery=LOW)
    assert bench.due() == kind.name


@pytest.mark.parametrize("kind", Kind)
def test_on_a_busy_machine_only_the_essential_runs_until_the_rest_is_late(kind: Kind) -> None:
    bench = Bench(Machine(cores=ROOMY.cores, load=BUSY))
    bench.add(kind)
    assert bench.due() == (kind.name if kind in ESSENTIAL else min(MEASURE_EVERY, RULES[kind].latest))
    bench.clock.time += RULES[kind].latest + 0.001
    bench.scheduler.measured_at = bench.clock.time
    assert bench.due() == kind.name


@pytest.mark.parametrize("kind", Kind)
def test_without_the_focus_nothing_is_done_for_the_next_key(kind: Kind) -> None:
    bench = Bench()
    bench.add(kind)
    bench.scheduler.focus(False)
    assert bench.due() == (math.inf if kind in (Kind.GROW, Kind.SPECULATE, Kind.WARM) else kind.name)
    bench.scheduler.focus(True)
    assert bench.due() == kind.name


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("cores", [FEW_CORES, FEW_CORES + 1])
def test_while_the_engine_generates_its_lane_is_taken_and_few_cores_too(kind: Kind, cores: int) -> None:
    bench = Bench(Machine(cores))
    bench.add(kind)
    with bench.scheduler.generating():
        runs = kind in CPU and cores > FEW_CORES
        assert bench.due() == (kind.name if runs else math.inf)
    assert bench.due() == kind.name


@pytest.mark.parametrize("cores", [FEW_CORES, FEW_CORES + 1])
def test_a_slice_in_the_engine_keeps_heavy_work_from_few_cores(cores: int) -> None:
    bench = Bench(Machine(cores))
    moments = started(bench)

    async def story() -> None:
        bench.add(Kind.WARM)
        bench.add(Kind.INDEX)
        await asyncio.sleep(10)

    bench.play(story)
    assert {name: at for at, name in moments}["INDEX"] == (0.5 if cores == FEW_CORES else 0)


def test_what_a_gate_held_back_begins_as_soon_as_it_opens() -> None:
    bench = Bench()
    moments = started(bench)

    async def story() -> None:
        bench.scheduler.focus(False)
        bench.add(Kind.WARM)
        await asyncio.sleep(7)
        bench.scheduler.focus(True)
        await asyncio.sleep(1)
        with bench.scheduler.generating():
            bench.add(Kind.GROW)
            await asyncio.sleep(7)
        await asyncio.sleep(1)
        with bench.scheduler.live():
            bench.add(Kind.OVERLAY)
            await asyncio.sleep(7)
        await asyncio.sleep(1)

    bench.play(story)
    assert moments == [(7, "WARM"), (15, "GROW"), (23, "OVERLAY")]


def test_the_machine_is_measured_every_few_seconds_and_only_for_work() -> None:
    bench = Bench(Machine(cores=8, battery=LOW - 1))
    bench.scheduler.measured_at = -math.inf
    moments = started(bench)

    async def story() -> None:
        await asyncio.sleep(100)
        assert bench.measured == []
        bench.add(Kind.INDEX, slices=50)
        await asyncio.sleep(2.4 * MEASURE_EVERY)
        bench.machine = ROOMY
        await asyncio.sleep(100)

    bench.play(story)
    assert bench.measured == [100, 100 + MEASURE_EVERY, 100 + 2 * MEASURE_EVERY, 100 + 3 * MEASURE_EVERY]
    assert len(moments) == 50
    assert moments[0] == (100 + 3 * MEASURE_EVERY, "INDEX")


@pytest.mark.parametrize(
    ("state", "battery"),
    [
        (SimpleNamespace(percent=20, power_plugged=False), 20),
        (SimpleNamespace(percent=20, power_plugged=True), 100),
        (SimpleNamespace(percent=20, power_plugged=None), 100),
        (None, 100),
    ],
)
def test_a_battery_counts_while_nothing_charges_it(
    monkeypatch: pytest.MonkeyPatch, state: SimpleNamespace | None, battery: float
) -> None:
    monkeypatch.setattr(psutil, "cpu_count", lambda: 4)
    monkeypatch.setattr(psutil, "getloadavg", lambda: (6.0, 0.0, 0.0))
    monkeypatch.setattr(psutil, "sensors_battery", lambda: state, raising=False)
    assert asyncio.run(measure()) == Machine(cores=4, load=1.5, battery=battery)


def test_where_psutil_is_not_told_the_gates_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(psutil, "cpu_count", lambda: None)
    monkeypatch.delattr(psutil, "getloadavg", raising=False)
    monkeypatch.delattr(psutil, "sensors_battery", raising=False)
    assert asyncio.run(measure()) == Machine(cores=1, load=0, battery=100)


def test_where_psutil_fails_the_gates_are_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError

    monkeypatch.setattr(psutil, "cpu_count", lambda: 2)
    monkeypatch.setattr(psutil, "getloadavg", fail)
    monkeypatch.setattr(psutil, "sensors_battery", fail, raising=False)
    assert asyncio.run(measure()) == Machine(cores=2, load=0, battery=100)


# What goes wrong, and the end


def broken() -> Generator[None, None, None]:
    yield
    raise ValueError("broken work")


async def broken_slice() -> bool:
    raise ValueError("broken work")


@pytest.mark.parametrize(("kind", "work"), [(Kind.OVERLAY, broken), (Kind.WARM, lambda: broken_slice)])
def test_work_that_fails_is_logged_once_and_dropped_and_the_rest_goes_on(
    kind: Kind, work: Callable[[], Slices | EngineSlice], caplog: pytest.LogCaptureFixture
) -> None:
    bench = Bench()

    async def story() -> None:
        bench.scheduler.add(kind, "bad", work())
        bench.add(kind, "good")
        bench.add(Kind.INDEX)
        await asyncio.sleep(200)

    bench.play(story)
    assert sorted(bench.trace) == ["INDEX", "good"]
    (record,) = caplog.records
    assert record.exc_info is not None
    assert f"{kind.name} bad" in record.getMessage()


def test_a_generator_that_fails_at_its_end_breaks_nothing(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()

    def work() -> Generator[None, None, None]:
        try:
            while True:
                bench.clock.time += 0.001
                yield
        finally:
            raise ValueError

    async def story() -> None:
        bench.scheduler.add(Kind.OVERLAY, "bad", work())
        await asyncio.sleep(0.1)
        bench.scheduler.drop("bad")
        bench.add(Kind.INDEX)
        await asyncio.sleep(0.1)

    bench.play(story)
    assert bench.trace == ["INDEX"]
    assert len(caplog.records) == 1


def test_being_cancelled_goes_through_a_generator() -> None:
    bench = Bench()

    def work() -> Generator[None, None, None]:
        yield
        raise asyncio.CancelledError

    async def scene() -> None:
        bench.scheduler.add(Kind.INDEX, "x", work())
        with pytest.raises(asyncio.CancelledError):
            await bench.scheduler.run()

    bench.run(scene())


def test_an_engine_slice_that_was_cancelled_elsewhere_leaves_the_lane(caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench()

    async def cancelled() -> bool:
        raise asyncio.CancelledError

    async def story() -> None:
        bench.scheduler.add(Kind.GROW, "x", cancelled)
        bench.add(Kind.WARM)
        await asyncio.sleep(1)

    bench.play(story)
    assert bench.trace == ["WARM"]
    assert caplog.records == []


def test_cancelling_the_loop_closes_what_runs_in_the_engine() -> None:
    bench = Bench()

    async def scene() -> None:
        loop = asyncio.create_task(bench.scheduler.run())
        bench.add(Kind.WARM, slices=9)
        await asyncio.sleep(0.1)
        loop.cancel()
        with pytest.raises(asyncio.CancelledError):
            await loop
        await asyncio.sleep(0)
        assert (bench.trace, bench.ended) == (["WARM"], ["WARM"])
        await bench.scheduler.close()
        assert bench.time < 0.2

    bench.run(scene())


def test_closed_while_work_runs_nothing_is_left_and_nothing_begins() -> None:
    bench = Bench()

    async def story() -> None:
        bench.add(Kind.WARM, slices=9)
        bench.add(Kind.INDEX, slices=1000)
        await asyncio.sleep(0.05)
        await bench.scheduler.close()
        assert sorted(bench.ended) == ["INDEX", "WARM"]
        given = len(bench.trace)
        bench.add(Kind.OVERLAY)
        bench.add(Kind.GROW)
        assert bench.due() == math.inf
        await asyncio.sleep(100)
        assert len(bench.trace) == given

    bench.play(story)


def test_closed_before_it_ran_it_does_not_begin() -> None:
    bench = Bench()

    async def scene() -> None:
        bench.add(Kind.INDEX)
        loop = asyncio.create_task(bench.scheduler.run())
        await bench.scheduler.close()
        await loop

    bench.run(scene())
    assert bench.trace == []


def test_closed_while_asleep_it_returns_at_once() -> None:
    bench = Bench()

    async def scene() -> None:
        loop = asyncio.create_task(bench.scheduler.run())
        await asyncio.sleep(1)
        await bench.scheduler.close()
        await loop
        assert bench.time == 1

    bench.run(scene())


def test_a_key_that_needs_no_engine_puts_nothing_off() -> None:
    scheduler = Scheduler(lambda: 100.0)

    async def work() -> bool:
        return False

    scheduler.add(Kind.WARM, "a", work)
    scheduler.typed()
    assert isinstance(scheduler.next_due(100.0), float)
    scheduler.rested()
    assert not isinstance(scheduler.next_due(100.0), float)
