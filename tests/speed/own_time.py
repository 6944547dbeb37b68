"""The server's own time for one key: from didChange and inlineCompletion to the engine's request.

    python -m tests.speed.own_time [--keys 200] [--out tests/speed/own_time.json]

A server process, a stand-in for Ollama that notes when a request arrives, and the real vocabulary of the default
model (fetched if need be). Each key is one didChange and one inlineCompletion in one write. Beside it, in the same
run, a request that does nothing: what the protocol alone costs. Milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

from server.engines.gguf import metadata
from server.engines.model_file import fetch
from tests.fake_ollama import FakeOllama, answer
from tests.protocol.client import Client

URI = "file:///w/long.py"
TYPED = "return sorted(values)"
PAUSE = 0.03
"""Seconds between two keys, so that each is answered before the next."""


def source(lines: int) -> str:
    body = "def f{n}(values, key=None):\n    total = sum(values) + {n}\n    return total\n\n"
    return "".join(body.format(n=number) for number in range(lines // 4))


async def measure(lines: int, keys: int, show: dict[str, Any]) -> dict[str, float]:
    with FakeOllama({"generate": [answer("x")], "show": {"model_info": show}}) as fake:
        client = Client(options={"engine": "ollama", "host": fake.host, "model": "fake:1b"})
        async with client:
            client.open(URI, source(lines))
            row = lines // 2 + 1
            await client.inline(URI, row, 0)
            times, nothing = [], []
            for key in range(keys):
                times.append(await one_key(client, fake, row, key))
                begin = time.monotonic()
                await client.request("workspace/executeCommand", {"command": "kireji.status", "arguments": []})
                nothing.append((time.monotonic() - begin) * 1000)
                await asyncio.sleep(PAUSE)
    return {"lines": lines, "keys": keys} | quantiles("own", times) | quantiles("no_op_round_trip", nothing)


async def one_key(client: Client, fake: FakeOllama, row: int, key: int) -> float:
    """Milliseconds from the write to the engine's request."""
    column = 4 + key % len(TYPED)
    at = {"line": row, "character": column}
    text = TYPED[key % len(TYPED)] if key % len(TYPED) else "    " + TYPED[0]
    if key % len(TYPED) == 0:
        at = {"line": row, "character": 0}
        client.change(URI, {"range": {"start": at, "end": {"line": row, "character": 999}}, "text": ""})
        await client.inline(URI, row, 0)
    asked = len(fake.requests("/api/generate"))
    begin = time.monotonic()
    client.change(URI, {"range": {"start": at, "end": at}, "text": text})
    await client.inline(URI, row, at["character"] + len(text))
    return float((fake.requests("/api/generate")[asked]["t"] - begin) * 1000)


def quantiles(name: str, values: list[float]) -> dict[str, float]:
    ordered = statistics.quantiles(values, n=100)
    return {f"{name}_p50": round(ordered[49], 2), f"{name}_p95": round(ordered[94], 2)}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--keys", type=int, default=200)
    arguments.add_argument("--lines", type=int, nargs="+", default=[1_000, 5_000, 20_000])
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    show = metadata(fetch(lambda what, done, of: None))
    rows = [asyncio.run(measure(lines, given.keys, dict(show))) for lines in given.lines]
    for row in rows:
        print(row)
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
