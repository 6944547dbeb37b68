"""The steps, each alone; how they work together: `test_completion.py`, and the cases."""

from __future__ import annotations

import pytest

from ast_prompt.dialect import LEAKS, PLAIN
from server.postprocess import Draft, unwrapped
from server.postprocess.blanks import line_ends, trailing_blanks
from server.postprocess.control import control_tokens, echo
from server.postprocess.fences import fences
from server.postprocess.indentation import (
    line_of_the_brace,
    missing_indentation,
    own_unit,
    own_width,
    written_indentation,
)
from server.postprocess.syntax import added_errors
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


TABS = "func f() {\n\tif a {\n\t\t█\n\t}\n}\n"
TWO = "function f() {\n  if (a) {\n    █\n  }\n}\n"


@pytest.mark.parametrize(
    ("path", "drawing", "says", "left"),
    [
        ("a.go", TABS, "b()\n        c()", "b()\n\t\tc()"),
        ("a.go", TABS, "if b {\n      c()\n    }", "if b {\n\t\t\tc()\n\t\t}"),
        ("a.go", TABS, "b(1,\n\t\t  2)", "b(1,\n\t\t  2)"),
        ("a.js", TWO, "if (b) {\n\t\t\tc();\n\t\t}", "if (b) {\n      c();\n    }"),
        ("a.js", TWO, "b(`\n\tc\n`)", "b(`\n\tc\n`)"),
        ("a.js", TWO, "b('\tc')\n\n    d()", "b('\tc')\n\n    d()"),
    ],
)
def test_further_lines_are_indented_as_the_file_is(path: str, drawing: str, says: str, left: str) -> None:
    assert own_unit(draft(says, drawing, path)).text == left


@pytest.mark.parametrize(
    ("path", "drawing", "says", "left"),
    [
        ("a.js", TWO, "if (b) {\n        c();\n        d();\n    }", "if (b) {\n      c();\n      d();\n    }"),
        ("a.js", TWO, "if (b) {\n      c();\n    }", "if (b) {\n      c();\n    }"),
        ("a.js", TWO, "if (b) {\n        c(1,\n          2);\n    }", "if (b) {\n        c(1,\n          2);\n    }"),
        ("a.py", "def f():\n    █\n", "if a:\n      if b:\n        c()", "if a:\n        if b:\n            c()"),
        ("a.py", "def f():\n    █\n", "a = [\n      1]", "a = [\n      1]"),
        ("a.go", TABS, "if b {\n\t\t\tc()\n\t\t}", "if b {\n\t\t\tc()\n\t\t}"),
    ],
)
def test_a_block_is_as_wide_as_the_file_s(path: str, drawing: str, says: str, left: str) -> None:
    assert own_width(draft(says, drawing, path)).text == left


@pytest.mark.parametrize(
    ("drawing", "says", "left"),
    [
        ("def f():\n█\n", "return 1", "    return 1"),
        ("def f():\n█\n", "    return 1", "    return 1"),
        ("def f():\n    if a:\n    █\n", "b()\n    c()", "    b()\n        c()"),
        ("def f():\n█\n", "a()\n    return 1", "    a()\n    return 1"),
        ("def f():\n    a()\n█\n    b()\n", "if c:\n    d()", "    if c:\n        d()"),
        ("def f():\n    return 1\n\n\n█\n", "def g():\n    return 2", "def g():\n    return 2"),
        ("x = f(a,\n      b):\n█\n", "c()", "c()"),
        ("x = █\n", "1", "1"),
    ],
)
def test_indentation_that_is_missing_is_added(drawing: str, says: str, left: str) -> None:
    assert missing_indentation(draft(says, drawing)).text == left


def test_indentation_that_is_missing_is_of_the_file_s_kind() -> None:
    assert missing_indentation(draft("g()", "func f() {\n█\n}\n\nfunc h() {\n\tg()\n}\n", "a.go")).text == "\tg()"


def test_what_adds_an_error_is_shortened_to_what_adds_none() -> None:
    assert added_errors(draft("a()\n    b(", "def f():\n    █\n")).text == "a()"
    assert (
        added_errors(draft("if (a) {\n    b();", "function f() {\n  █\n}\n", "a.js")).text == "if (a) {\n    b();\n  }"
    )
    assert added_errors(draft("a(", "def f():\n    █\n")).text == "a()"
    assert added_errors(draft("(\n{", "# A\n\n█\n", "a.md")).text == "(\n{"
    assert added_errors(draft("", "def f():\n    █\n")).text == ""


def test_a_block_ends_on_a_line_of_its_own_before_the_brace_right_of_the_cursor() -> None:
    assert line_of_the_brace(draft("g()", "if a {\n\tif b {\n\t\t█}\n}\n", "a.go")).text == "g()\n\t"
    assert line_of_the_brace(draft("g()", "if a {\n\t█\n}\n", "a.go")).text == "g()"


def test_line_ends_and_trailing_blanks() -> None:
    assert line_ends(draft("a\r\nb\rc")).text == "a\nb\nc"
    assert trailing_blanks(draft("a  \n \t\n")).text == "a"


@pytest.mark.parametrize(
    "raw", ["", " ", "```", "<think>", "<|", "`", "\n\n", "<PRE>", "Here:\n```", "\r", "</think>x", "<|fim_middle|>"]
)
def test_no_beginning_of_an_answer_breaks_a_step(raw: str) -> None:
    unwrapped(draft(raw))
