"""What goes wrong, and the end."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Generator

import pytest

from server.scheduler import (
    EngineSlice,
    Kind,
    Slices,
)
from tests.server.scheduler.bench import Bench


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
