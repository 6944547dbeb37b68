"""What an answer is worth: each task's figures, means, and their intervals."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence

import tree_sitter
from rapidfuzz.distance import Levenshtein

from ast_prompt.grammars import grammar_of
from ast_prompt.languages import language_of
from tests.quality.tasks import Task

NAME = re.compile(r"[A-Za-z_]\w{2,}")
SAMPLES = 2000
Row = dict[str, float]


def measure(task: Task, answer: str) -> Row:
    """Each figure from 0 to 1 but `kept` and `over`, which are characters.

    first_line: the first line is the truth's. kept: characters with which truth and answer both begin. over:
    characters behind the truth's end, where the answer begins with all of it.
    """
    truth, text = task.truth.rstrip(), answer.rstrip()
    wanted, got = (Counter(NAME.findall(found)) for found in (truth, text))
    names = wanted.total() + got.total()
    kept = common(truth, text)
    return {
        "exact": float(truth.strip() == text.strip()),
        "first_line": float(first_line(truth) == first_line(text)),
        "similar": Levenshtein.normalized_similarity(truth.strip(), text.strip()),
        "names_f1": 2 * (wanted & got).total() / names if names else 1.0,
        "kept_share": kept / max(len(first_line(truth)), 1) if kept < len(first_line(truth)) else 1.0,
        "over": float(max(len(text) - len(truth), 0) if text.startswith(truth) else 0),
        "shown": float(bool(text.strip())),
        "adds_error": float(errors(task, answer) > min(errors(task, task.truth), errors(task, ""))),
    }


def first_line(text: str) -> str:
    return text.partition("\n")[0].strip()


def common(one: str, other: str) -> int:
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def errors(task: Task, answer: str) -> int:
    """Error and missing nodes of the file with this answer in it."""
    grammar = grammar_of(language_of(None, task.path))
    assert grammar is not None
    root = tree_sitter.Parser(grammar).parse((task.before + answer + task.after).encode()).root_node
    count, stack = 0, [root] if root.has_error else []
    while stack:
        node = stack.pop()
        count += node.is_error or node.is_missing
        stack += [child for child in node.children if child.has_error or child.is_missing]
    return count


def mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def interval(values: Sequence[float], of: Callable[[Sequence[float]], float] = mean) -> tuple[float, float]:
    """95 %, by bootstrap over tasks, with a fixed seed."""
    randomness = random.Random(1)
    found = sorted(of(randomness.choices(values, k=len(values))) for _ in range(SAMPLES))
    return found[int(SAMPLES * 0.025)], found[int(SAMPLES * 0.975)]
