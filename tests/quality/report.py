"""What the recorded answers are worth: a table with 95 % intervals, and the figures of each task.

    python -m tests.quality.report [--label qwen2.5-coder-0.5b-q8_0] [--states typed ...] [--skip 64]

An answer is what would be shown (closing and clean-ups, as in the product); `uncut` is what the model wrote, up to the
end of the line where one line was asked, without our closing. `--skip` leaves out the first tasks, at which the
closing's rules were tuned. Writes `results/LABEL.csv`, a row a task and file, so that a change shows which tasks
turned, and `results/LABEL.md`, the table.
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
from tests.quality.record import BLOCKS, RESULTS
from tests.quality.tasks import Task, tasks

QWEN = next(family for family in FAMILIES if family.name == "qwen")
UNCUT = ("uncut_first_line", "uncut_over", "uncut_adds_error")
MANY = 40
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


def uncut(task: Task, raw: str) -> str:
    """What the model wrote behind what is typed, as a client without closing would insert it."""
    return raw if task.kind in BLOCKS else raw.partition("\n")[0]


Measured = tuple[Task, dict[str, object], Row]


def rows_of(path: Path, state: str, skip: int = 0) -> list[Measured]:
    chosen = tasks(state)
    known = {task.id: task for task in chosen[skip:]}
    found = []
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["id"] in known:
            task = known[row["id"]]
            raw, forced = row.get("raw", ""), row.get("forced", "")
            figures = measure(task, closed(task, raw, forced))
            plain = measure(task, uncut(task, raw))
            figures |= {name: plain[name.removeprefix("uncut_")] for name in UNCUT}
            found.append((task, row, figures))
    return found


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--label", default="qwen2.5-coder-0.5b-q8_0")
    arguments.add_argument("--states", nargs="+", default=["typed", "border", "partial", "dirty", "comment"])
    arguments.add_argument("--skip", type=int, default=0)
    given = arguments.parse_args()
    table, lines = [], [HEAD]
    cells: dict[tuple[str, str, str], list[Measured]] = {}
    for path in sorted(RESULTS.glob(f"{given.label}.*.jsonl")):
        variant, state, budget = path.name.removeprefix(given.label + ".").removesuffix(".jsonl").split(".")
        if state in given.states and (rows := rows_of(path, state, given.skip)):
            cells[state, budget, variant] = rows
    for (state, budget, variant), rows in sorted(cells.items()):
        shared = shared_ids([found for cell, found in cells.items() if cell[0] == state])
        lines.append(line_of(f"{variant} | {state} | {budget}", rows, shared))
        print(lines[-1], flush=True)
        table += [
            {"variant": variant, "state": state, "budget": budget, "id": task.id}
            | {column: round(figures[column], 3) for column in COLUMNS}
            | {"evaluated": row.get("evaluated")}
            for task, row, figures in rows
        ]
    if not given.skip:
        write(given.label, table, lines)
    return 0


def shared_ids(cells: list[list[Measured]]) -> set[str]:
    """The tasks that all have; those with few, if any has more, are left out of this."""
    many = [cell for cell in cells if len(cell) >= MANY] or cells
    return set.intersection(*({task.id for task, _, _ in cell} for cell in many))


def write(label: str, table: list[dict[str, object]], lines: list[str]) -> None:
    with (RESULTS / f"{label}.csv").open("w", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, list(table[0]) if table else ["id"], lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    (RESULTS / f"{label}.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


HEAD = (
    "| prompt | state | tokens | tasks | first line exact [95 %] | on the tasks that all have | exact | similar | names F1 | kept | over-run | shown "
    "| adds an error | without closing: first line, over-run, adds an error |\n" + "| --- " * 14 + "|"
)


def line_of(name: str, rows: list[Measured], shared: set[str]) -> str:
    figures = [figure for _, _, figure in rows]
    low, high = interval([figure["first_line"] for figure in figures])
    means = {column: mean([figure[column] for figure in figures]) for column in (*COLUMNS, *UNCUT)}
    over, uncut_over = (mean([float(figure[name] > 0) for figure in figures]) for name in ("over", "uncut_over"))
    found = [figure["first_line"] for task, _, figure in rows if task.id in shared]
    same = f"{mean(found):.3f} of {len(found)}"
    return (
        f"| {name} | {len(rows)} | {means['first_line']:.3f} [{low:.2f}-{high:.2f}] | {same} "
        f"| {means['exact']:.3f} "
        f"| {means['similar']:.2f} | {means['names_f1']:.2f} | {means['kept_share']:.2f} | {over:.3f} "
        f"| {means['shown']:.2f} | {means['adds_error']:.3f} "
        f"| {means['uncut_first_line']:.3f}, {uncut_over:.3f}, {means['uncut_adds_error']:.3f} |"
    )


if __name__ == "__main__":
    sys.exit(main())
