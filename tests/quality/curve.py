"""What a prompt is worth against what a jump to a new place costs, and which one each machine should use.

    python -m tests.quality.curve [--label ...] [--state typed]

Of each recorded size of the chosen order: first line exact on the tasks that all sizes have, and the tokens that the
engine reads at a place where it never was (the whole prompt) and at another place of a file that it has read (the
window). Then, for a row of reading speeds, the best that is read within a second.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass

from tests.quality.metrics import Row, interval, mean
from tests.quality.record import RESULTS
from tests.quality.report import rows_of

SHAPES = ("suffix-first", "head-700")
"""Variants of the order; of one with a head, a jump in the same file costs the window alone."""
WINDOW = 0.73
"""Of its budget a window has so much in the median, since it begins where a piece of code does (`keys.json`)."""
SPEEDS = (50, 100, 200, 330, 1000, 3000)
"""Tokens a second."""
SECONDS = 1.0
LEAST_TASKS = 40


@dataclass(frozen=True, slots=True)
class Point:
    name: str
    cold: float
    """Tokens at a new place, median."""
    jump: float
    """In a file that was read before."""
    exact: float
    low: float
    high: float


def points(label: str, state: str) -> tuple[list[Point], int]:
    cells: dict[tuple[str, int], dict[str, tuple[dict[str, object], Row]]] = {}
    for path in sorted(RESULTS.glob(f"{label}.*.{state}.*.jsonl")):
        variant, _, budget = path.name.removeprefix(label + ".").removesuffix(".jsonl").split(".")
        rows = rows_of(path, state) if variant in SHAPES else []
        if len(rows) >= LEAST_TASKS:
            cells[variant, int(budget)] = {task.id: (row, figures) for task, row, figures in rows}
    shared = set.intersection(*map(set, cells.values()))
    found = []
    for (variant, tokens), answers in cells.items():
        exact = [answers[id_][1]["first_line"] for id_ in sorted(shared)]
        cold = statistics.median(int(str(answers[id_][0]["prompt"])) for id_ in shared)
        found.append(Point(f"{variant} {tokens}", cold, min(cold, WINDOW * tokens), mean(exact), *interval(exact)))
    return sorted(found, key=lambda point: (point.cold, point.jump)), len(shared)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--label", default="qwen2.5-coder-0.5b-q8_0")
    arguments.add_argument("--state", default="typed")
    given = arguments.parse_args()
    found, tasks = points(given.label, given.state)
    lines = [
        f"{tasks} tasks, {given.state}",
        "",
        "| prompt | tokens at a new place | at another place of the file | first line exact [95 %] |",
        "| --- | --- | --- | --- |",
    ]
    lines += [
        f"| {point.name} | {point.cold:.0f} | {point.jump:.0f} | {point.exact:.3f} [{point.low:.2f}-{point.high:.2f}] |"
        for point in found
    ]
    lines += [
        "",
        f"| tokens read a second | best within {SECONDS:g} s, new place | in the same file |",
        "| --- | --- | --- |",
    ]
    for speed in SPEEDS:
        best = [best_of(found, lambda point: point.cold, speed), best_of(found, lambda point: point.jump, speed)]
        lines.append(f"| {speed} | {best[0]} | {best[1]} |")
    text = "\n".join(lines) + "\n"
    print(text)
    (RESULTS / f"{given.label}.curve.md").write_text(text, encoding="utf-8")
    return 0


def best_of(found: list[Point], cost: Callable[[Point], float], speed: int) -> str:
    fitting = [point for point in found if cost(point) <= speed * SECONDS]
    return max(fitting, key=lambda point: point.exact).name if fitting else "a shorter one than was measured"


if __name__ == "__main__":
    sys.exit(main())
