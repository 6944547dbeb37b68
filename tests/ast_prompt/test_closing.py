from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ast_prompt.brackets import closers_without_opener, lexis_of
from ast_prompt.closing import ending, room_at
from ast_prompt.languages import language_of
from tests.completing import focus_in

PLACES = {
    "main.py": [
        "def f(a):\n    █\n",
        "class A:\n    def f(self):\n        if a:\n            █\n        return 1\n",
        "x = f(█)\n",
    ],
    "main.js": ["function f(a) {\n  █\n}\n", "f(() => {█});\n", "const a = █;\n", "if (a) {\n  █\n"],
    "main.rs": ["fn f<'a>(x: &'a str) {\n    █\n}\n", "let x = █;\n"],
    "main.sh": ["for x in a; do\n  █\n", "case $x in\n  █\n"],
    "main.rb": ["def f(a)\n  █\nend\n"],
    "main.md": ["# A\n\n█\n"],
    "main.go": ["func f() {\n\t█\n}\n"],
}
ROOMS = [room_at(focus_in(drawing, path)) for path, drawings in PLACES.items() for drawing in drawings]
PIECES = [
    "a",
    "b = 1",
    "\n",
    "\n\n",
    "    ",
    "  ",
    "\t",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    '"',
    "'",
    "`",
    "#",
    "//",
    "end",
    "e",
    "n",
]
PIECES += ["def f():", "return x;", "done", "fi", "'a", '"""', "\\", "else", ";"]


@settings(max_examples=1500, deadline=None)
@given(st.sampled_from(ROOMS), st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_what_is_decided_while_it_streams_stays_decided(room: object, answer: str) -> None:
    decided: int | None = None
    for length in range(len(answer) + 1):
        end = ending(room, answer[:length])  # type: ignore[arg-type]
        if decided is not None:
            assert end is not None, answer[:length]
            assert end <= decided, answer[:length]
        decided = end if decided is None else decided
        if decided is not None:
            break
    if decided is not None:
        assert answer[: ending(room, answer, whole=True)].rstrip() == answer[:decided].rstrip()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("language", "code", "found"),
    [
        ("python", "a)", [1]),
        ("python", "(a))", [3]),
        ("python", "')')", [3]),
        ("python", "# )\n)", [4]),
        ("javascript", "`)\n)`)", [5]),
        ("rust", "&'a str)", [7]),
        ("rust", "')' + b)", [7]),
        ("java", "\"}\" + '}')", [9]),
        ("markdown", "a) b", [1]),
    ],
)
def test_brackets_that_close_what_stood_open(language: str, code: str, found: list[int]) -> None:
    assert list(closers_without_opener(code, lexis_of(language_of(language, None)))) == found
