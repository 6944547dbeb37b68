"""What names near the cursor are worth where the model can't go on with what is typed.

    python -m tests.quality.names --host HOST --model NAME [--count 130] [--out tests/quality/results/names.json]

Of each task whose half-typed word none of the likeliest tokens agrees with, and with which a name near the cursor
begins, the answer with that name and without it.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path

from ast_prompt.budget import Budget
from ast_prompt.focus import focus_at
from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.prompt import Prompt, build_prompt
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from server.engines import Limits
from server.engines.healing import fitting
from server.engines.ollama import Ollama
from server.settings import Settings
from tests.quality.metrics import mean, measure
from tests.quality.record import BLOCKS
from tests.quality.report import closed
from tests.quality.tasks import Task, tasks

TOKENS, PROMPT, SECONDS = 40, 300, 300.0
COLUMNS = ("first_line", "kept_share", "similar")


async def answer(ollama: Ollama, prompt: Prompt, task: Task) -> str:
    stop = () if task.kind in BLOCKS else ("\n",)
    async with ollama.stream(prompt, Limits(TOKENS, SECONDS, stop)) as pieces:
        return "".join([piece async for piece in pieces])


async def run(given: argparse.Namespace) -> None:
    ollama = Ollama(Settings(engine="ollama", host=given.host, model=given.model, timeout=SECONDS))
    model = await ollama.model()
    asked, rows = 0, []
    for state in ("partial", "typed"):
        for task in tasks(state, given.count):
            language = language_of(None, task.path)
            prepare(language)
            text = text_of(task.before + task.after)
            focus = focus_at(text, parse(text, language), language, len(task.before.encode()))
            prompt = build_prompt(focus, model.dialect, model.vocabulary, Budget(PROMPT))
            asked += bool(prompt.forced and focus.word)
            if not prompt.names:
                continue
            async with ollama.stream(prompt, Limits(1, SECONDS)) as probe:
                if fitting(await probe.probed(prompt.text), prompt.forced, prompt.text, prompt.stop) is not None:
                    continue
            row: dict[str, object] = {"state": state, "id": task.id, "typed": focus.word, "names": prompt.names[:3]}
            for name, asking in (("with", prompt), ("without", replace(prompt, names=()))):
                raw = await answer(ollama, asking, task)
                figures = measure(task, closed(task, raw, prompt.forced))
                row[name] = {"raw": raw} | {column: round(figures[column], 3) for column in COLUMNS}
            rows.append(row)
    await ollama.close()
    report = {"model": given.model, "half-typed words": asked, "of these without a token that agrees": len(rows)}
    for name in ("with", "without"):
        report[name] = {column: round(mean([row[name][column] for row in rows]), 3) for column in COLUMNS}  # type: ignore[index]
    print(json.dumps(report, indent=1))
    if given.out:
        given.out.write_text(json.dumps(report | {"rows": rows}, indent=1, ensure_ascii=False) + "\n", "utf-8")


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--host", default="")
    arguments.add_argument("--model", required=True)
    arguments.add_argument("--count", type=int, default=130)
    arguments.add_argument("--out", type=Path)
    asyncio.run(run(arguments.parse_args()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
