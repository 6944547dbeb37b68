"""What the recorded answers are worth: a table with 95 % intervals, and the figures of each task.

    python -m tests.quality.report [--label qwen2.5-coder-0.5b-q8_0] [--states typed] [--budgets 512]

`closed` is what would be shown of the answer (closing and clean-ups, as in the product); `raw` its text cut at the
line where one line was asked. Writes `results/LABEL.csv`, a row a task and file, so that a change shows which tasks
turned.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
from pathlib import Path

from ast_prompt.dialect import FAMILIES
from ast_prompt.focus import focus_at
from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.prompt import Prompt
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from server.completion import shown
from tests.quality.metrics import Row, interval, mean, measure
from tests.quality.record import RESULTS
from tests.quality.tasks import Task, tasks

QWEN = next(family for family in FAMILIES if family.name == "qwen")
COLUMNS = ("first_line", "exact", "similar", "names_f1", "kept_share", "over", "shown", "adds_error")


def closed(task: Task, raw: str, forced: str) -> str:
    """What the product would add to the text: what is shown, less what it only replaces by the same."""
    language = language_of(None, task.path)
    prepare(language)
    text = text_of(task.before + task.after)
    focus = focus_at(text, parse(text, language), language, len(task.before.encode()))
    prompt = Prompt("", None, forced, (), 0, task.before, task.after)
    draft = shown(raw, prompt, focus, QWEN)[0]
    return draft.text.removesuffix(focus.after[: draft.covers]) if draft.covers else draft.text


def rows_of(path: Path, state: str) -> list[tuple[Task, dict[str, object], Row]]:
    known = {task.id: task for task in tasks(state)}
    found = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        task = known[row["id"]]
        found.append((task, row, measure(task, closed(task, row.get("raw", ""), row.get("forced", "")))))
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--label", default="qwen2.5-coder-0.5b-q8_0")
    arguments.add_argument("--states", nargs="+", default=["typed", "border", "partial", "dirty"])
    given = arguments.parse_args()
    table = []
    for path in sorted(RESULTS.glob(f"{given.label}.*.jsonl")):
        variant, state, budget = path.name.removeprefix(given.label + ".").removesuffix(".jsonl").split(".")
        if state not in given.states:
            continue
        rows = rows_of(path, state)
        show(f"{variant} {state} {budget}", rows)
        table += [
            {"variant": variant, "state": state, "budget": budget, "id": task.id}
            | {column: round(figures[column], 3) for column in COLUMNS}
            | {"evaluated": row.get("evaluated")}
            for task, row, figures in rows
        ]
    with (RESULTS / f"{given.label}.csv").open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(table[0]) if table else ["id"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    return 0


def show(name: str, rows: list[tuple[Task, dict[str, object], Row]]) -> None:
    figures = [figure for _, _, figure in rows]
    low, high = interval([figure["first_line"] for figure in figures])
    means = {column: mean([figure[column] for figure in figures]) for column in COLUMNS}
    over = mean([float(figure["over"] > 0) for figure in figures])
    print(
        f"{name:40} n={len(rows):3} first line {means['first_line']:.3f} [{low:.2f}-{high:.2f}] "
        f"exact {means['exact']:.3f} similar {means['similar']:.2f} names {means['names_f1']:.2f} "
        f"kept {means['kept_share']:.2f} over-run {over:.2f} shown {means['shown']:.2f} "
        f"adds error {means['adds_error']:.2f}"
    )


if __name__ == "__main__":
    sys.exit(main())
