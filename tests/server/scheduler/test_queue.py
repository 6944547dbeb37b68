"""What replaces what, and what is dropped."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Generator
from inspect import GEN_CLOSED, getgeneratorstate

import pytest

from server.scheduler import (
    RULES,
    Kind,
    Machine,
)
from tests.server.scheduler.bench import Bench, started


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
