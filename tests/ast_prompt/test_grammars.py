"""Every grammar that a row names, and the queries written for it."""

from __future__ import annotations

import subprocess
import sys
import warnings
from dataclasses import replace
from importlib.util import find_spec

import pytest
import tree_sitter

from ast_prompt.grammars import grammar_note, grammar_of, query_of
from ast_prompt.languages import LANGUAGES, OFFICIAL, PLAINTEXT, Language, language_of
from ast_prompt.scopes import CAPTURES

SNIPPETS = {
    "python": "async def f[T](a: T, *b) -> T:\n    match a:\n        case {'k': v}:\n            return f'{v!r}'\n",
    "javascript": "export default class A { #x = 1; async *m() { for await (const y of z) yield y?.q ?? 1 } }\n",
    "javascriptreact": "const a = () => <ul>{items.map(item => <li key={item}>{item}</li>)}</ul>\n",
    "typescript": "export const f = <T,>(a: T): a is string => (a satisfies T) as unknown as boolean\n",
    "typescriptreact": "const a = (p: Props): JSX.Element => <b {...p}>text</b>\n",
    "go": "package m\n\nfunc f[T any](a []T) (n int, err error) {\n\tfor range a {\n\t\tn++\n\t}\n\treturn\n}\n",
    "rust": "impl<T: Clone> A for B<T> { async fn f(&self) -> Option<T> { let Some(x) = g() else { return y }; x } }\n",
    "java": "sealed interface A permits B {}\nrecord B(int x) implements A { int y = switch (x) { default -> 1; }; }\n",
    "c": '#include <stdio.h>\n#define N 3\nint main(void) { for (int i = 0; i < N; i++) printf("%d", i); return 0; }\n',
    "cpp": "template <typename T> concept C = requires(T a) { a.f(); };\nauto g = [](auto&& x) { return x; };\n",
    "csharp": 'namespace N;\npublic record A(int X) { public string S => $"{X}"; async Task F() { await G(); } }\n',
    "ruby": 'class A < B\n  def m(a, b: 1, **c) = puts("#{a}")\n  x.each { |y| y&.z }\nend\n',
    "php": "<?php\nenum B: string { case C = 'c'; function f(): static { return $this?->g(fn($x) => $x); } }\n",
    "shellscript": 'f() {\n  local a=${1:-b}\n  if [[ $a == c* ]]; then echo "$(d)"; fi\n}\ncat <<E | sort\nx\nE\n',
    "html": '<!doctype html>\n<html><body class="a"><br><script>f()</script></body></html>\n',
    "css": "@media (min-width: 1px) { a:hover > b { color: rgb(1 2 3 / 50%); --x: 1; } }\n",
    "json": '{"a": [1, true, null, "b"]}\n',
    "jsonc": '{\n  // why\n  "a": 1\n}\n',
    "yaml": "a: &b\n  - c: |\n      text\n  - {d: 1, e: [2]}\n",
    "lua": "local function f(a, ...)\n  for i, v in ipairs(a) do print(i .. v) end\n  return { x = 1, [2] = 3 }\nend\n",
    "kotlin": 'data class A(val x: Int) {\n  fun f() = when (x) { 1 -> "a$x"; else -> listOf(1).map { it + 1 } }\n}\n',
}

# what a language has no syntax for, or its grammar doesn't tell apart
MARKUP = {"function", "class", "parameters", "arguments", "type", "member", "import", "interpolation", "docstring"}
WITHOUT = {
    "python": set(),
    "javascript": {"docstring", "type"},
    "javascriptreact": {"docstring", "type"},
    "typescript": {"docstring"},
    "typescriptreact": {"docstring"},
    "go": {"docstring", "interpolation"},
    "rust": {"interpolation"},  # format!'s arguments are not parsed
    "java": {"docstring"},
    "c": {"docstring", "interpolation"},
    "cpp": {"docstring", "interpolation"},
    "csharp": {"docstring"},
    "ruby": {"docstring", "type"},
    "php": {"docstring"},
    "shellscript": {"docstring", "class", "parameters", "arguments", "type", "member"},
    "html": MARKUP,
    "css": MARKUP - {"arguments", "import"},
    "json": MARKUP,
    "jsonc": MARKUP,
    "yaml": MARKUP,
    "lua": {"docstring", "class", "type", "interpolation"},
    "kotlin": {"docstring"},
}

official = pytest.mark.parametrize("language", OFFICIAL, ids=lambda language: language.name)


def parses(language: Language, text: str) -> bool:
    grammar = grammar_of(language)
    assert grammar is not None, grammar_note(language)
    return not tree_sitter.Parser(grammar).parse(text.encode()).root_node.has_error


@official
def test_an_official_grammar_comes_from_its_own_wheel_and_parses(language: Language) -> None:
    assert parses(language, SNIPPETS[language.name])
    assert grammar_note(language) == f"grammar from {language.wheel.partition(':')[0]}"


@official
def test_a_language_captures_all_that_it_has_syntax_for(language: Language) -> None:
    query = query_of(language, "scopes")
    assert query is not None
    names = {query.capture_name(index) for index in range(query.capture_count)}
    assert {name for name in names if not name.startswith("_")} == set(CAPTURES) - WITHOUT[language.name]


@official
def test_no_pattern_begins_at_the_root_of_the_file(language: Language) -> None:
    grammar, query = grammar_of(language), query_of(language, "scopes")
    assert grammar is not None
    assert query is not None
    # the file's root holds no other node here, so that only a pattern that begins at the root can match
    for text in ("", " ", "\n"):
        tree = tree_sitter.Parser(grammar).parse(text.encode())
        assert tree_sitter.QueryCursor(query).matches(tree.root_node) == []


@pytest.mark.skipif(find_spec("tree_sitter_languages") is None, reason="tree-sitter-languages ends at Python 3.12")
def test_the_bridge_loads_every_language_that_names_a_bundled_grammar() -> None:
    for language in (replace(language, wheel="", packed="") for language in LANGUAGES if language.bundled):
        grammar = grammar_of(language)
        assert grammar is not None, grammar_note(language)
        assert tree_sitter.Parser(grammar).parse(b"a\n").root_node.end_byte > 0
        assert grammar_note(language) == "grammar from tree_sitter_languages"


@pytest.mark.skipif(find_spec("tree_sitter_language_pack") is None, reason="the pack is for Python 3.13 and later")
def test_the_pack_loads_every_language_that_names_a_packed_grammar() -> None:
    for language in (replace(language, wheel="", bundled="") for language in LANGUAGES if language.packed):
        grammar = grammar_of(language)
        assert grammar is not None, grammar_note(language)
        assert tree_sitter.Parser(grammar).parse(b"a\n").root_node.end_byte > 0
        assert grammar_note(language) == "grammar from tree_sitter_language_pack"


def test_one_of_the_collections_is_installed() -> None:
    assert find_spec("tree_sitter_languages") or find_spec("tree_sitter_language_pack")


def test_a_grammar_of_the_long_tail_parses_without_a_deprecation_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert parses(replace(language_of("toml", None), aliases=("cold",)), "[a]\nb = 1\n")


def test_a_broken_wheel_gives_way_to_the_next_package_and_is_noted() -> None:
    broken = replace(language_of("json", None), wheel="json:no_such_function")
    assert parses(broken, "[1]")
    assert "json: module 'json' has no attribute 'no_such_function'" in grammar_note(broken)


def test_what_is_no_grammar_is_refused_with_its_reason() -> None:
    refused = Language("refused", wheel="os:getcwd")
    assert grammar_of(refused) is None
    assert grammar_note(refused).startswith("no grammar, read as plain text; os: ")


def test_a_package_that_is_absent_is_noted() -> None:
    absent = Language("absent", wheel="tree_sitter_absent:language")
    assert grammar_of(absent) is None
    assert grammar_note(absent) == "no grammar, read as plain text; tree_sitter_absent: not installed"


def test_plain_text_has_no_grammar_and_no_queries() -> None:
    assert grammar_of(PLAINTEXT) is None
    assert query_of(PLAINTEXT, "scopes") is None


def test_a_query_that_was_written_for_another_grammar_is_none() -> None:
    assert query_of(replace(language_of("json", None), queries="python"), "scopes") is None
    assert query_of(language_of("json", None), "no-such-query") is None


def test_importing_the_package_imports_no_grammar() -> None:
    program = (
        "import sys, ast_prompt.languages, ast_prompt.scopes; print(*(m for m in sys.modules if 'tree_sitter' in m))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"tree_sitter", "tree_sitter._binding"}
