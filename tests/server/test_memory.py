from __future__ import annotations

import pytest

from ast_prompt.text import text_of
from server.memory import MOST, Memory, Remembered
from tests.picture import picture


def kept(drawing: str, answer: str, covers: int = 0) -> Memory:
    memory = Memory()
    drawn = picture(drawing)
    rest = drawn.after.partition("\n")[0]
    memory.keep(text_of(drawn.before + drawn.after), len(drawn.before.encode()), remembered(answer, rest, covers))
    return memory


def remembered(answer: str, rest: str = "", covers: int = 0) -> Remembered:
    return Remembered(answer, rest, covers, "shown", "m")


def found(memory: Memory, drawing: str) -> str | None:
    drawn = picture(drawing)
    answer = memory.find(text_of(drawn.before + drawn.after), len(drawn.before.encode()))
    return None if answer is None else answer.text


@pytest.mark.parametrize(
    ("drawing", "rest"),
    [
        ("x = █\ny = 2\n", "value + 1"),
        ("x = va█\ny = 2\n", "lue + 1"),
        ("x = value +█\ny = 2\n", " 1"),
        ("x = value + 1█\ny = 2\n", None),
        ("x = b█\ny = 2\n", None),
        ("x = valuE█\ny = 2\n", None),
    ],
)
def test_what_is_typed_of_an_answer_is_consumed(drawing: str, rest: str | None) -> None:
    assert found(kept("x = █\ny = 2\n", "value + 1"), drawing) == rest


def test_several_lines_are_typed_along_too() -> None:
    memory = kept("def f():\n    █\n", "if é:\n        g()\n    h()")
    assert found(memory, "def f():\n    if é:\n        █\n") == "g()\n    h()"


@pytest.mark.parametrize("closers", ["", ")", '")', ");"])
def test_what_the_editor_closes_changes_nothing(closers: str) -> None:
    assert found(kept("x = f█\ny = 2\n", "(a)"), f"x = f(█{closers}\ny = 2\n") == "a)"


def test_a_rest_of_the_line_that_is_another_is_another_place() -> None:
    assert found(kept("x = █\n", "1"), "x = █ + y\n") is None
    assert found(kept("x = █\ny = 2\n", "1"), "x = █\nz = 2\n") is None


def test_edits_elsewhere_change_nothing() -> None:
    above = "".join(f"a{number} = {number}\n" for number in range(200))
    memory = kept(f"{above}x = █\ny = 2\n", "value")
    assert found(memory, f"import os\n{above}x = va█\ny = 2\n\nz = 3\n") == "lue"
    assert found(memory, f"{above}\nx = va█\ny = 2\n") is None


def test_the_newest_answer_wins() -> None:
    memory = kept("x = █\n", "value + 1")
    drawn = picture("x = va█\n")
    memory.keep(text_of(drawn.before + drawn.after), len(drawn.before.encode()), remembered("riable"))
    assert found(memory, "x = va█\n") == "riable"
    assert found(memory, "x = val█\n") == "ue + 1"


def test_that_the_model_had_nothing_is_remembered_for_that_place_only() -> None:
    memory = kept("x = █\n", "")
    assert found(memory, "x = █\n") == ""
    assert found(memory, "x = a█\n") is None


def test_only_so_many_are_kept_and_all_can_be_forgotten() -> None:
    memory = Memory()
    for number in range(MOST + 10):
        memory.keep(text_of(f"{number} = "), len(f"{number} = "), remembered("a"))
    assert len(memory.answers) == MOST
    memory.forget()
    assert found(memory, "409 = █") is None
