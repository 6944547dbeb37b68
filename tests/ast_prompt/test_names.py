from __future__ import annotations

import pytest

from ast_prompt.budget import Budget
from ast_prompt.names import names_at
from ast_prompt.prompt import build_prompt
from tests.completing import QWEN, focus_in


@pytest.mark.parametrize(
    ("drawing", "names"),
    [
        ("total_a = 1\ntotal_b = 2\nprint(to█)\ntotal_c = 3\n", ("total_b", "total_a", "total_c")),
        ("total = 1\ntotal_b = 2\nprint(total█)\n", ("total_b",)),
        ("subtotal = 1\nprint(to█)\n", ()),
        ("total = 1\nprint(t█)\n", ()),
        ("total = 1\nprint(█)\n", ()),
        ("größe_a = 1\nprint(grö█)\n", ("größe_a",)),
        ("total = 1\nother = 2\ntotal = 3\nprint(to█)\n", ("total",)),
    ],
)
def test_the_nearest_names_that_begin_with_what_is_typed(drawing: str, names: tuple[str, ...]) -> None:
    assert names_at(focus_in(drawing)) == names


def test_a_prompt_says_how_they_go_on() -> None:
    assert build_prompt(focus_in("total = 1\nx = to█\n"), QWEN, None, Budget(512)).names == ()
    assert build_prompt(focus_in("total = 1\nx = to █\n"), QWEN, None, Budget(512)).names == ()
