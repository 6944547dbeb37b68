from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ast_prompt.languages import language_of
from ast_prompt.text import text_of
from ast_prompt.tree import LARGEST_FILE, LONGEST_LINE, edited_tree, is_plain, parse, parse_in_slices

PIECES = st.lists(st.sampled_from(["a", "é", "漢", "😀", "\n", "\r", "\r\n", "\f", "\u2028", " x"]), max_size=12).map(
    "".join
)


def starts_by_the_book(source: bytes) -> list[int]:
    return [0, *(found.end() for found in re.finditer(rb"\r\n|\n|\r", source))]


@settings(max_examples=400, deadline=None)
@given(PIECES, st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), PIECES), max_size=6))
def test_edits_keep_bytes_and_line_starts_right(source: str, edits: list[tuple[float, float, str]]) -> None:
    text, model = text_of(source), source
    for first, second, inserted in edits:
        begin, end = sorted((int(first * len(model)), int(second * len(model))))
        model_bytes = (len(model[:begin].encode()), len(model[:end].encode()))
        text = text.edited(*model_bytes, inserted.encode())
        model = model[:begin] + inserted + model[end:]
        assert text.data == model.encode()
        assert list(text.starts) == starts_by_the_book(text.data)


def test_half_a_surrogate_pair_becomes_one_character() -> None:
    assert text_of("a\ud83dz").data.decode() == "a\ufffdz"


def test_a_line_ends_without_its_line_end() -> None:
    text = text_of("ab\r\ncd\re\n")
    assert [text.data[text.start(line) : text.end(line)] for line in range(text.line_count)] == [
        b"ab",
        b"cd",
        b"e",
        b"",
    ]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_a_tree_that_was_told_of_edits_equals_a_new_one(line_end: str) -> None:
    python = language_of("python", None)
    text = text_of(line_end.join(["def f(a):", "    return a", "", "x = f(1)", ""]))
    tree = parse(text, python)
    for at, removed, inserted in ((9, 0, "\n    b = '😀'"), (0, 3, "async def"), (20, 4, ""), (12, 0, "(")):
        assert tree is not None
        after = text.edited(at, at + removed, inserted.encode())
        told = edited_tree(tree, text, after, at, at + removed, len(inserted.encode()))
        tree, text = parse(after, python, told), after
        fresh = parse(text, python)
        assert tree is not None
        assert fresh is not None
        assert str(tree.root_node) == str(fresh.root_node)


def test_a_parse_goes_on_slice_by_slice() -> None:
    text = text_of("x = [1, 2, 3]\n" * 3000)
    slices = parse_in_slices(text, language_of("python", None), None, lambda: lambda: True)
    count = 0
    while True:
        try:
            next(slices)
            count += 1
        except StopIteration as end:
            tree = end.value
            break
    assert count > 3
    assert str(tree.root_node) == str(parse(text, language_of("python", None)).root_node)  # type: ignore[union-attr]


@pytest.mark.parametrize("source", ["x = 1\n" * (LARGEST_FILE // 6 + 1), "x" * (LONGEST_LINE + 1)])
def test_past_the_limits_a_file_is_plain_text(source: str) -> None:
    assert is_plain(text_of(source))
    assert parse(text_of(source), language_of("python", None)) is None
