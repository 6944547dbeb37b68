"""The kind of place at the cursor, drawn for each language in `focus/<language>.txt`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ast_prompt.focus import Focus, focus_at
from ast_prompt.languages import OFFICIAL, Language, language_of
from ast_prompt.place import Place, Shape
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from tests.completing import focus_in
from tests.picture import picture

DRAWINGS = Path(__file__).parent / "focus"
BROKEN = {"unclosed bracket", "half-typed word", "unclosed quote", "missing end"}


def drawn(language: Language) -> list[tuple[str, str, str]]:
    """A language's drawings: the kind of place, what is broken or "", and the drawing.

    Each stands under both: `-- arguments, unclosed bracket --`.
    """
    text = (DRAWINGS / f"{language.name}.txt").read_text(encoding="utf-8")
    _, *parts = re.split(r"^-- ([a-z ]+?)(?:, ([a-z -]+))? --\n", text, flags=re.MULTILINE)
    return [(kind, broken or "", drawing) for kind, broken, drawing in zip(*[iter(parts)] * 3, strict=True)]


def look(drawing: str, language: str) -> Focus:
    where = picture(drawing)
    row = language_of(language, None)
    text = text_of(where.before + where.after)
    return focus_at(text, parse(text, row), row, len(where.before.encode()))


@pytest.mark.parametrize(
    ("language", "kind", "drawing"),
    [(language.name, kind, drawing) for language in OFFICIAL for kind, _, drawing in drawn(language)],
)
def test_the_place_is_the_one_drawn(language: str, kind: str, drawing: str) -> None:
    assert look(drawing, language).place == kind


@pytest.mark.parametrize("language", OFFICIAL, ids=lambda language: language.name)
def test_each_language_is_drawn_broken_in_several_ways(language: Language) -> None:
    ways = {broken for _, broken, _ in drawn(language) if broken}
    assert ways <= BROKEN
    assert len(ways) >= 3


PROGRAMMING = [language for language in OFFICIAL if language.name not in ("html", "css", "json", "jsonc", "yaml")]


@pytest.mark.parametrize("language", PROGRAMMING, ids=lambda language: language.name)
def test_a_programming_language_is_drawn_in_most_kinds_of_place(language: Language) -> None:
    kinds = {kind for kind, _, _ in drawn(language)}
    if language.name.endswith("react"):  # the rest is drawn for the language without its markup
        kinds |= {kind for kind, _, _ in drawn(language_of(language.name.removesuffix("react"), None))}
    assert len(kinds) >= 14


def test_every_kind_of_place_is_drawn() -> None:
    assert {kind for language in OFFICIAL for kind, _, _ in drawn(language)} == {place.value for place in Place} - {
        "text"
    }


@pytest.mark.parametrize("language", OFFICIAL, ids=lambda language: language.name)
def test_every_cursor_in_every_drawing_has_a_place(language: Language) -> None:
    for _, _, drawing in drawn(language):
        data = drawing.replace("█", "").encode()
        text = text_of(data)
        tree = parse(text, language)
        for offset in range(len(data) + 1):
            assert focus_at(text, tree, language, offset).place is not Place.TEXT


def test_without_a_grammar_all_is_text() -> None:
    assert focus_in("some words █\n", "notes.xyz").place is Place.TEXT


PLACES = [
    ("main.py", 'x = "a"█\n', Place.RIGHT_SIDE),
    ("main.py", "x = 3.█\n", Place.RIGHT_SIDE),
    ("main.py", "é = fü(1, █\n", Place.ARGUMENTS),
    ("main.py", "x = {\n    'a': f(\n        1,\n        █\n", Place.ARGUMENTS),
    ("main.py", "x = a if █ else b\n", Place.CONDITION),
    ("main.py", "x = a[█]\n", Place.RIGHT_SIDE),
    ("main.py", "print('don\\'t', █\n", Place.ARGUMENTS),
    ("main.py", "print(  # it's\n    █\n", Place.ARGUMENTS),
    ("main.ts", "/* why */█\nf();\n", Place.STATEMENT),
    ("main.ts", 'const x = /[("]/;\nf(█', Place.ARGUMENTS),
    ("main.ts", "f(() => {\n  return █\n});\n", Place.RETURN_VALUE),
    ("main.ts", "const a = { b: [1, █] };\n", Place.ELEMENTS),
    ("main.rs", "fn f<'a>(x: &'a str, █) {}\n", Place.PARAMETERS),
    ("main.rs", "fn f() {\n    for i in 1..█ {\n    }\n}\n", Place.CONDITION),
    ("main.yaml", "a: it's\nb: █\n", Place.RIGHT_SIDE),
]


@pytest.mark.parametrize(("path", "drawing", "place"), PLACES)
def test_quotes_brackets_and_letters_of_all_kinds_are_read(path: str, drawing: str, place: Place) -> None:
    assert focus_in(drawing, path).place is place


def test_a_bracket_that_was_left_open_long_ago_holds_no_later_statement() -> None:
    assert focus_in("foo(1,\nx = 2\ny = █\n").place is Place.RIGHT_SIDE
    assert focus_in("function f() {\n  foo(1,\n  if (█\n}\n", "main.js").place is Place.CONDITION


def test_a_long_line_and_a_long_string_end_the_reach_not_the_answer() -> None:
    assert focus_in(f"x = f({'1, ' * 5000}█)\n").place is Place.ARGUMENTS
    assert focus_in(f'x = """{"a" * 5000}█"""\n').place is Place.STRING


SHAPES = [
    ("main.py", "def f():\n    █\n", Shape.BLOCK),
    ("main.py", "def f():█\n", Shape.BLOCK),
    ("main.py", "x = f(█)\n", Shape.LINE),
    ("main.py", "x = █\n", Shape.LINE),
    ("main.py", "█x = 1\n", Shape.LINE),
    ("main.py", "x: █\n", Shape.LINE),
    ("main.py", "f = lambda x: █\n", Shape.LINE),
    ("main.py", "x = f(\n    1,\n    █\n)\n", Shape.LINE),
    ("main.py", "from a import (\n    █\n)\n", Shape.LINE),
    ("main.py", "x = 1\n█\n", Shape.BLOCK),
    ("main.js", "app.get('/', (req) => {█});\n", Shape.BLOCK),
    ("main.js", "f(█); // why\n", Shape.LINE),
    ("main.js", "const a = {█}\n", Shape.LINE),
    ("main.js", "if (a) {█}\n", Shape.BLOCK),
    ("main.json", '{\n  "a": 1,\n  █\n}\n', Shape.BLOCK),
    ("main.yaml", "a: █\n", Shape.LINE),
    ("main.yaml", "a:█\n", Shape.BLOCK),
    ("notes.xyz", "█\n", Shape.BLOCK),
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


COMPLETE = [
    ("main.js", "return x;█\n", True),
    ("main.js", "function f() {\n  return x;  █\n}\n", True),
    ("main.js", "function f() {\n}█\n", True),
    ("main.js", "if (a) {\n}█\n", False),
    ("main.js", "f(() => {\n}█\n", False),
    ("main.js", "const f = function () {\n}█\n", False),
    ("main.js", "f();█ g();\n", False),
    ("main.js", "for (let i = 0;█\n", False),
    ("main.js", "f()█\n", False),
    ("main.js", 'x = ";█\n', False),
    ("main.py", "x = 1  █\n", True),
    ("main.py", "x = 1 █\n", False),
    ("main.py", "x = 1█\n", False),
    ("main.py", "x  █\n", False),
    ("main.py", "x = f(1,  █\n", False),
    ("main.py", "x = a and  █\n", False),
    ("main.py", "pass█\n", False),
    ("main.py", 'def f():\n    """Why."""█\n', True),
    ("main.c", "int x;█\n", True),
    ("main.c", "struct point {\n    int x;\n}█\n", False),
    ("main.c", "int x  █\n", False),
    ("main.css", "a {\n  color: red;█\n}\n", True),
    ("main.sh", "if a;█\n", False),
    ("main.go", "func f() {\n}█\n", True),
    ("main.go", "func f() {\n\tif a {\n\t}█\n}\n", False),
    ("notes.xyz", "that is all;█\n", False),
]


@pytest.mark.parametrize(("path", "drawing", "complete"), COMPLETE)
def test_a_statement_is_complete_only_where_nothing_can_follow_in_it(path: str, drawing: str, complete: bool) -> None:
    assert focus_in(drawing, path).complete is complete
