"""What the parser was given of a text is freed with it."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import pytest

from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.pieces import Pieces, take_back
from ast_prompt.text import Text, text_of
from ast_prompt.tree import edited_tree, parse, parse_in_slices
from server.documents import slice_clock

PYTHON = language_of("python", None)
CODE = "".join(f"def f_{number}(a, b):\n    total = a * {number}\n    return total - b\n\n\n" for number in range(300))


def parsed_anew(text: Text) -> None:
    assert parse(text, PYTHON) is not None


def parsed_after_an_edit(text: Text) -> None:
    tree = parse(text, PYTHON)
    assert tree is not None
    after = text.edited(0, 0, b"# ")
    assert parse(after, PYTHON, edited_tree(tree, text, after, 0, 0, 2)) is not None


def parsed_in_part(text: Text) -> None:
    stops = iter([False, False, True])
    slices = parse_in_slices(text, PYTHON, None, lambda: lambda: next(stops, True))
    next(slices)
    next(slices)


@pytest.mark.parametrize("use", [parsed_anew, parsed_after_an_edit, parsed_in_part])
def test_parsing_keeps_nothing_of_the_text(use: Callable[[Text], None]) -> None:
    prepare(PYTHON)
    tracemalloc.start()
    try:
        for number in range(30):
            if number == 10:
                begin, _ = tracemalloc.get_traced_memory()
            use(text_of(CODE))
        assert tracemalloc.get_traced_memory()[0] - begin < 3 * len(CODE)
    finally:
        tracemalloc.stop()


def test_a_tree_can_look_its_text_up_later() -> None:
    prepare(PYTHON)
    tree = parse(text_of(CODE), PYTHON)
    assert tree is not None
    first = tree.root_node.child(0)
    assert first is not None
    assert first.text == b"def f_0(a, b):\n    total = a * 0\n    return total - b"


def test_what_nobody_keeps_is_left_as_it_is() -> None:
    pieces = Pieces(b"x" * 100)
    with pieces.lent():
        one = pieces(0, None)  # type: ignore[arg-type]
        del one
    mine = [bytes(3)]
    take_back(mine)
    assert mine == [bytes(3)]


def test_slices_of_a_large_text_give_the_same_tree() -> None:
    text = text_of(CODE * 10)
    prepare(PYTHON)
    slices, count = parse_in_slices(text, PYTHON, None, slice_clock), 0
    while True:
        try:
            next(slices)
            count += 1
        except StopIteration as end:
            tree, whole = end.value, parse(text, PYTHON)
            break
    assert count > 0
    assert tree is not None
    assert whole is not None
    assert str(tree.root_node) == str(whole.root_node)
