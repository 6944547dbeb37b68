"""What looking at the cursor costs in long files, language by language.

    python -m tests.speed.scopes [--out tests/speed/scopes.json]

A block of 10,000 equal statements, the cursor in its middle: a query pattern that walks the whole block shows here
as milliseconds instead of hundredths. CPU milliseconds, median of 50.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

import tree_sitter

from ast_prompt.grammars import grammar_of
from ast_prompt.languages import language_of
from ast_prompt.scopes import scopes_at

STATEMENTS = 10_000
ROWS = [
    ("python", "def f():\n", "    a = g(1, 'b')\n", ""),
    ("javascript", "function f() {\n", "  const a = g(1, `b${c}`)\n", "}\n"),
    ("typescript", "function f() {\n", "  const a: string = g(1, `b${c}`)\n", "}\n"),
    ("go", "package m\nfunc f() {\n", '\ta := g(1, "b")\n', "}\n"),
    ("rust", "fn f() {\n", '    let a: u32 = g(1, "b");\n', "}\n"),
    ("java", "class A { void f() {\n", '    int a = g(1, "b");\n', "} }\n"),
    ("c", "int f() {\n", '    int a = g(1, "b");\n', "}\n"),
    ("cpp", "int f() {\n", '    auto a = g(1, "b");\n', "}\n"),
    ("csharp", "class A { void F() {\n", '    int a = G(1, "b");\n', "} }\n"),
    ("ruby", "def f\n", '  a = g(1, "b#{c}")\n', "end\n"),
    ("php", "<?php\nfunction f() {\n", '  $a = g(1, "b $c");\n', "}\n"),
    ("shellscript", "f() {\n", '  a=$(g "b $c")\n', "}\n"),
    ("html", "<ul>\n", "  <li class='a'>b</li>\n", "</ul>\n"),
    ("css", "", "a { color: rgb(1 2 3); }\n", ""),
    ("json", "[\n", '  {"a": [1, "b"]},\n', "{}]\n"),
    ("yaml", "a:\n", "  - b: 'c'\n", ""),
    ("lua", "function f()\n", '  local a = g(1, "b")\n', "end\n"),
    ("kotlin", "fun f() {\n", '  val a = g(1, "b$c")\n', "}\n"),
]


def measure(name: str, before: str, statement: str, after: str) -> float:
    language = language_of(name, None)
    grammar = grammar_of(language)
    assert grammar is not None
    tree = tree_sitter.Parser(grammar).parse((before + statement * STATEMENTS + after).encode())
    middle = len(before.encode()) + len(statement.encode()) * STATEMENTS // 2 + 10
    scopes_at(tree, language, middle)
    took = []
    for _ in range(50):
        begin = time.process_time()
        scopes_at(tree, language, middle)
        took.append((time.process_time() - begin) * 1000)
    return round(statistics.median(took), 4)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    found = {name: measure(name, before, statement, after) for name, before, statement, after in ROWS}
    print(json.dumps(found, indent=1))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
