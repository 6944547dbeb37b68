"""What looking at one cursor costs in a long file, language by language.

    python -m tests.speed.focus [--out tests/speed/focus.json]

A file of 20,000 lines of one function after the other, the cursor behind an unclosed bracket in its middle: the tree
is broken there, which costs the most. CPU milliseconds, median and 95th percentile of 200.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from ast_prompt.focus import focus_at
from ast_prompt.languages import language_of
from ast_prompt.place import Place
from ast_prompt.text import text_of
from ast_prompt.tree import parse

LINES = 20_000
ROWS = [
    ("python", "def f(a, b):\n    x = g(a, 'b')\n    if x:\n        return h(x)\n\n\n", "    g(a, 1, "),
    ("javascript", "function f(a, b) {\n  const x = g(a, `b${c}`);\n  if (x) {\n    h(x);\n  }\n}\n", "  g(a, 1, "),
    ("typescript", "function f(a: A, b: B) {\n  const x: X = g(a, 'b');\n  if (x) {\n    h(x);\n  }\n}\n", "g(a, 1, "),
    ("go", 'func f(a int) int {\n\tx := g(a, "b")\n\tif x {\n\t\th(x)\n\t}\n}\n', "\tg(a, 1, "),
    ("rust", 'fn f(a: u8) {\n    let x = g(a, "b");\n    if x {\n        h(x);\n    }\n}\n', "    g(a, 1, "),
    (
        "java",
        'class A { void f(A a) {\n    int x = g(a, "b");\n    if (x) {\n      h(x);\n    }\n} }\n',
        "    g(a, 1, ",
    ),
    ("c", 'int f(int a) {\n    int x = g(a, "b");\n    if (x) {\n        h(x);\n    }\n}\n', "    g(a, 1, "),
    ("cpp", 'int f(int a) {\n    auto x = g(a, "b");\n    if (x) {\n        h(x);\n    }\n}\n', "    g(a, 1, "),
    ("csharp", 'class A { void F(A a) {\n  int x = G(a, "b");\n  if (x) {\n    H(x);\n  }\n} }\n', "    G(a, 1, "),
    ("ruby", "def f(a)\n  x = g(a, 'b')\n  if x\n    h(x)\n  end\nend\n", "  g(a, 1, "),
    ("php", "function f($a) {\n  $x = g($a, 'b');\n  if ($x) {\n    h($x);\n  }\n}\n", "  g($a, 1, "),
    ("shellscript", "f() {\n  x=$(g 'b')\n  if a; then\n    h $x\n  fi\n}\n", "  g $(a "),
    ("html", "<ul>\n  <li class='a'>b</li>\n  <li>\n    c\n  </li>\n</ul>\n", "  <li class"),
    ("css", "a {\n  color: red;\n}\nb {\n  width: calc(1px + 2px);\n}\n", "c { width: calc(1px + "),
    ("json", '{"a": [1, "b"]},\n{\n  "b": {\n    "c": 1\n  }\n},\n', '  {"a": [1, '),
    ("yaml", "- a: 'b'\n  b:\n    - c: 1\n    - d: 2\n  c: 3\n  d: 4\n", "- a: [b, "),
    ("lua", "function f(a)\n  local x = g(a, 'b')\n  if x then\n    h(x)\n  end\nend\n", "  g(a, 1, "),
    ("kotlin", 'fun f(a: A) {\n  val x = g(a, "b")\n  if (x) {\n    h(x)\n  }\n}\n', "  g(a, 1, "),
]
HEADS = {"php": "<?php\n", "json": "["}


def measure(name: str, six_lines: str, typed: str) -> dict[str, float | str]:
    language = language_of(name, None)
    half = six_lines * (LINES // 12)
    before = HEADS.get(name, "") + half + six_lines.split("\n")[0] + "\n" + typed
    text = text_of(before + "\n" + half)
    tree, offset = parse(text, language), len(before.encode())
    place = focus_at(text, tree, language, offset).place
    took = []
    for _ in range(200):
        begin = time.process_time()
        focus_at(text, tree, language, offset)
        took.append((time.process_time() - begin) * 1000)
    assert place is not Place.TEXT
    took.sort()
    return {"place": place.value, "p50": round(statistics.median(took), 3), "p95": round(took[190], 3)}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    found = {name: measure(name, six_lines, typed) for name, six_lines, typed in ROWS}
    print(json.dumps(found, indent=1))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
