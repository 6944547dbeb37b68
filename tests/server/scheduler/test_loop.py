"""The loop that gives slices."""

from __future__ import annotations

import asyncio
import math
from itertools import pairwise

import pytest

from server.scheduler import (
    FRAME,
    REST,
    RULES,
    EngineSlice,
    Kind,
)
from tests.server.scheduler.bench import ENGINE, Bench, started


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
