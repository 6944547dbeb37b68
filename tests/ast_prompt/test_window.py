from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from ast_prompt.focus import Focus
from ast_prompt.scopes import scopes_at
from ast_prompt.window import window_below, window_starts
from tests.completing import focus_in

SAMPLES = sorted((Path(__file__).parents[1] / "speed" / "samples").glob("inventory.*"))


def at_the_end(path: Path) -> Focus:
    """With the cursor on a line of its own below all of the file."""
    return focus_in(path.read_text("utf-8").replace("█", "x;") + "█\n", path.name)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("size", [300, 600, 1200])
def test_a_window_begins_where_a_piece_of_code_begins(path: Path, size: int) -> None:
    focus = at_the_end(path)
    assert focus.tree is not None
    *starts, _ = window_starts(focus, size)
    begins = []
    for start in starts:
        if start == 0:
            continue
        line = focus.text.data[start : focus.text.end(focus.text.line_at(start))]
        at = start + len(line) - len(line.lstrip())
        found = scopes_at(focus.tree, focus.language, at)
        begins.append(any(scope.start == at and scope.name in ("statement", "comment", "block") for scope in found))
    assert sum(begins) >= len(begins) - 1, begins


def test_the_places_do_not_move_while_one_types() -> None:
    text = "".join(f"def f{number}():\n    return {number}\n\n" for number in range(99))
    seen = [set(list(window_starts(focus_in(text + "x" * typed + "█"), 800))[:-1]) for typed in range(100)]
    for before, after in pairwise(seen):
        assert len(before ^ after) <= 2


def test_the_largest_window_comes_first_and_none_is_too_large() -> None:
    focus = focus_in("a = 1\n" * 500 + "█")
    *starts, _ = window_starts(focus, 600)
    assert starts == sorted(starts)
    assert all(focus.offset - start <= 600 for start in starts)


def test_a_file_that_fits_is_taken_whole() -> None:
    focus = focus_in("a = 1\nb = █\nc = 3\n")
    assert next(window_starts(focus, 600)) == 0
    assert window_below(focus, 600) == len(focus.text.data)


def test_the_text_after_ends_behind_a_line() -> None:
    focus = focus_in("█\n" + "a = 1\n" * 50)
    assert focus.text.data[focus.offset : window_below(focus, 100)].endswith(b"\n")
    ends = [
        window_below(focus_in(f"f({word}█{rest}\n" + "a = 1\n" * 50), 100) - len(word) - len(rest)
        for word in ("", "abc")
        for rest in ("", ")", "b, c)")
    ]
    assert len(set(ends)) == 1
