from __future__ import annotations

import pytest

from ast_prompt.focus import Place, Shape
from tests.completing import focus_in

PLACES = [
    ("main.py", "x = 1  # see █\n", Place.COMMENT),
    ("main.py", 'x = "a█"\n', Place.STRING),
    ("main.py", 'x = "a"█\n', Place.EXPRESSION),
    ("main.py", 'def f():\n    """Says █"""\n', Place.DOCSTRING),
    ("main.py", 'x = f"{a█}"\n', Place.EXPRESSION),
    ("main.py", "import os, █\n", Place.IMPORT),
    ("main.py", "x = os.pa█\n", Place.MEMBER),
    ("main.py", "x = 3.█\n", Place.EXPRESSION),
    ("main.py", "f(1, █)\n", Place.ARGUMENTS),
    ("main.py", "def f(a, █):\n    pass\n", Place.PARAMETERS),
    ("main.py", "def f():\n    █\n", Place.STATEMENT),
    ("main.py", "def f():\n    ret█\n", Place.STATEMENT),
    ("main.py", "def f():█\n", Place.OPENED),
    ("main.py", "x = █\n", Place.EXPRESSION),
    ("main.py", "# why\n█\n", Place.STATEMENT),
    ("main.ts", "function f() {█}\n", Place.OPENED),
    ("main.ts", "// why █\nf();\n", Place.COMMENT),
    ("main.ts", "/* why */█\nf();\n", Place.EXPRESSION),
    ("main.go", "func f() {\n\tx.█\n}\n", Place.MEMBER),
    ("main.rs", "fn f() {\n    Vec::█\n}\n", Place.MEMBER),
    ("notes.xyz", "some words █\n", Place.TEXT),
]


@pytest.mark.parametrize(("path", "drawing", "place"), PLACES)
def test_the_place_is_told_by_what_holds_the_cursor(path: str, drawing: str, place: Place) -> None:
    assert focus_in(drawing, path).place is place


SHAPES = [
    ("main.py", "def f():\n    █\n", Shape.BLOCK),
    ("main.py", "def f():█\n", Shape.BLOCK),
    ("main.py", "x = f(█)\n", Shape.LINE),
    ("main.py", "x = █\n", Shape.LINE),
    ("main.py", "█x = 1\n", Shape.LINE),
    ("main.js", "app.get('/', (req) => {█});\n", Shape.BLOCK),
    ("main.js", "f(█); // why\n", Shape.LINE),
    ("main.json", '{\n  "a": 1,\n  █\n}\n', Shape.BLOCK),
]


@pytest.mark.parametrize(("path", "drawing", "shape"), SHAPES)
def test_a_block_is_asked_only_where_there_is_room_for_one(path: str, drawing: str, shape: Shape) -> None:
    assert focus_in(drawing, path).shape is shape


@pytest.mark.parametrize(
    ("drawing", "names"),
    [
        ("class A:\n    def f(self):\n        x = 1\n        █\n\ny = 2\n", ["class", "block", "function", "block"]),
        ("class A:\n    def f(self):\n        x = 1\n    █\n\ny = 2\n", ["class", "block"]),
        ("class A:\n    def f(self):\n        x = 1\n█\n\ny = 2\n", []),
    ],
)
def test_on_a_blank_line_the_column_says_which_python_block_holds_it(drawing: str, names: list[str]) -> None:
    assert [scope.name for scope in focus_in(drawing).enclosing] == names
