"""Asks a real model every task, and keeps what it wrote, raw.

    python -m tests.quality.record --host HOST --model NAME --label q8_0 --count 120 \\
        --cells suffix-first.typed.512 prefix-first.border.512

One file a variant, state and budget in `results/`: `LABEL.VARIANT.STATE.BUDGET.jsonl`, a task a line, so that closing
and the later steps are measured again without the model (`report.py`). A file that is there already goes on where it
ends. Answers stop at 48 tokens, at the third blank-separated paragraph, and where one line is asked at the end of the
line that closes what the answer opened.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from contextlib import aclosing
from pathlib import Path

from ast_prompt.brackets import Lexis, lexis_of, read
from ast_prompt.focus import focus_at
from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from server.engines import Counters, EngineError, Limits
from server.engines.ollama import Ollama
from server.settings import Settings
from tests.quality.tasks import BELOW_A_COMMENT, STATES, Task, tasks
from tests.quality.variants import VARIANTS, Variant

RESULTS = Path(__file__).with_name("results")
TOKENS = 48
BLOCKS = ("block", "body")


async def ask(ollama: Ollama, task: Task, variant: Variant, budget: int) -> dict[str, object]:
    language = language_of(None, task.path)
    prepare(language)
    text = text_of(task.before + task.after)
    focus = focus_at(text, parse(text, language), language, len(task.before.encode()))
    model = await ollama.model()
    prompt = variant.prompt(focus, model, budget)
    raw, begin, first, counters = "", time.monotonic(), 0.0, Counters()
    lexis = lexis_of(language)
    # a line is all that is asked of most holes, less where it opens a bracket; the engine stops there by itself
    stop = () if task.kind in BLOCKS else ("\n",)
    while True:
        limits = Limits(TOKENS - counters.generated, 300, stop)
        try:
            async with ollama.stream(prompt.after_answer(raw), limits) as answer, aclosing(aiter(answer)) as pieces:
                async for piece in pieces:
                    first = first or time.monotonic() - begin
                    raw += piece
                    if raw.count("\n\n") > 2 or (raw.endswith("\n") and not stop and is_done(task, raw, lexis)):
                        break
        except EngineError as error:
            return {"id": task.id, "error": str(error)}
        counters.add(answer.counters)
        if not stop or not raw or counters.generated >= TOKENS or is_done(task, raw, lexis):
            break
        raw, stop = raw + "\n", ()
    return {
        "id": task.id,
        "raw": raw,
        "forced": prompt.forced,
        "prompt": prompt.tokens,
        "evaluated": counters.evaluated,
        "generated": counters.generated,
        "first_ms": round(first * 1000),
    }


Cell = tuple[str, str, int]
"""Variant, state and budget."""


def cell_of(name: str) -> Cell:
    variant, state, budget = name.split(".")
    if variant not in VARIANTS or state not in (*STATES, BELOW_A_COMMENT) or not budget.isdecimal():
        raise argparse.ArgumentTypeError(f"{name!r} is no VARIANT.STATE.BUDGET")
    return variant, state, int(budget)


def known_ids(path: Path) -> set[str]:
    return {json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()} if path.exists() else set()


def is_done(task: Task, raw: str, lexis: Lexis) -> bool:
    return task.kind not in BLOCKS and not read(raw, lexis).is_open


async def record(ollama: Ollama, label: str, cells: list[Cell], count: int) -> None:
    """A task in all cells, then the next: the engine's cache has most of a prompt then."""
    paths = {cell: RESULTS / ".".join(map(str, (label, *cell, "jsonl"))) for cell in cells}
    done = {cell: known_ids(path) for cell, path in paths.items()}
    asked = {state: tasks(state, count) for _, state, _ in cells}
    for number in range(max(map(len, asked.values()))):
        begin = time.monotonic()
        for cell in cells:
            variant, state, budget = cell
            task = next(iter(asked[state][number : number + 1]), None)
            if task is None or task.id in done[cell]:
                continue
            row = await ask(ollama, task, VARIANTS[variant], budget)
            with paths[cell].open("a", encoding="utf-8") as out:
                out.write(json.dumps(row, ensure_ascii=False) + "\n")
        print(f"task {number + 1}: {time.monotonic() - begin:.0f} s", flush=True)


async def run(given: argparse.Namespace) -> None:
    ollama = Ollama(Settings(engine="ollama", host=given.host, model=given.model, timeout=300, contextLength=8192))
    try:
        await record(ollama, given.label, given.cells, given.count)
    finally:
        await ollama.close()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--host", default="")
    arguments.add_argument("--model", required=True)
    arguments.add_argument("--label", required=True, help="what the model is, in the results' names")
    arguments.add_argument("--cells", nargs="+", type=cell_of, required=True, metavar="VARIANT.STATE.BUDGET")
    arguments.add_argument("--count", type=int, default=120)
    RESULTS.mkdir(exist_ok=True)
    asyncio.run(run(arguments.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
