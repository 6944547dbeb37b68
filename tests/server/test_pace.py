from __future__ import annotations

from server.pace import FASTEST, FIRST, LONGEST, Pace


def test_the_engine_is_asked_at_once_unless_it_was_stopped_before_it_said_a_word() -> None:
    pace = Pace()
    assert pace.seconds == 0
    pace.stop(0.03)
    assert pace.seconds == FIRST
    pace.spoke()
    assert pace.seconds == 0


def test_the_pause_grows_up_to_a_limit() -> None:
    pace, seconds = Pace(), []
    for _ in range(2000):
        pace.stop(0.03)
        seconds.append(pace.seconds)
    assert seconds[:4] == [FIRST, 2 * FIRST, 4 * FIRST, LONGEST]
    assert max(seconds) == LONGEST


def test_who_types_is_asked_for_at_once() -> None:
    pace = Pace()
    pace.stop(0.03)
    pace.stop(FASTEST * 2)
    assert pace.seconds == 0
