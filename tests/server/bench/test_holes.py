"""Holes are cut in the middle of lines and at whole lines, apart from each other."""

from __future__ import annotations

import pytest

from server.bench.holes import Hole, Source, with_another, with_holes

PYTHON = "\n".join(
    f"def area{number}(width, height):\n    result = width * height + {number}\n    return result\n"
    + "# a line of comment that is long enough\n" * 20
    for number in range(9)
)
GO = (
    "package p\n\nfunc (s *Shape) Area(width int) (int, error) {\n\tif width < 0 {\n\t\treturn 0, errNegative\n\t}\n}\n"
)


def truths(source: Source) -> list[str]:
    return [source.truth(hole) for hole in range(len(source.holes))]


def test_what_is_cut_out_is_missing_when_the_file_is_opened() -> None:
    source = Source("a.py", "abcdefgh", (Hole(1, 3), Hole(5, 6)))
    assert (source.opened, truths(source)) == ("adegh", ["bc", "f"])


def test_bodies_and_second_halves_in_turn() -> None:
    (source,) = with_holes([("a.py", PYTHON)], 4, seed=1)
    bodies = [truth for truth in truths(source) if "\n" in truth]
    assert len(source.holes) == 4
    assert len(bodies) == 2
    assert all(body.startswith("result = ") and body.endswith("return result") for body in bodies)


def test_functions_are_seen_in_other_languages() -> None:
    found = {truth for seed in range(9) for source in with_holes([("a.go", GO)], 1, seed) for truth in truths(source)}
    assert "if width < 0 {\n\t\treturn 0, errNegative\n\t}" in found


def test_comments_are_not_typed() -> None:
    (source,) = with_holes([("a.py", PYTHON)], 99, seed=3)
    assert not any("comment" in truth for truth in truths(source))


def test_holes_stand_apart() -> None:
    (source,) = with_holes([("a.py", PYTHON)], 99, seed=2)
    ends = zip(source.holes, source.holes[1:], strict=False)
    assert all(source.text.count("\n", one.end, other.begin) >= 20 for one, other in ends)


def test_a_few_files_share_the_holes() -> None:
    files = [(f"{name}.py", PYTHON) for name in "abcdef"]
    found = with_holes(files, 5, seed=1)
    assert [len(source.holes) for source in found] == [2, 2, 1]
    assert with_holes(list(reversed(files)), 5, seed=1) == found


@pytest.mark.parametrize("text", ["", "\n\n", "x = 1\n", "# only a comment, but a long one\n"])
def test_files_without_code_have_none(text: str) -> None:
    assert with_holes([("a.py", text)], 5, seed=1) == []


def test_a_second_hole_is_far_from_the_first() -> None:
    first = Hole(PYTHON.index("result"), PYTHON.index("result") + 6)
    source = with_another(Source("a.py", PYTHON, (first,)), seed=1)
    assert len(source.holes) == 2
    assert source.holes[0] == first
    assert with_another(Source("a.py", "short = 1\n", (Hole(0, 5),)), seed=1).holes == (Hole(0, 5),)
