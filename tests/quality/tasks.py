"""The tasks: holes in code that is newer than the models, and the states in which they are asked.

`tasks.jsonl.gz` holds third-party source under its own licences (`NOTICE`). A hole was kept only where no line of
its text, of 12 characters or more, stands in the release before 2026: a model trained until then has hardly seen it.
`fetch.py` and `build.py` make all 887 tasks anew, of which these are 450.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TASKS = Path(__file__).with_name("tasks.jsonl.gz")
SEED = 1
SUFFIXES = {"python": ".py", "typescript": ".ts", "go": ".go", "rust": ".rs", "java": ".java", "c": ".c"}
LEAST_TYPED, MOST_TYPED = 5, 40
"""Characters."""
TYPED_SHARE = 0.6
STATES = ("border", "typed", "partial", "dirty")
"""Every row that is chosen can be asked in all of these."""
BELOW_A_COMMENT = "comment"
"""A state for the rows that have one: on the blank line below a comment that says what comes."""
COMMENT_LINE = re.compile(
    r"^[^\S\n]*(?:#(?!include|define|if|el|endif)|//|/\*.*\*/[^\S\n]*$)[^\n]*\n(?=[^\S\n]*[^\s#/])", re.M
)


@dataclass(frozen=True, slots=True)
class Task:
    id: str
    kind: str
    language: str
    path: str
    before: str
    truth: str
    """What the cursor's line goes on with, and in blocks the lines below."""
    after: str


def tasks(state: str, count: int | None = None) -> list[Task]:
    """The tasks in one state of typing, the same ones for every state; all, or `count` of them, kinds and languages
    in turn.

    border: the cursor stands where the hole begins, at a border of the syntax. typed: 60 % of the hole's first line
    are written. partial: 1 to 4 characters of its first name. dirty: as typed, and the brackets that an editor has
    not closed yet are missing behind the cursor. comment: on a blank line below a comment.
    """
    with gzip.open(TASKS, "rt", encoding="utf-8") as stream:
        rows = [json.loads(line) for line in stream]
    chosen = rows if state == BELOW_A_COMMENT else in_turn(rows)
    found = [task for row in chosen if (task := task_in(state, row)) is not None]
    return found[:count]


def in_turn(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """One row of each kind and language, then the next; only rows that every state can ask."""
    groups: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in rows:
        if all(task_in(state, row) is not None for state in STATES):
            groups.setdefault((row["language"], row["kind"]), []).append(row)
    randomness = random.Random(SEED)
    for group in groups.values():
        group.sort(key=lambda row: row["id"])
        randomness.shuffle(group)
    names = sorted(groups)
    randomness.shuffle(names)
    found = []
    while any(groups.values()):
        found += [groups[name].pop() for name in names if groups[name]]
    return found


def task_in(state: str, row: dict[str, str]) -> Task | None:
    """None where the hole has too little text for the state."""
    middle, after = row["middle"], row["suffix"]
    line = middle.partition("\n")[0]
    typed = 0
    if state in ("typed", "dirty"):
        typed = min(max(int(len(line) * TYPED_SHARE), LEAST_TYPED), MOST_TYPED)
        if typed >= len(line.rstrip()) - 1:
            return None
    elif state == BELOW_A_COMMENT:
        comment = COMMENT_LINE.search(middle) if row["kind"] in ("block", "body") else None
        if comment is None:
            return None
        below = middle[comment.end() :]
        typed = comment.end() + len(indentation(below))
        end = comment.end() + len(block(below, indentation(comment[0])))
        middle, after = middle[:end], middle[end:] + after
    elif state == "partial":
        name = re.search(r"[A-Za-z_]\w{2,}", line)
        if name is None:
            return None
        typed = name.start() + min(4, max(1, (name.end() - name.start()) // 2))
    if state == "dirty":
        after = without_closers(after)
    path = str(Path(row["path"]).with_suffix(SUFFIXES[row["language"]]))
    return Task(row["id"], row["kind"], row["language"], path, row["prefix"] + middle[:typed], middle[typed:], after)


def indentation(line: str) -> str:
    return line[: len(line) - len(line.lstrip(" \t"))]


def block(text: str, indent: str) -> str:
    """The first lines, up to one that stands further out, and without the last line's end."""
    kept = []
    for line in text.split("\n"):
        if line.strip() and not line.startswith(indent):
            break
        kept.append(line)
    return "\n".join(kept).rstrip()


def without_closers(after: str) -> str:
    """The text behind the cursor as it is before the brackets are closed."""
    line, newline, rest = after.partition("\n")
    return line.lstrip(")]}\"'`;:, ") + newline + rest


def by_language(found: list[Task]) -> Iterator[tuple[str, list[Task]]]:
    for language in sorted({task.language for task in found}):
        yield language, [task for task in found if task.language == language]
