from __future__ import annotations

import pytest

from ast_prompt.text import text_of
from server.completion import Completion
from server.generation import Generation, typed_since
from server.trigger import Reason
from tests.completing import snapshot_of
from tests.picture import picture


def since(before: str, after: str) -> list[str]:
    drawn = picture(before)
    return typed_since(text_of(drawn.before + drawn.after), len(drawn.before.encode()), text_of(after))


@pytest.mark.parametrize(
    ("before", "after", "typed"),
    [
        ("x = █\ny = 1\n", "x = \ny = 1\n", ""),
        ("x = █\ny = 1\n", "x = ab\ny = 1\n", "ab"),
        ("x = █ + z\n", "x = ab + z\n", "ab"),
        ("x = f(█)\n", "x = f(a)\n", "a"),
        ("x = f█\n", "x = f()\n", "("),
        ("x = f(█)\n", "x = f(a)\n", "a)"),
        ("é = █\n", "é = é\n", "é"),
    ],
)
def test_what_was_typed_is_told_with_and_without_what_the_editor_closed(before: str, after: str, typed: str) -> None:
    assert typed in since(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = █\ny = 1\n", "x = a\ny = 2\n"),
        ("x = █\ny = 1\n", "z = \ny = 1\n"),
        ("x = a█\n", "x = \n"),
        ("x = █ + z\n", "x = a + y\n"),
    ],
)
def test_other_edits_are_not_typing(before: str, after: str) -> None:
    assert since(before, after) == []


def generation(drawing: str, written: str, lines: str = "") -> Generation:
    snapshot, offset = snapshot_of(picture(drawing))
    return Generation(snapshot, offset, invoked=False, written=written, lines=lines)


@pytest.mark.parametrize(
    ("written", "after", "fits"),
    [
        ("", "x = a\n", True),
        ("abc", "x = ab\n", True),
        ("abc", "x = ad\n", False),
        ("ab", "x = abc\n", True),
        ("ab", "w = ab\n", False),
        ("(a)", "x = ()\n", True),
    ],
)
def test_an_answer_fits_while_it_and_what_is_typed_agree(written: str, after: str, fits: bool) -> None:
    assert generation("x = █\n", written).fits(text_of(after)) is fits


def test_one_that_is_done_does_not_fit_what_goes_past_it() -> None:
    ended = generation("x = █\n", "ab")
    ended.done = Completion(Reason.SHOWN, "ab")
    assert not ended.fits(text_of("x = abc\n"))
    assert ended.fits(text_of("x = a\n"))


def test_finished_lines_only_grow() -> None:
    one = generation("x = █\n", "")
    one.finished_lines("a\n b")
    one.finished_lines("a")
    one.finished_lines("b\n c\n d")
    assert one.lines == "a\n b"


def test_an_answer_is_about_the_cursor_behind_what_was_typed_of_it_and_no_other() -> None:
    asked = generation("x = █\ny = \n", "")
    assert [asked.fits(asked.snapshot.text, offset) for offset in (4, 3, 9)] == [True, False, False]
    after = text_of("x = é\ny = \n")
    assert [asked.fits(after, offset) for offset in (6, 4, 11)] == [True, False, False]
