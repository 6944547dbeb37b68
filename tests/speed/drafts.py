"""What drafts from the text are worth in the embedded engine: whole answers with and without them, closing on.

    python -m tests.speed.drafts [--tasks 40] [--drafts 3,8] [--out tests/speed/drafts.json]

Two engines with the same model, one without drafts; each task's prompt is read first, so that only the writing counts,
then both answer, in turns. Seconds until the answer is whole, as `complete` ends it; the ratio is of sums in one run,
with a 95 % interval by resampling the tasks. The answers should be equal; those that are not are counted, since a batch
of several tokens rounds otherwise than one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import sys
from pathlib import Path
from typing import Any

from ast_prompt.grammars import prepare
from ast_prompt.languages import language_of
from ast_prompt.text import text_of
from ast_prompt.tree import parse
from server.completion import complete
from server.documents import Snapshot
from server.engines import Engine
from server.engines.embedded import Embedded
from server.engines.model_file import fetch
from server.settings import Settings
from tests.completing import lane_of
from tests.quality.tasks import Task, tasks

SETTINGS = Settings(engine="embedded", timeout=300, promptTokens=512)
RESAMPLED = 2000


def snapshot_of(task: Task) -> Snapshot:
    language = language_of(None, task.path)
    prepare(language)
    text = text_of(task.before + task.after)
    return Snapshot(task.path, task.path, 1, language, text, parse(text, language))


async def timed(engine: Engine, snapshot: Snapshot, offset: int) -> tuple[str, float, int]:
    """The answer, the milliseconds for writing it, and its tokens; its prompt is in the engine's cache."""
    found = await complete(snapshot, offset, lane_of(engine), SETTINGS)
    return found.text, found.counters.decode_ms, found.counters.generated


async def measured(with_drafts: Engine, without: Engine, count: int) -> list[dict[str, Any]]:
    rows = []
    for number, task in enumerate(tasks("typed", count)):
        snapshot, offset = snapshot_of(task), len(task.before.encode())
        found = {}
        for engine in (with_drafts, without):  # read the prompt
            await complete(snapshot, offset, lane_of(engine), SETTINGS)
        order = (with_drafts, without) if number % 2 else (without, with_drafts)
        for engine in order:
            found[engine is with_drafts] = await timed(engine, snapshot, offset)
        (text, ms, tokens), (plain, plain_ms, plain_tokens) = found[True], found[False]
        if tokens and plain_tokens:
            rows.append(
                {"id": task.id, "kind": task.kind, "same": text == plain, "tokens": plain_tokens}
                | {"with_ms": round(ms, 1), "without_ms": round(plain_ms, 1)}
            )
            print(json.dumps(rows[-1]), flush=True)
    return rows


def faster(rows: list[dict[str, Any]]) -> float:
    with_ms: float = sum(row["with_ms"] for row in rows)
    without_ms: float = sum(row["without_ms"] for row in rows)
    return without_ms / max(with_ms, 0.001)


def summed(rows: list[dict[str, Any]]) -> dict[str, Any]:
    chance = random.Random(1)
    ratios = sorted(faster(chance.choices(rows, k=len(rows))) for _ in range(RESAMPLED))
    long = [row for row in rows if row["tokens"] >= 16]
    return {
        "tasks": len(rows),
        "same": sum(row["same"] for row in rows),
        "times_faster": round(faster(rows), 3),
        "interval": [round(ratios[int(RESAMPLED * part)], 3) for part in (0.025, 0.975)],
        "of_16_tokens_and_more": {"tasks": len(long), "times_faster": round(faster(long), 3) if long else None},
    }


async def run(count: int, wanted: str) -> list[dict[str, Any]]:
    engines: list[Embedded] = []
    for drafts in (wanted, "0"):
        os.environ["KIREJI_DRAFTS"] = drafts
        engines.append(Embedded(SETTINGS))
        await engines[-1].model()
    try:
        return await measured(engines[0], engines[1], count)
    finally:
        for engine in engines:
            await engine.close()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--tasks", type=int, default=40)
    arguments.add_argument(
        "--drafts", default="3,8", metavar="BEHIND,DRAFT", help="tokens that must match; that follow"
    )
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    fetch(lambda what, done, of: None)
    rows = asyncio.run(run(given.tasks, given.drafts))
    found = {
        "drafts": given.drafts,
        "model": "qwen2.5-coder-0.5b, as `kireji fetch` has it",
        **summed(rows),
        "rows": rows,
    }
    print(json.dumps({name: value for name, value in found.items() if name != "rows"}, indent=1))
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
