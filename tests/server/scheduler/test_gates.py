"""What keeps work from running."""

from __future__ import annotations

import asyncio
import math
from types import SimpleNamespace

import psutil
import pytest

from server.scheduler import (
    BUSY,
    FEW_CORES,
    LOW,
    MEASURE_EVERY,
    RULES,
    Kind,
    Machine,
    measure,
)
from tests.server.scheduler.bench import CPU, ESSENTIAL, ROOMY, Bench, started


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
    assert bench.due() == (math.inf if RULES[kind].next_key else kind.name)
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
