"""Three files on real engines: the text, the time to the first of it, and the tokens that a key costs.

    python -m tests.speed.engines [--out tests/speed/engines.json]

Each engine (Ollama where `tests/engine` can start one, and the embedded one) completes a Python, a TypeScript and a
Go file, and again with three characters more; then the same prompt goes to the bare engine, with the suffix first
and, for comparison, with the suffix last, three characters more as well. Milliseconds, tokens.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from contextlib import ExitStack, aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ast_prompt.budget import Budget
from ast_prompt.dialect import Dialect, Order
from ast_prompt.focus import focus_at
from ast_prompt.prompt import Prompt, build_prompt
from server.completion import complete
from server.engines import Engine, Limits, Model
from server.engines.embedded import Embedded
from server.engines.model_file import fetch
from server.engines.ollama import Ollama
from server.settings import Settings
from tests.completing import lane_of, snapshot_of
from tests.engine.ollama_server import ollama_server
from tests.picture import picture

SAMPLES = Path(__file__).parent / "samples"
TYPED = {"inventory.py": "par", "inventory.ts": "par", "inventory.go": "par"}


def drawn(path: Path, typed: str) -> Any:
    return snapshot_of(picture(path.read_text("utf-8").replace("█", typed + "█"), path.name))


async def measure(engine: Engine, settings: Settings, path: Path) -> dict[str, Any]:
    row: dict[str, Any] = {"engine": engine.name, "file": path.name}
    for name, typed in (("first", ""), ("three_more", TYPED[path.name])):
        snapshot, offset = drawn(path, typed)
        completion = await complete(snapshot, offset, lane_of(engine), settings)
        row[name] = {
            "text": completion.text,
            "reason": str(completion.reason),
            "first_text_ms": round(completion.timings["first"]),
            "prompt": completion.counters.prompt,
            "evaluated": completion.counters.evaluated,
            "requests": completion.counters.requests,
        }
    model = await engine.model()
    row["bare_suffix_first"] = await bare(engine, model, model.dialect, path)
    last = replace(model.dialect, order=Order.PREFIX_FIRST)
    row["bare_suffix_last"] = await bare(engine, model, last, path)
    return row


async def bare(engine: Engine, model: Model, dialect: Dialect, path: Path) -> dict[str, Any]:
    """One token, without healing; the second time with three characters more."""
    for typed in ("", TYPED[path.name]):
        snapshot, offset = drawn(path, typed)
        focus = focus_at(snapshot.text, snapshot.tree, snapshot.language, offset)
        prompt = replace(build_prompt(focus, dialect, None, Budget(512)), forced="")
        found = await first_token(engine, prompt)
    return found


async def first_token(engine: Engine, prompt: Prompt) -> dict[str, Any]:
    begin, first = time.monotonic(), 0.0
    async with engine.stream(prompt, Limits(1, 120)) as answer, aclosing(aiter(answer)) as pieces:
        async for _ in pieces:
            first = first or time.monotonic() - begin
    return {"first_token_ms": round(first * 1000), "evaluated": answer.counters.evaluated}


async def run(engine: Engine, settings: Settings) -> list[dict[str, Any]]:
    try:
        await engine.model()
        return [await measure(engine, settings, SAMPLES / name) for name in TYPED]
    finally:
        await engine.close()


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    fetch(lambda what, done, of: None)
    with ExitStack() as opened:
        running = opened.enter_context(ollama_server())
        settings = Settings(engine="ollama", host=running.host, model=running.model, timeout=300)
        rows = asyncio.run(run(Ollama(settings), settings))
    settings = Settings(engine="embedded", timeout=300)
    rows += asyncio.run(run(Embedded(settings), settings))
    for row in rows:
        print(json.dumps(row, ensure_ascii=False))
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
