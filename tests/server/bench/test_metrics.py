"""Sums, shares, and what the server counted itself."""

from __future__ import annotations

from server.bench.editor import Counts
from server.bench.metrics import behind_accepted, figures, own_counts, quantile, spread
from tests.server.bench.keys import played, typing


def test_what_the_server_counted_is_a_difference() -> None:
    before = {"asked": 3, "evaluated": 100, "busy_ms": 5.5, "name": "x", "generated": None}
    after = {"asked": 10, "evaluated": 400, "busy_ms": 205.5, "name": "x", "generated": 9}
    assert own_counts(before, after) == {"asked": 7, "evaluated": 300, "busy_ms": 200.0}
    assert own_counts(None, after) is None


def test_figures_per_key_and_shares_of_the_server() -> None:
    rows = played("abcd", "a", 9, "b", 9, "c", 9, "d").rows
    own = {"asked": 4, "remembered": 3, "evaluated": 80, "generated": 10, "busy_ms": 500}
    found = figures(rows, 2.0, 12.34, Counts(requests=4, cancelled=1, answers=3), 1, own)
    assert (found.evaluated, found.generated, found.remembered, found.busy) == (20, 2.5, 0.75, 0.25)
    assert (found.requests, found.cancelled, found.unanswered, found.start_ms) == (4, 1, 1, 12.3)


def test_what_is_not_told_is_none() -> None:
    found = figures(played("a", "a").rows, 1.0)
    assert (found.evaluated, found.generated, found.remembered, found.busy) == (None, None, None, None)
    assert (found.first_text_p50_ms, found.right) == (None, None)


def test_no_keys_are_no_error() -> None:
    assert figures([], 0.0).soon is None


def test_quantiles_are_of_the_nearest_rank() -> None:
    assert quantile([1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0.9) == 10
    assert quantile([1], 0.5) == 1
    assert quantile([], 0.5) is None


def test_the_spread_of_waits() -> None:
    rows = played("abcd", "a", 20, "=bX", 100, "b", 100, "c", 700, "=d", 1, "d").rows
    assert dict(spread(rows)) == {
        "stands there": 1,
        "≤ 20 ms": 1,
        "≤ 50 ms": 0,
        "≤ 80 ms": 0,
        "≤ 150 ms": 0,
        "≤ 300 ms": 0,
        "≤ 600 ms": 0,
        "later": 1,
        "no text": 1,
    }


def test_the_first_key_behind_what_was_accepted() -> None:
    keys = [*typing("abcd"), *typing("efgh", at=9, hole=1)]
    assert behind_accepted(keys, 0, "bc") == 3
    assert behind_accepted(keys, 0, "bcd") == 4
    assert behind_accepted(keys, 0, "bcdef") == 1  # the hole ends before
    assert behind_accepted(keys, 0, "") == 1
