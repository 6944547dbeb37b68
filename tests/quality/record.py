"""Asks a real model every task, and keeps what it wrote, raw.

    python -m tests.quality.record --host HOST --model NAME --label q8_0 \\
        --variants suffix-first prefix-first --states typed border --budgets 512 --count 120

One file a variant, state and budget in `results/`: `LABEL.VARIANT.STATE.BUDGET.jsonl`, a task a line, so that closing
and the later steps are measured again without the model (`report.py`). A file that is there already goes on where it
ends. Answers stop at 48 tokens, or at the third blank-separated paragraph.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from contextlib import aclosing
from pathlib import Path

from ast_prompt.focus import focus_at
from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from server.engines import EngineError, Limits
from server.engines.ollama import Ollama
from server.settings import Settings
from tests.quality.tasks import Task, tasks
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
    raw, begin, first = "", time.monotonic(), 0.0
    # a line is all that is asked of most holes; the engine stops there by itself
    limits = Limits(TOKENS, 300, () if task.kind in BLOCKS else ("\n",))
    try:
        async with ollama.stream(prompt, limits) as answer, aclosing(aiter(answer)) as pieces:
            async for piece in pieces:
                first = first or time.monotonic() - begin
                raw += piece
                if raw.count("\n\n") > 2:
                    break
    except EngineError as error:
        return {"id": task.id, "error": str(error)}
    counters = answer.counters
    return {
        "id": task.id,
        "raw": raw,
        "forced": prompt.forced,
        "prompt": prompt.tokens,
        "evaluated": counters.evaluated,
        "generated": counters.generated,
        "first_ms": round(first * 1000),
    }


async def record(ollama: Ollama, label: str, variant: Variant, state: str, budget: int, count: int) -> None:
    path = RESULTS / f"{label}.{variant.name}.{state}.{budget}.jsonl"
    done = {json.loads(line)["id"] for line in path.read_text("utf-8").splitlines()} if path.exists() else set()
    begin = time.monotonic()
    with path.open("a", encoding="utf-8") as out:
        for task in tasks(state, count):
            if task.id not in done:
                out.write(json.dumps(await ask(ollama, task, variant, budget), ensure_ascii=False) + "\n")
                out.flush()
    print(f"{path.name}: {time.monotonic() - begin:.0f} s", flush=True)


async def run(given: argparse.Namespace) -> None:
    ollama = Ollama(Settings(engine="ollama", host=given.host, model=given.model, timeout=300))
    try:
        for state in given.states:
            for budget in given.budgets:
                for name in given.variants:
                    await record(ollama, given.label, VARIANTS[name], state, budget, given.count)
    finally:
        await ollama.close()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--host", default="")
    arguments.add_argument("--model", required=True)
    arguments.add_argument("--label", required=True, help="what the model is, in the results' names")
    arguments.add_argument("--variants", nargs="+", choices=VARIANTS, default=["suffix-first"])
    arguments.add_argument("--states", nargs="+", default=["typed"])
    arguments.add_argument("--budgets", nargs="+", type=int, default=[512])
    arguments.add_argument("--count", type=int, default=120)
    RESULTS.mkdir(exist_ok=True)
    asyncio.run(run(arguments.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
