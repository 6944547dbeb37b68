"""The server's own time for one key: from didChange and inlineCompletion to the engine's request.

    python -m tests.speed.own_time [--keys 200] [--out tests/speed/own_time.json]

A server process, a stand-in for Ollama in another that notes when a request arrives, and the real vocabulary of the
default model (fetched if need be). Each key is one didChange and one inlineCompletion in one write. Beside it, in the same
run, a request that does nothing: what the protocol alone costs. Milliseconds.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import sysconfig
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from server.engines.model_file import fetch
from tests.protocol.client import Client

URI = "file:///w/long.py"
TYPED = "return sorted(values)"
INDENT = 8
PAUSE = 0.03
"""Seconds between two keys, so that each is answered before the next."""


def source(lines: int) -> str:
    """Modules of Python's own library, one after the other, with room for a line in the middle."""
    found: list[str] = []
    for path in sorted(Path(sysconfig.get_paths()["stdlib"]).glob("[a-s]*.py")):
        found += path.read_text("utf-8").split("\n")
        if len(found) > lines:
            break
    found = found[:lines]
    middle = next(number for number in range(lines // 2, 0, -1) if found[number].startswith("        return "))
    return "\n".join([*found[:middle], "", *found[middle:], ""])


def gap(text: str) -> int:
    """The line that `source` left empty."""
    lines = text.split("\n")
    middle = (len(lines) - 2) // 2
    return next(number for number in range(middle, 0, -1) if lines[number + 1].startswith("        return "))


@dataclass
class Arrivals:
    """The stand-in for Ollama, and when requests reached it."""

    process: asyncio.subprocess.Process
    host: str

    async def next(self) -> float:
        assert self.process.stdout is not None
        return float(await self.process.stdout.readline())

    async def skip(self) -> None:
        """Those that came already: an answer may take more than one request."""
        with suppress(TimeoutError):
            while True:
                async with asyncio.timeout(PAUSE):
                    await self.next()


async def arrivals(model: Path) -> Arrivals:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.speed.arrivals",
        str(model),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdout is not None
    return Arrivals(process, f"127.0.0.1:{int(await process.stdout.readline())}")


async def measure(lines: int, keys: int, model: Path) -> dict[str, float]:
    engine = await arrivals(model)
    times, nothing = [], []
    text = source(lines)
    row = gap(text)
    quiet = {"warmUp": False, "speculate": False, "remember": False}  # each key is to ask the engine, and nothing else
    async with Client(options=quiet | {"engine": "ollama", "host": engine.host, "model": "fake:1b"}) as client:
        client.open(URI, text)
        await client.inline(URI, row, 0)
        for key in range(keys):
            times.append(await one_key(client, engine, row, key % len(TYPED)))
            begin = time.monotonic()
            await client.request("workspace/executeCommand", {"command": "kireji.status", "arguments": []})
            nothing.append((time.monotonic() - begin) * 1000)
    assert engine.process.stdin is not None
    engine.process.stdin.close()
    await engine.process.wait()
    return {"lines": lines, "keys": keys} | quantiles("own", times) | quantiles("no_op_round_trip", nothing)


async def one_key(client: Client, engine: Arrivals, row: int, place: int) -> float:
    """Milliseconds from the write to the engine's request."""
    if place == 0:
        edit(client, (row, 0), (row, 999), " " * INDENT)
        await client.inline(URI, row, INDENT)
    # an answer that goes on as a name does would be typed along, and no key behind it ask the engine
    await client.request("workspace/executeCommand", {"command": "kireji.forget", "arguments": []})
    await engine.skip()
    column = INDENT + place
    begin = time.monotonic()
    edit(client, (row, column), (row, column), TYPED[place])
    await client.inline(URI, row, column + 1)
    return (await engine.next() - begin) * 1000


def edit(client: Client, first: tuple[int, int], last: tuple[int, int], text: str) -> None:
    """Without the client's own copy of the text, which would take longer than the server."""
    start, end = ({"line": line, "character": column} for line, column in (first, last))
    change = {"range": {"start": start, "end": end}, "text": text}
    document = {"uri": URI, "version": time.monotonic_ns() // 1_000_000}
    client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})


def quantiles(name: str, values: list[float]) -> dict[str, float]:
    ordered = statistics.quantiles(values, n=100)
    return {f"{name}_p50": round(ordered[49], 2), f"{name}_p95": round(ordered[94], 2)}


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--keys", type=int, default=200)
    arguments.add_argument("--lines", type=int, nargs="+", default=[1_000, 5_000, 20_000])
    arguments.add_argument("--out", type=Path)
    given = arguments.parse_args()
    model = fetch(lambda what, done, of: None)
    rows = [asyncio.run(measure(lines, given.keys, model)) for lines in given.lines]
    for row in rows:
        print(row)
    if given.out:
        given.out.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
