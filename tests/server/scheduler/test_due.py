"""What is due, and when."""

from __future__ import annotations

import math

import pytest

from server.scheduler import (
    RULES,
    Kind,
    Scheduler,
)
from tests.server.scheduler.bench import CPU, ENGINE, Bench


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
    assert order == ["GROW", "SPECULATE", "WARM", "WIDEN", "OVERLAY", "EMBED", "INDEX"]


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


def test_a_key_that_needs_no_engine_puts_nothing_off() -> None:
    scheduler = Scheduler(lambda: 100.0)

    async def work() -> bool:
        return False

    scheduler.add(Kind.WARM, "a", work)
    scheduler.typed()
    assert isinstance(scheduler.next_due(100.0), float)
    scheduler.rested()
    assert not isinstance(scheduler.next_due(100.0), float)


def test_a_key_that_is_as_good_as_none_does_not_hurry_what_needs_a_real_pause() -> None:
    bench = Bench()
    bench.add(Kind.WIDEN)
    bench.scheduler.typed()
    bench.scheduler.rested()
    assert bench.due() == RULES[Kind.WIDEN].quiet
    bench.add(Kind.WARM)
    assert bench.due() == "WARM"


@pytest.mark.parametrize(("asked", "waits"), [(5.0, 5.0), (0.5, RULES[Kind.WIDEN].quiet)])
def test_a_piece_may_need_a_longer_pause_than_its_kind(asked: float, waits: float) -> None:
    bench = Bench()

    async def work() -> bool:
        return False

    bench.scheduler.typed()
    bench.scheduler.add(Kind.WIDEN, "a", work, quiet=asked)
    assert bench.due() == waits
