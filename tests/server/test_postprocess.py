"""The steps, each alone; how they work together: `test_completion.py`, and the cases."""

from __future__ import annotations

import pytest

from ast_prompt.dialect import LEAKS, PLAIN
from server.postprocess import Draft, unwrapped
from server.postprocess.blanks import line_ends, trailing_blanks
from server.postprocess.control import control_tokens, echo
from server.postprocess.fences import fences
from server.postprocess.indentation import written_indentation
from server.postprocess.thinking import thinking
from tests.completing import focus_in


def draft(says: str, drawing: str = "x = █\n", path: str = "main.py", forced: str = "") -> Draft:
    return Draft(says, focus_in(drawing, path), PLAIN, forced)


@pytest.mark.parametrize("mark", sorted(LEAKS))
def test_every_known_control_token_cuts(mark: str) -> None:
    assert control_tokens(draft(f"n * 2{mark}rubbish")).text == "n * 2"


@pytest.mark.parametrize("cut", ["<|", "<|fim_", "<|endoftext", "<|endoftext|", "<｜fim▁"])
def test_a_control_token_that_the_limit_cut_is_dropped_too(cut: str) -> None:
    assert control_tokens(draft("n * 2" + cut)).text == "n * 2"


def test_tags_of_html_are_text_in_html() -> None:
    assert control_tokens(draft("<s>old</s>", "<p>█</p>\n", "main.html")).text == "<s>old</s>"
    assert control_tokens(draft("a < b | c")).text == "a < b | c"


def test_an_echoed_prompt_is_dropped_up_to_the_middle_mark() -> None:
    assert echo(draft("<PRE> def f(): <SUF> x <MID>n * 2")).text == "n * 2"
    assert echo(draft("<|fim_prefix|>def f():")).text == ""


def test_a_thought_is_dropped_and_an_unfinished_one_is_no_answer() -> None:
    assert thinking(draft("<think>\nhm\n</think>\n\nn * 2")).text == "n * 2"
    assert thinking(draft("<think>\nhm")).text == ""
    assert thinking(draft("<thi")).text == ""
    assert thinking(draft("<b>think</b>")).text == "<b>think</b>"


@pytest.mark.parametrize(
    ("says", "left"),
    [
        ("```python\nn * 2\n```", "n * 2\n"),
        ("```python\nn * 2\n", "n * 2\n"),
        ("```py", ""),
        ("Here is the code:\n\n```\nn * 2\n```\nIt doubles.", "n * 2\n"),
        ("n * 2\n```\nIt doubles.", "n * 2\n"),
        ("`hi`", "`hi`"),
    ],
)
def test_of_a_fence_the_inside_is_taken(says: str, left: str) -> None:
    assert fences(draft(says)).text == left


def test_in_markdown_a_fence_is_text() -> None:
    assert fences(draft("```sh\nmake\n```", "# Build\n\n█\n", "main.md")).text == "```sh\nmake\n```"


@pytest.mark.parametrize(
    ("forced", "says", "left"),
    [
        ("", "        return 1", "    return 1"),
        ("", "    return 1", "return 1"),
        ("", "return 1", "return 1"),
        ("    ", "    return 1", "    return 1"),
    ],
)
def test_indentation_that_stands_there_is_not_written_twice(forced: str, says: str, left: str) -> None:
    assert written_indentation(draft(says, "def f():\n    █\n", forced=forced)).text == left


def test_line_ends_and_trailing_blanks() -> None:
    assert line_ends(draft("a\r\nb\rc")).text == "a\nb\nc"
    assert trailing_blanks(draft("a  \n \t\n")).text == "a"


@pytest.mark.parametrize(
    "raw", ["", " ", "```", "<think>", "<|", "`", "\n\n", "<PRE>", "Here:\n```", "\r", "</think>x", "<|fim_middle|>"]
)
def test_no_beginning_of_an_answer_breaks_a_step(raw: str) -> None:
    unwrapped(draft(raw))
