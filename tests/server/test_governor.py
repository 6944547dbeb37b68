from __future__ import annotations

import pytest

from server.engines import Counters
from server.governor import LARGEST, LARGEST_SLICE, SHORTEST_ANSWER, SMALLEST, SMALLEST_SLICE, Governor


def measured(tokens: int, milliseconds: float, times: int = 1) -> Governor:
    governor = Governor()
    for _ in range(times):
        governor.note(Counters(evaluated=tokens, prefill_ms=milliseconds))
    return governor


def test_a_slow_machine_gets_a_shorter_prompt_and_shorter_slices() -> None:
    slow, fast = measured(100, 2000), measured(100, 100)
    assert slow.cold_tokens == SMALLEST
    assert fast.cold_tokens == LARGEST
    assert SMALLEST_SLICE <= slow.slice_tokens < fast.slice_tokens


def test_the_first_measurement_counts_whole_and_later_ones_in_part() -> None:
    governor = measured(100, 1000)
    assert governor.prefill.value == 100
    governor.note(Counters(evaluated=200, prefill_ms=1000))
    assert 100 < governor.prefill.value < 200


@pytest.mark.parametrize(
    "counters",
    [
        Counters(evaluated=3, prefill_ms=60),
        Counters(evaluated=None, prefill_ms=60),
        Counters(evaluated=100, prefill_ms=0),
        Counters(generated=1, decode_ms=60),
    ],
)
def test_what_says_nothing_about_the_speed_changes_nothing(counters: Counters) -> None:
    governor = Governor()
    before = governor.prefill.value, governor.decode.value
    governor.note(counters)
    assert (governor.prefill.value, governor.decode.value) == before


def test_the_speed_of_writing_is_known_too() -> None:
    governor = Governor()
    governor.note(Counters(generated=20, decode_ms=1000))
    assert governor.decode.value == 20


def test_who_asks_once_gets_the_whole_prompt() -> None:
    assert Governor(patient=True).cold_tokens > 100_000


def test_a_long_way_to_the_engine_makes_the_line_weak_and_a_short_one_mends_it() -> None:
    governor = measured(100, 100)
    weak = []
    for _ in range(10):
        governor.note(Counters(evaluated=100, prefill_ms=100, requests=1), 1000)
        weak.append(governor.is_weak)
    assert (weak[0], weak[-1]) == (False, True)  # once is chance
    assert governor.cold_tokens == SMALLEST
    assert governor.slice_tokens == LARGEST_SLICE  # each one costs the way again
    for _ in range(5):
        governor.note(Counters(evaluated=100, prefill_ms=100, requests=1), 120)
        weak.append(governor.is_weak)
    assert not weak[-1]


def test_a_healed_request_goes_the_way_twice() -> None:
    governor = Governor()
    governor.note(Counters(evaluated=100, prefill_ms=100, requests=2), 220)
    assert governor.round_trip.value == 60


def test_what_was_left_before_its_end_says_nothing_about_the_way() -> None:
    governor = Governor()
    governor.note(Counters(evaluated=100, prefill_ms=100))
    governor.note(Counters(), 5000)
    assert not governor.round_trip.known


def test_three_requests_lost_in_a_row_make_the_line_weak_and_good_ones_mend_it() -> None:
    governor = Governor()
    weak = []
    for _ in range(3):
        governor.lost()
        weak.append(governor.is_weak)
    for _ in range(5):
        governor.note(Counters(generated=10, decode_ms=100))
    assert [*weak, governor.is_weak] == [False, False, True, False]


def test_a_slow_writer_writes_less() -> None:
    governor = Governor()
    assert governor.answer_tokens(96) == 96  # nothing was measured yet
    governor.note(Counters(generated=10, decode_ms=2000))
    assert governor.answer_tokens(96) == 30
    governor.note(Counters(generated=10, decode_ms=200_000))
    governor.note(Counters(generated=10, decode_ms=200_000))
    governor.note(Counters(generated=10, decode_ms=200_000))
    assert SHORTEST_ANSWER <= governor.answer_tokens(96) < 30
    assert governor.answer_tokens(8) == 8
    assert Governor(patient=True, decode=governor.decode).answer_tokens(96) == 96
