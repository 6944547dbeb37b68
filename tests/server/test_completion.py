from __future__ import annotations

import asyncio

import pytest
from inline_snapshot import snapshot

from server.completion import complete
from server.engines import Garbled, Refused, TimedOut, Unreachable
from server.settings import Settings
from server.trigger import Reason
from tests.completing import QWEN, Saying, check, completed, lane_of, snapshot_of
from tests.picture import picture


def test_stops_where_the_block_ends() -> None:
    assert check(
        """
        def area(r):
            return █
        print(area(2))
        """,
        says="math.pi * r ** 2\n\ndef volume(r):",
    ) == snapshot("""\
def area(r):
    return «math.pi * r ** 2»
print(area(2))
""")


def test_a_body_may_have_several_lines_but_not_leave_its_function() -> None:
    assert check(
        """
        class Cart:
            def total(self):
                for item in self.items:
                    █
        """,
        says="total += item.price\n        return total\n\n    def add(self, item):\n        pass",
    ) == snapshot("""\
class Cart:
    def total(self):
        for item in self.items:
            «total += item.price
        return total»
""")


def test_what_follows_in_the_function_is_not_overtaken() -> None:
    assert check(
        """
        def f(xs):
            for x in xs:
                █
            return 0
        """,
        says="print(x)\n    return 1",
    ) == snapshot("""\
def f(xs):
    for x in xs:
        «print(x)»
    return 0
""")


def test_ends_where_the_text_below_begins_again() -> None:
    assert check(
        """
        def load(path):
            with open(path) as file:
                █
                data = file.read()
            return data
        """,
        says="file.seek(0)\n        data = file.read()\n    return data",
    ) == snapshot("""\
def load(path):
    with open(path) as file:
        «file.seek(0)»
        data = file.read()
    return data
""")


def test_a_mere_repetition_is_not_shown() -> None:
    assert check("a = 1\n█\nb = load(2)\n", says="b = load(2)") == f"nothing: {Reason.REPEATS}"


def test_a_brace_that_stands_below_is_not_written_again() -> None:
    assert check(
        """
        function f(a) {
          █
        }
        g();
        """,
        path="main.js",
        says="if (a) {\n    g(a);\n  }\n}\n\nfunction h() {",
    ) == snapshot("""\
function f(a) {
  «if (a) {
    g(a);
  }»
}
g();
""")


def test_a_brace_that_is_missing_is_written_and_ends_the_answer() -> None:
    assert check("function f(a) {\n  █\n", path="main.js", says="return a;\n}\n\nfunction g() {\n}\n") == snapshot("""\
function f(a) {
  «return a;
}»
""")


def test_brackets_in_strings_and_comments_end_nothing() -> None:
    assert check(
        "function f(a) {\n  █\n}\n", path="main.js", says="log('}'); // }\n  log(`}\n}`);\n  return a;\n}"
    ) == snapshot("""\
function f(a) {
  «log('}'); // }
  log(`}
}`);
  return a;»
}
""")


def test_at_the_top_level_one_definition_is_enough() -> None:
    assert check("import os\n\n█\n", says="def f():\n    return 1\n\ndef g():\n    return 2\n") == snapshot("""\
import os

«def f():
    return 1»
""")


@pytest.mark.parametrize(
    ("drawing", "says", "after"),
    [
        ("def area(█)\n", "width, height):", "def area(«width, height):»\n"),
        ('print("█")\n', 'done")', 'print("«done")»\n'),
        ('d = {"k": [█]}\n', "1, 2]}", 'd = {"k": [«1, 2]}»\n'),
        ("f(g(█))\n", "x)", "f(g(«x)»)\n"),
        ("f(█)\n", "g(x)", "f(«g(x)»)\n"),
        ("f(█)\n", "x", "f(«x»)\n"),
        ("const t = add(█, b, c);\n", "a, b", "const t = add(«a», b, c);\n"),
        ("let n = █ // count\n", "items.length; // count", "let n = «items.length;» // count\n"),
        ("const total = █;\n", "add(10, 5);", "const total = «add(10, 5)»;\n"),
        ("const o = { a: █, b: 2 };\n", "1,", "const o = { a: «1», b: 2 };\n"),
        ("if █:\n    pass\n", "a == b:", "if «a == b»:\n    pass\n"),
        ("const a: Foo<█> = x;\n", "string>", "const a: Foo<«string»> = x;\n"),
        ("const a: Foo<█>;\n", "string>;", "const a: Foo<«string»>;\n"),
        ("function sub(a, b) {█}\n", "\n  return a - b;\n}", "function sub(a, b) {«\n  return a - b;\n}»\n"),
        ("users.map(u => {█});\n", "\n  return u.name;\n});", "users.map(u => {«\n  return u.name;\n});»\n"),
        ("f(█, 2); // why\n", "g(1), 2); // why", "f(«g(1)», 2); // why\n"),
    ],
)
def test_what_stands_right_of_the_cursor_is_not_written_again(drawing: str, says: str, after: str) -> None:
    assert (
        check(drawing, says, "main.ts" if ";" in drawing or "{█" in drawing or "let" in drawing else "main.py") == after
    )


@pytest.mark.parametrize(
    ("drawing", "reason"),
    [
        ("x = 1  # see █\n", Reason.COMMENT),
        ("va█lue = 1\n", Reason.IN_WORD),
    ],
)
def test_quiet_places_cost_no_request(drawing: str, reason: Reason) -> None:
    engine = Saying("never")
    assert completed(drawing, engine).reason is reason
    assert engine.prompts == []


def test_strings_can_be_left_out() -> None:
    assert completed('x = "a█"\n', Saying("b"), settings=Settings(strings=False)).reason is Reason.STRING
    assert completed('x = "a█"\n', Saying("b")).reason is Reason.SHOWN


def test_the_stream_is_closed_as_soon_as_the_answer_ends() -> None:
    engine = Saying("1\n" + "rubbish\n" * 100)
    assert completed("x = █\n", engine).text == "1"
    assert engine.given < 10


def test_the_engine_stops_by_itself_at_the_line_s_end() -> None:
    engine = Saying("1", dialect=QWEN)
    completed("x = █\n", engine)
    assert engine.limits[0].stop == ("\n",)
    completed("def f():\n    █\n", engine)
    assert engine.limits[1].stop == ()


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (Unreachable("a"), Reason.DOWN),
        (Refused("b"), Reason.REFUSED),
        (TimedOut("c"), Reason.LATE),
        (Garbled("d"), Reason.BROKEN),
    ],
)
def test_a_failure_in_the_middle_of_the_stream_voids_the_answer(error: Exception, reason: Reason) -> None:
    completion = completed("x = █\n", Saying("12", fails=error))  # type: ignore[arg-type]
    assert (completion.text, completion.reason, completion.detail) == ("", reason, str(error))


def test_the_model_s_blank_is_no_completion() -> None:
    assert completed("x = █\n", Saying("  \n\n")).reason is Reason.NOTHING
    assert completed("x = █\n", Saying("")).reason is Reason.NOTHING


def test_marks_that_the_prompt_split_come_back_whole() -> None:
    split = "<\u200b|endoftext|>"
    assert check('A = "<|endoftext|>"\nB = █\n', says=f'"{split}"') == 'A = "<|endoftext|>"\nB = «"<|endoftext|>"»\n'


def test_a_word_that_ends_a_block_is_written_where_it_is_missing() -> None:
    assert check("def f(a)\n  █\n", path="main.rb", says="a + 1\nend\n\ndef g\nend\n") == snapshot("""\
def f(a)
  «a + 1
end»
""")
    assert check("def f(a)\n  █\nend\n", path="main.rb", says="a + 1\nend\n\ndef g\nend\n") == snapshot("""\
def f(a)
  «a + 1»
end
""")


def test_an_answer_goes_on_behind_a_blank_line_however_its_tokens_fall() -> None:
    assert check(
        "class Stack:\n    █\n",
        says="def __init__(self):\n        self.items = []\n\n    def push(self, x):\n        self.items.append(x)\n",
    ) == snapshot("""\
class Stack:
    «def __init__(self):
        self.items = []

    def push(self, x):
        self.items.append(x)»
""")


def test_a_half_written_end_word_is_waited_for() -> None:
    assert check("for x in a; do\n  █\n", path="main.sh", says="echo $x\ndone\necho end\n") == snapshot("""\
for x in a; do
  «echo $x
done»
""")


def test_a_bracket_in_a_literal_ends_nothing_while_it_streams() -> None:
    assert check(
        "class A {\n  String f() {\n    █\n  }\n}\n", path="A.java", says="return \"a\" + '}' + b;\n  }\n"
    ) == snapshot("""\
class A {
  String f() {
    «return "a" + '}' + b;»
  }
}
""")


def test_a_line_that_the_model_repeats_for_ever_is_written_once() -> None:
    assert check("def f():\n    █\n", says="print('-')\n" + "    print('-')\n" * 9) == snapshot("""\
def f():
    «print('-')»
""")


def test_a_call_may_go_on_below_its_bracket() -> None:
    assert check("x = f(█)\n", says="\n    1,\n    2,\n)\nprint(x)") == snapshot("""\
x = f(«
    1,
    2,
)»
""")


def test_what_the_limit_of_tokens_left_half_written_is_not_shown() -> None:
    engine = Saying("a = 1\n    b = 2\n    print(", cut=True)
    assert completed("def f():\n    █\n", engine).text == "a = 1\n    b = 2"


def test_an_empty_file_is_left_alone() -> None:
    engine = Saying("import os")
    assert completed("\n█\n", engine).reason is Reason.EMPTY
    assert engine.prompts == []


def test_no_word_is_completed_in_its_middle() -> None:
    for drawing in ("va█2r = 1\n", "va█_r = 1\n", "va█é = 1\n"):
        assert completed(drawing, Saying("x")).reason is Reason.IN_WORD


def test_a_tag_that_the_line_opened_is_closed() -> None:
    assert check("x = '<s>' + █\n", says="x + '</s>'\n") == "x = '<s>' + «x + '</s>'»\n"


@pytest.mark.parametrize(
    ("drawing", "says", "after"),
    [
        ("x = join(sorted(keys(█)), ',')\n", "a)), ',')", "x = join(sorted(keys(«a)), ',')»\n"),
        ("return █  # why (or not)\n", "a  # why (or not)", "return «a»  # why (or not)\n"),
        ("if █ return { ...b }\n", "(a == null) return { ...b }", "if «(a == null)» return { ...b }\n"),
    ],
)
def test_a_repetition_with_brackets_of_its_own(drawing: str, says: str, after: str) -> None:
    assert check(drawing, says, "a.ts" if "{" in drawing else "a.py") == after


def test_who_asks_by_a_key_is_answered_where_it_is_quiet_else() -> None:
    drawn = picture("x = 1  # see █\n")
    snapshot_, offset = snapshot_of(drawn)
    engine = Saying("below")
    invoked = asyncio.run(complete(snapshot_, offset, lane_of(engine), Settings(), invoked=True))
    assert (invoked.reason, invoked.text) == (Reason.SHOWN, "below")


def test_several_lines_that_would_break_the_code_are_not_shown() -> None:
    completion = completed("def f():\n    █\n\nx = 1\n", Saying("if (:\n        ]]\n    for ((\n"))
    assert completion.reason is Reason.BREAKS


@pytest.mark.parametrize(
    ("path", "drawing", "says", "after"),
    [
        (
            "a.c", "void f() {\n  if (█\n}\n", "a > 0) {\n    b();\n  }\n}\n",
            "void f() {\n  if («a > 0) {\n    b();\n  }»\n}\n",
        ),
        ("a.ts", "x = foo(█)\n", "a, {\n  b: 1,\n})\ny = 2", "x = foo(«a, {\n  b: 1,\n})»\n"),
        ("a.py", "x = █\n", "foo(a,\n    b)\ny = 2", "x = «foo(a,\n    b)»\n"),
        ("a.py", "# see █\n\nx = 1\n", "this (or\nthat)", "# see «this (or»\n\nx = 1\n"),
        ("a.py", "x = █ if b else c\n", "foo(\n    a)", "x = «foo()» if b else c\n"),
        ("a.go", "func f() {\n\tif a█\n\t}\n}\n", " {\n\t\tb()\n\t}\n", "func f() {\n\tif a« {\n\t\tb()»\n\t}\n}\n"),
    ],
)  # fmt: skip
def test_a_line_goes_on_until_what_it_opened_is_closed(path: str, drawing: str, says: str, after: str) -> None:
    assert check(drawing, says, path, Settings(comments=True)) == after


@pytest.mark.parametrize(
    ("path", "drawing", "says", "after"),
    [
        ("a.c", "void f() {\n  if (█\n}\n", "a > 0) {", "void f() {\n  if («a > 0) {\n  }»\n}\n"),
        ("a.c", "void f() {\n  x = █\n}\n", "foo(a,", "void f() {\n  x = «foo(a);»\n}\n"),
        ("a.py", "x = █\n", "[1, (2", "x = «[1, (2)]»\n"),
        ("a.ts", "x = █\n  ? 1 : 2;\n", "a === 'b',", "x = «a === 'b'»\n  ? 1 : 2;\n"),
        ("a.c", "int x = f(█) == 0;\n", "A, B,", "int x = f(«A, B») == 0;\n"),
        ("a.py", "x = 1\ny = █\n", "]", "nothing: the model's answer would break the code"),
    ],
)
def test_one_line_that_breaks_the_code_is_mended_or_not_shown(path: str, drawing: str, says: str, after: str) -> None:
    assert check(drawing, says, path) == after


def test_the_engine_is_asked_again_only_for_what_the_line_left_open() -> None:
    engine = Saying(" > 0) {\n    b();\n  }\n}\n")
    completed("void f() {\n  if (a█\n}\n", engine, "a.c")
    assert [limits.stop for limits in engine.limits] == [("\n",), ()]
    assert engine.prompts[1].text == engine.prompts[0].text + engine.prompts[0].forced + " > 0) {\n"
    engine = Saying("a > 0;\n  c();")
    completed("void f() {\n  b = █\n}\n", engine, "a.c")
    assert len(engine.prompts) == 1


def test_brackets_of_prose_and_of_a_shell_s_case_end_nothing() -> None:
    assert check("# A\n\n█\n", path="main.md", says="1) one\n2) two\n") == "# A\n\n«1) one\n2) two»\n"
    assert (
        check("case $x in\n  █\nesac\n", path="main.sh", says="a) f ;;\n  b) g ;;\nesac\n")
        == "case $x in\n  «a) f ;;\n  b) g ;;»\nesac\n"
    )


def test_a_line_whose_block_stands_below_stays_one_line() -> None:
    before = "".join(f"func f{number}() {{\n\tg({number})\n\th()\n}}\n\n" for number in range(400))
    below = "\n\t\ta.clear()\n\t}\n\tif b {\n\t\tc()\n\t}\n\treturn nil\n}\n\n" + before
    drawing = f"package p\n\n{before}func k() {{\n\tif a := w.█{below}"
    shown = check(drawing, "x(); a != nil {\n\t\ta.clear()\n\t}\n", path="a.go")
    assert "if a := w.«x(); a != nil {»\n\t\ta.clear()\n\t}\n" in shown
