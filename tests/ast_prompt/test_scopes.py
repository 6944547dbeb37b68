"""What the cursor stands in, drawn for each language in `scopes/<language>.txt`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tree_sitter

from ast_prompt.grammars import grammar_of, query_of
from ast_prompt.languages import OFFICIAL, PLAINTEXT, Language, language_of
from ast_prompt.reading import Opened
from ast_prompt.scopes import CAPTURES, Capture, scopes_at
from ast_prompt.surroundings import surroundings_of
from ast_prompt.text import text_of
from tests.picture import picture

DRAWINGS = Path(__file__).parent / "scopes"


def drawn(language: Language) -> list[tuple[str, str]]:
    """The drawings of a language, each behind the names that it is under: `-- statement string --`."""
    text = (DRAWINGS / f"{language.name}.txt").read_text(encoding="utf-8")
    _, *parts = re.split(r"^-- ([a-z ]+) --\n", text, flags=re.MULTILINE)
    return list(zip(parts[::2], parts[1::2], strict=True))


def parse(language: Language, text: str) -> tree_sitter.Tree:
    grammar = grammar_of(language)
    assert grammar is not None
    return tree_sitter.Parser(grammar).parse(text.encode())


def look(drawing: str, language: str) -> tuple[Capture, ...]:
    where = picture(drawing)
    row = language_of(language, None)
    return scopes_at(parse(row, where.before + where.after), row, len(where.before.encode()))


def names(captures: tuple[Capture, ...]) -> str:
    return " ".join(capture.name for capture in captures) or "nothing"


@pytest.mark.parametrize(
    ("language", "expected", "drawing"),
    [(language.name, expected, drawing) for language in OFFICIAL for expected, drawing in drawn(language)],
)
def test_the_cursor_stands_in_what_is_drawn(language: str, expected: str, drawing: str) -> None:
    assert names(look(drawing, language)) == expected


@pytest.mark.parametrize("language", OFFICIAL, ids=lambda language: language.name)
def test_at_every_byte_the_short_look_finds_what_a_look_at_the_whole_file_finds(language: Language) -> None:
    query = query_of(language, "scopes")
    assert query is not None
    for _, drawing in drawn(language):
        text = drawing.replace("█", "")
        tree = parse(language, text)
        everything = tree_sitter.QueryCursor(query).captures(tree.root_node)
        spans = [(name, node) for name in CAPTURES for node in everything.get(name, ())]
        for offset in range(len(text.encode()) + 1):
            found = {(capture.name, capture.start, capture.end) for capture in scopes_at(tree, language, offset)}
            inside = {(name, *node.byte_range) for name, node in spans if node.start_byte <= offset < node.end_byte}
            at_end = {(name, *node.byte_range) for name, node in spans if node.end_byte == offset}
            assert inside <= found <= inside | at_end


def test_a_capture_says_where_its_node_is_and_what_kind_it_is() -> None:
    assert look("π = f(█1)", "python") == (
        Capture("statement", 0, 9, "expression_statement"),
        Capture("arguments", 6, 9, "argument_list"),
    )


def test_a_node_that_ends_with_the_file_is_found_at_its_end() -> None:
    assert names(look("def f():\n    return 1█", "python")) == "statement function block statement"
    assert names(look("# about█", "python")) == "comment"


def test_a_node_that_begins_with_the_file_is_found_at_its_start() -> None:
    assert names(look("█# about", "python")) == "comment"


def test_an_empty_file_holds_nothing() -> None:
    for language in OFFICIAL:
        assert names(look("█", language.name)) == "nothing"


def test_an_offset_behind_the_file_is_in_nothing() -> None:
    row = language_of("python", None)
    assert scopes_at(parse(row, "x = 1\n"), row, 1000) == ()


def test_of_two_statements_that_touch_the_one_that_ends_comes_first() -> None:
    assert [
        (capture.start, capture.end) for capture in look("f();█g();", "javascript") if capture.name == "statement"
    ] == [
        (0, 4),
        (4, 8),
    ]


def test_a_line_break_at_the_end_of_a_node_does_not_draw_in_the_next_line() -> None:
    assert names(look("#include <a.h>\n█", "c")) == "nothing"
    assert names(look("/// about\n█", "rust")) == "nothing"


def test_a_block_keeps_its_last_line_break() -> None:
    assert names(look("a:\n  b: 1\n█", "yaml")) == "block block"


def test_the_line_below_an_indented_block_is_outside() -> None:
    assert names(look("def f():\n    return 1\n    █\n", "python")) == "nothing"


def test_a_language_without_queries_captures_nothing() -> None:
    tree = parse(language_of("python", None), "x = 1\n")
    assert scopes_at(tree, PLAINTEXT, 1) == ()
    assert scopes_at(tree, language_of("toml", None), 1) == ()


def test_a_tree_that_was_parsed_in_pieces_gives_the_same() -> None:
    row = language_of("ruby", None)
    grammar = grammar_of(row)
    assert grammar is not None
    data = b"require 'shapes'\nprint 'shapes'\n"
    tree = tree_sitter.Parser(grammar).parse(lambda offset, _: data[offset : offset + 5])
    assert names(scopes_at(tree, row, 12)) == "statement import arguments string"
    assert names(scopes_at(tree, row, 26)) == "statement arguments string"


def opened(drawing: str, language: str) -> Opened:
    where = picture(drawing)
    row = language_of(language, None)
    source = where.before + where.after
    return surroundings_of(text_of(source), parse(row, source), row, len(where.before.encode())).opened


@pytest.mark.parametrize(
    ("language", "drawing", "levels"),
    [
        ("python", "x = foo(a, [1, 2], 's', b█", [("", "x = foo"), ("(", "a, [0000], 000, b")]),
        ("python", "x = 1\ny = █", [("", "y = ")]),
        ("python", "x = a + \\\n  █", [("", "x = a + \\\n  ")]),
        ("javascript", "f(() => {\n  a();\n  return █", [("", "f"), ("(", "() => "), ("block", "  return ")]),
        ("javascript", "const o = { a: { b: █", [("", "const o = "), ("{", " a: "), ("{", " b: ")]),
        ("javascript", "a\n  .b(1)\n  .c(█", [("", "a\n  .b(0)\n  .c"), ("(", "")]),
        ("c", "int f() {\n  int x = 1;\n  g(█", [("", "int f() "), ("block", "\n  g"), ("(", "")]),
        ("go", "x := T{1, █", [("", "x := T"), ("{", "1, ")]),
        ("rust", "fn f<'a>(█", [("", "fn f<'a>"), ("(", "")]),
        ("python", "foo(1,\nx = █", [("", "x = ")]),
        ("python", "x = (1))\ny(█", [("", "y"), ("(", "")]),
        ("python", 'x = f"{a(█}"', [("interpolation", "a"), ("(", "")]),
        ("python", "é(█", [("", "aa"), ("(", "")]),
    ],
)
def test_brackets_that_nothing_closes_are_open(language: str, drawing: str, levels: list[tuple[str, str]]) -> None:
    assert [(level.opener, level.code) for level in opened(drawing, language).levels] == levels


@pytest.mark.parametrize(
    ("language", "drawing", "literal"),
    [
        ("python", 'x = "a█', "string"),
        ("python", "x = 'a\ny = b█", ""),
        ("python", 'def f():\n    """a█', "docstring"),
        ("python", 'x = """a█', "string"),
        ("python", "# a█\nx = 1", "comment"),
        ("python", "# a\n█x = 1", ""),
        ("javascript", "f(); /* a█\ng();", "comment"),
        ("javascript", "x = `a█\ng();", "string"),
        ("rust", "fn f() { let x: &'a█", ""),
        ("yaml", "a: don't█", ""),
        ("lua", "x = 1 --[[ a█", "comment"),
        ("html", "<!-- a█", "comment"),
    ],
)
def test_a_quote_or_a_comment_that_nothing_closes_is_open(language: str, drawing: str, literal: str) -> None:
    assert opened(drawing, language).literal == literal


def test_what_an_opening_bracket_told_is_where_its_bytes_are() -> None:
    outer, inner = opened("é = f(1, █", "python").levels
    assert (outer.begin, inner.start, inner.begin) == (0, 6, 7)
