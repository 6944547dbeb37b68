from __future__ import annotations

from server.showing import LONGEST, PATIENCE, STEP, Showing


class Clock:
    def __init__(self) -> None:
        self.time = 100.0

    def __call__(self) -> float:
        return self.time


def showing() -> tuple[Showing, Clock]:
    clock = Clock()
    one = Showing(clock)
    one.typed()
    return one, clock


def test_without_a_delay_nothing_waits() -> None:
    assert showing()[0].wait(0, backs_off=True) == 0


def test_a_delay_counts_from_the_last_key() -> None:
    one, clock = showing()
    clock.time += 0.125
    assert one.wait(0.5, backs_off=True) == 0.375
    clock.time += 1
    assert one.wait(0.5, backs_off=True) == 0


def test_many_in_a_row_that_are_of_no_use_make_the_showing_wait() -> None:
    one, _ = showing()
    for place in range(PATIENCE + 1):
        one.shown(place)
        one.shown(place)
    assert one.wait(0, backs_off=True) == 0
    one.shown(-1)
    assert abs(one.wait(0, backs_off=True) - STEP) < 1e-9
    assert one.wait(0, backs_off=False) == 0
    for place in range(50):
        one.shown(place)
    assert abs(one.wait(0, backs_off=True) - LONGEST) < 1e-9


def test_one_that_is_used_ends_it() -> None:
    one, _ = showing()
    for place in range(PATIENCE + 9):
        one.shown(place)
    one.used()
    one.shown(-1)
    assert one.wait(0, backs_off=True) == 0
