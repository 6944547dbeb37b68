"""What it costs to decide where an answer ends, line by line, in the middle of long files.

    python -m tests.speed.closing [--out tests/speed/closing.json]

Files of 20,000 lines of functions, in Python also of one class, in JavaScript also with the line above the cursor
broken; the cursor in the body of the middle one. Of each:
`room`, looking at the cursor; `line`, what each further line of an answer costs while it streams, token by token;
`finish`, the clean-up of the whole answer. CPU milliseconds, median of 9 (of `line`: over all lines and runs, and
the dearest line's median).
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from pathlib import Path

from ast_prompt.closing import ending, room_at
from ast_prompt.dialect import PLAIN
from ast_prompt.focus import Focus, focus_at
from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from server.postprocess import Draft, finished

LINES = 20_000
RUNS = 9
PIECE = 4
"""Characters of a token."""
BODY = {
    "python": (
        "def f{n}(a, b):\n    x = g(a, 'b')\n",
        "    ",
        "    if x:\n        y = h(x, [1, 2])\n    return x + b\n\n\n",
    ),
    "javascript": (
        "function f{n}(a, b) {{\n  const x = g(a, `b`);\n",
        "  ",
        "  if (x) {{\n    h(x);\n  }}\n  return x;\n}}\n\n",
    ),
    "typescript": (
        "function f{n}(a: T, b: U): V {{\n  const x = g(a, 1);\n",
        "  ",
        "  if (x) {{\n    h(x);\n  }}\n  return x;\n}}\n",
    ),
    "go": ("func f{n}(a int) int {{\n\tx := g(a, 1)\n", "\t", "\tif x > 1 {{\n\t\th(x)\n\t}}\n\treturn x\n}}\n\n"),
    "rust": (
        "fn f{n}(a: u32) -> u32 {{\n    let x = g(a, 1);\n",
        "    ",
        "    if x > 1 {{\n        h(x);\n    }}\n    x\n}}\n\n",
    ),
    "java": (
        "  int f{n}(int a) {{\n    int x = g(a, 1);\n",
        "    ",
        "    if (x > 1) {{\n      h(x);\n    }}\n    return x;\n  }}\n\n",
    ),
    "c": (
        "int f{n}(int a)\n{{\n    int x = g(a, 1);\n",
        "    ",
        "    if (x > 1) {{\n        h(x);\n    }}\n    return x;\n}}\n\n",
    ),
}
ANSWERS = {
    "python": "for i in range(9):\n\tif i > x:\n\t\th(i, 'a')\n\ty = [i, (x, 1)]\nz = g(y)\nw = z + 1",
    "": "for (i = 0; i < 9; i++) {\n\tif (i > x) {\n\t\th(i, x);\n\t}\n\ty(i, [x, 1]);\n}\nw(x);",
    "c": "for (i = 0; i < 9; i++) {\n\tif (i > x) {\n\t\th(i, x);\n\t}\n\ty(i, x);\n}\nw(x);",
    "go": "for i := 0; i < 9; i++ {\n\tif i > x {\n\t\th(i, x)\n\t}\n\ty(i, x)\n}\nw(x)",
    "rust": "for i in 0..9 {\n\tif i > x {\n\t\th(i, x);\n\t}\n\ty(i, &[x, 1]);\n}\nw(x);",
}
"""Written with a tab a step, which becomes the file's own."""
BROKEN = ", broken"
WRAPPED = {"java": ("class A {\n", "}\n"), "go": ("package m\n\n", ""), "python, a class": ("class A:\n", "")}


def focus_of(name: str) -> Focus:
    language_name = name.partition(",")[0]
    head, indent, tail = BODY[language_name]
    if name.endswith(BROKEN):
        head, indent = head + f"{indent}if (y {{{{\n", indent * 2
    elif name != language_name:
        head, indent, tail = (
            "".join(f"    {line}\n" if line else "\n" for line in part.split("\n")[:-1])
            for part in (head, indent + "\n", tail)
        )
        indent = indent.rstrip("\n")
    count = LINES // (head + tail).count("\n")
    opening, end = WRAPPED.get(name, ("", ""))
    others = BODY[language_name][0] + BODY[language_name][2] if name.endswith(BROKEN) else head + tail
    before = opening + "".join(others.format(n=n) for n in range(count // 2)) + head.format(n="here") + indent
    after = "\n" + tail.format() + "".join(others.format(n=n) for n in range(count // 2, count)) + end
    language = language_of(language_name, None)
    prepare(language)
    text = text_of(before + after)
    return focus_at(text, parse(text, language), language, len(before.encode()))


def milliseconds(begin: float) -> float:
    return (time.process_time() - begin) * 1000


def measure(name: str) -> dict[str, float]:
    focus = focus_of(name)
    answer = ANSWERS.get(focus.language.name, ANSWERS.get("c" if focus.language.name == "java" else "", ""))
    step = (
        "  "
        if focus.language.name in ("javascript", "typescript", "java")
        else "\t"
        if focus.indent == "\t"
        else "    "
    )
    answer = answer.replace("\t", step).replace("\n", "\n" + focus.indent)
    room_took, finish_took = [], []
    lines: dict[int, list[float]] = {}
    for _ in range(RUNS):
        begin = time.process_time()
        room = room_at(focus)
        room_took.append(milliseconds(begin))
        spent: dict[int, float] = {}
        for at in range(0, len(answer), PIECE):
            said = answer[: at + PIECE]
            begin = time.process_time()
            assert ending(room, said) is None, said
            spent[said.count("\n")] = spent.get(said.count("\n"), 0.0) + milliseconds(begin)
        for line, took in spent.items():
            lines.setdefault(line, []).append(took)
        begin = time.process_time()
        assert finished(Draft(answer, focus, PLAIN)).text == answer
        finish_took.append(milliseconds(begin))
    medians = [statistics.median(took) for took in lines.values()]
    return {
        "room": round(statistics.median(room_took), 3),
        "line": round(statistics.median(medians), 3),
        "dearest line": round(max(medians), 3),
        "finish": round(statistics.median(finish_took), 3),
    }


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    found = {name: measure(name) for name in (*BODY, "python, a class", f"javascript{BROKEN}")}
    print(json.dumps(found, indent=1))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
