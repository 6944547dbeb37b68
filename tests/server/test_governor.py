from __future__ import annotations

import pytest

from server.engines import Counters
from server.governor import LARGEST, SMALLEST, SMALLEST_SLICE, Governor


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
