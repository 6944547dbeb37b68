"""What a reader sees, on timelines made by hand: letters are keys, numbers milliseconds, `=` shows a text."""

from __future__ import annotations

import pytest

from server.bench.metrics import figures
from server.bench.script import Act
from server.bench.timeline import Timeline
from tests.server.bench.keys import key_behind, played


def flickers(timeline: Timeline) -> int:
    return sum(row.flickers for row in timeline.rows)


def test_the_time_from_the_key_to_the_first_text() -> None:
    timeline = played("abcd", "a", 40, "=bcd", 60, "b", 10, "x", 70, "=!", 30)
    assert [row.first for row in timeline.rows] == [pytest.approx(0.04), None, pytest.approx(0.07)]
    assert [row.already for row in timeline.rows] == [False, True, False]
    assert timeline.rows[0].shown == "bcd"
    assert timeline.rows[1].shown == "cd"


def test_text_that_comes_again_is_not_first() -> None:
    timeline = played("abcd", "a", 40, "=bcd", 10, "=", 10, "=bcd")
    assert timeline.rows[0].first == pytest.approx(0.04)


@pytest.mark.parametrize(
    ("steps", "count"),
    [
        (["a", 9, "=bcd", 9, "b", 9, "=cd", 9, "c"], 0),  # typed through, and told the same again
        (["a", 9, "=bc", 9, "=bcd\ne"], 0),  # grown
        (["a", 9, "=bcd", 9, "b", 9, "=xy"], 1),  # replaced
        (["a", 9, "=bcd", 9, "=bc"], 1),  # shortened
        (["a", 9, "=bcd", 9, "b", 9, "="], 1),  # gone
        (["a", 9, "=bcd", 9, "b", 9, "=", 9, "=cd"], 1),  # gone and back
        (["a", 9, "=bcd", 9, "x"], 0),  # what was typed disagreed
        (["a", 9, "=bcd", 9, "<"], 0),  # taken back
        (["a", 9, "=b", 9, "b", 9, "=cd"], 0),  # typed to its end
        (["a", 9, "=b  ", 9, "b", 9, "=cd"], 0),  # only blanks were left
        (["a", 9, "="], 0),
    ],
)
def test_flicker_is_text_that_changes_though_the_typed_agreed(steps: list[str | float], count: int) -> None:
    assert flickers(played("abcd", *steps)) == count


def test_right_characters_are_counted_once() -> None:
    timeline = played("abcdef", "a", 9, "=bcXX", 9, "b", 9, "=cXX", 9, "=cdef")
    assert sum(row.new for row in timeline.rows) == 5 + 4 - 1 + 0  # bcXX, then cdef in place of what is left of it
    assert sum(row.right for row in timeline.rows) == 2 + 4


def test_growth_counts_what_it_adds() -> None:
    timeline = played("abcd", "a", 9, "=bc", 9, "=bcdX")
    assert (timeline.rows[0].new, timeline.rows[0].right) == (4, 3)


def test_nothing_is_right_or_wrong_behind_a_wrong_letter() -> None:
    timeline = played("abcd", "a", 9, "x", 9, "=bcd")
    assert timeline.rows[1].new == 0
    assert timeline.rows[1].first == pytest.approx(0.009)


def test_what_a_suggestion_replaces_may_be_in_it() -> None:
    timeline = played("abc", "a", 9, lambda timeline: timeline.show("bc) + 1", ")"))
    assert (timeline.rows[0].new, timeline.rows[0].right) == (7, 3)


@pytest.mark.parametrize(
    ("shown", "after", "piece"),
    [
        ("bc", 300, "bc"),  # up to the line's end
        ("bc", 299, ""),  # too short a time
        ("b", 300, ""),  # not up to its end
        ("bX", 300, ""),
        ("bc\nde", 300, "bc\nde"),
        ("bc\nXX", 300, "bc"),  # its first line
        ("bc\nd", 300, "bc"),
        ("bcX", 300, ""),
    ],
)
def test_what_a_reader_would_accept(shown: str, after: float, piece: str) -> None:
    timeline = played("abc\nde", "a", f"={shown}", after)
    assert timeline.rows[0].worth_accepting == timeline.acceptable == piece


def test_typing_along_is_time_to_read_too() -> None:
    timeline = played("abcd", "a", "=bcd", 150, "b", 150)
    assert timeline.rows[1].worth_accepting == "cd"


def test_lines_that_grew_late_are_not_accepted_yet() -> None:
    timeline = played("ab\ncd", "a", "=b", 200, "=b\ncd", 100)
    assert timeline.acceptable == "b"
    timeline = played("ab\ncd", "a", "=b", 200, "=b\ncd", 100, "b", 50, "\n", 50)
    assert timeline.acceptable == ""
    timeline = played("ab\ncd", "a", "=b", 200, "=b\ncd", 100, "b", 100, "\n", 100)
    assert timeline.acceptable == "cd"


def test_the_figures_of_a_timeline() -> None:
    timeline = played("abcdef", "a", 40, "=bcdef", 100, "b", 100, "c", 100, "X", 100, "<", 100, "d", 200, "=ZZ", 10)
    found = figures(timeline.rows, 1.0)
    assert (found.pressed, found.keys, found.first_text) == (6, 5, 2)
    assert (found.first_text_p50_ms, found.first_text_p90_ms) == (200.0, 200.0)
    assert (found.at_once, found.soon, found.answered) == (0.4, 0.6, 0.8)
    assert (found.shown, found.right, found.flicker) == (7, round(5 / 7, 4), 0.0)


def test_what_accepting_would_have_saved() -> None:
    # "bcdef" is visible for 300 ms when "c" is typed: Tab instead of d, e and f
    timeline = played("abcdef", "a", "=bcdef", 150, "b", 100, "c", 50, "d", 10, "e", 10, "f")
    assert figures(timeline.rows, 1.0).saved_keys == 3 - 1


def test_a_jump_takes_what_is_shown_away() -> None:
    timeline = played("abcd", "a", 9, "=bcd", 9)
    timeline.press(key_behind("", "abcd", Act.JUMP, ""))
    assert timeline.shown == ""
    assert flickers(timeline) == 0
