from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ast_prompt.brackets import closers_without_opener, lexis_of
from ast_prompt.closing import ending, room_at
from ast_prompt.languages import language_of
from tests.completing import check, focus_in

PLACES = {
    "main.py": [
        "def f(a):\n    █\n",
        "class A:\n    def f(self):\n        if a:\n            █\n        return 1\n",
        "x = f(█)\n",
        "def f(a):\n█\n",
        "def f(a):\n    if (a:\n        █\n    return {\n",
    ],
    "main.js": [
        "function f(a) {\n  █\n}\n",
        "f(() => {█});\n",
        "const a = █;\n",
        "if (a) {\n  █\n",
        "class A {\n  f() {\n    █}\n}\n",
    ],
    "main.c": ["int f() {\n  █\n}\n", "int f() {\n  if (a) {\n    █\n}\n"],
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
PIECES += ["def f():", "return x;", "done", "fi", "'a", '"""', "\\", "else", ";", "/*", "*/", "#if A", ": ", "*"]


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


# where a block ends, by the tree


@pytest.mark.parametrize(
    ("path", "drawing", "says", "shown"),
    [
        # what looks like a bracket, or like a line further out, and is none
        ("a.js", "function f(a) {\n  █\n}\n", "a = a.replace(/[}]/g, '');\n  return a;\n}", "a = a.replace(/[}]/g, '');\n  return a;"),
        ("a.c", "int f() {\n  █\n}\n", "/* don't } */\n  g();\n}\n", "/* don't } */\n  g();"),
        ("a.c", "int f() {\n  █\n}\n", "g();\n#ifdef B\n  h();\n#endif\n}\n", "g();\n#ifdef B\n  h();\n#endif"),
        ("a.py", "def f():\n    █\n", 's = """\nab\n\n\ncd\n"""\n    g(s)\nh()', 's = """\nab\n\n\ncd\n"""\n    g(s)'),
        # what nothing can reach, what can't stand where it does
        ("a.py", "def f():\n    █\n", "return 1\n    g()", "return 1"),
        ("a.py", "def f():\n    █\n", "return (\n        1\n    )\n    g()", "return (\n        1\n    )"),
        ("a.py", "def f():\n    █\n", "if a:\n        return 1\n    g()", "if a:\n        return 1\n    g()"),
        ("a.py", "def f():\n    █\n", "a = 1\n        b = 2", "a = 1"),
        ("a.go", "func f() {\n\t█\n}\n", "return\n\tg()", "return"),
        # behind what opens a block, and before the bracket that ends it
        ("a.rs", "fn f() {\n    let v = unsafe { █ };\n    (1, v)\n}\n", "g(1)\n    (1, v)\n}", "g(1)"),
        ("a.go", "func f() {\n\tif a {\n\t\t█\t}\n}\n", "g()\n\t\treturn\n\t}\n\th()", "g()\n\t\treturn\n"),
        # a short line that stands below at another depth is no repetition
        ("a.py", "def f():\n    if a:\n        █\n\n    try:\n        g()\n", "try:\n            h()", "try:\n            h()"),
    ],
)  # fmt: skip
def test_where_a_block_ends(path: str, drawing: str, says: str, shown: str) -> None:
    assert check(drawing, says, path) == drawing.replace("█", f"«{shown}»")


@pytest.mark.parametrize(
    ("path", "drawing", "says", "shown"),
    [
        ("a.js", "f(() => {\n  █\n});\n", "g();\n  if (a) {\n    h();\n  }\n  if (b) {\n    c(", "g();\n  if (a) {\n    h();\n  }"),
        ("a.py", "def f():\n    █\n", "a = 1\n    b = g(\n", "a = 1"),
        ("a.py", "x = [█]\n", "1, 2)", "1, 2"),
        ("a.c", "int f() {\n  g(█);\n  h();\n}\n", "\n    1, 2\n  h();\n  i();\n", "\n    1, 2"),
        # one line may be the beginning of more
        ("a.js", "if (a) {\n  █\n}\n", "for (const b of a) {", "for (const b of a) {\n  }"),
    ],
)  # fmt: skip
def test_of_an_answer_that_breaks_the_syntax_its_whole_beginning_is_kept(
    path: str, drawing: str, says: str, shown: str
) -> None:
    assert check(drawing, says, path) == drawing.replace("█", f"«{shown}»")


def test_several_lines_that_only_break_the_syntax_are_not_shown() -> None:
    assert check("function f() {\n  █\n}\n", "if (a) {\n    b(;\n", "a.js").startswith("nothing")
    # where the code is broken anyhow, no line can be told from another
    broken = check("function f( {\n  █\n}\n", "if (a) {\n    b();\n  }\n", "a.js")
    assert broken == "function f( {\n  «if (a) {\n    b();\n  }»\n}\n"
