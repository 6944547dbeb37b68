"""First text through the server against the bare engine, for the same prompts, in one run.

    python -m tests.speed.first_text --host HOST --model NAME [--tasks 40] [--cold 10] [--out tests/speed/first_text.json]

The server asks Ollama through a proxy that keeps its requests. For each task of `tests/quality` one key is typed
(didChange and inlineCompletion in one write), and the bare engine is sent the very same bodies, by a client that does
nothing else and on the same road, in the same state of the cache. The order is server, bare, bare, server; a pair is
the sum of either's two. Three sides:

- server: from the key to the answer's first line, which is when an editor can show it.
- replayed: the requests that the server sent, one after the other, until the stream has the same line.
- one_request: only the last of them. What it takes less than `replayed` is the price of healing the half-typed token,
  and, where the cache is cold, of reading the prompt in slices.

Two states of the cache. warm: the place was asked about before the key, and its prompt is sent once more, with one
token, before each side's turn. cold: the model is unloaded, and loaded by a request of a small other file, so that
nothing of the prompt is in the cache; on the server's side the server itself sends that, so that it knows.

Milliseconds to the first token (where it arrives at the asking side) and to the first line; tokens that the engine
read, by its own figures, which say whether the two sides had the same to do. `own`: the server's share before its first request,
between two, and behind the line; `own_alone`: the first line's time to the same less this share, of the server's turns
only, which a busy machine disturbs least. Ratios are medians of the pairs' ratios with a 95 % interval (bootstrap over tasks).
Idle work is off (`warmUp`, `speculate`), so is what answers without the engine (`remember`; `kireji.forget` before
each key). Tasks where nothing is shown are passed over.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.quality.tasks import tasks
from tests.speed.bare import Replayed, read_only
from tests.speed.driven import Asked, Driven, Place, driven
from tests.speed.pairs import ratio
from tests.speed.proxy import Json, evaluated

QUIET = {"warmUp": False, "speculate": False}
SMALL = Place("small.py", "python", "def add(a, b):\n    return a ", 1, 13, "")
"""What loads the model where the cache is to be cold. So short that it is read with its answer's own request."""
PAUSE = 0.1
"""Seconds in which nothing runs before the next turn: the engine has noticed then who left it."""
GOAL = 1.05
PARTS = ("before", "between", "behind")
SIDES = ("replayed", "one_request")
Reset = Callable[[bool], Awaitable[None]]
"""Bring the engine's cache to the state in which a side's turn begins; for the server's turn or for another."""


@dataclass(frozen=True, slots=True)
class Turns:
    """Of one task: both turns of each side."""

    server: list[Asked]
    replayed: list[Replayed]
    alone: list[Replayed]


async def turns(drive: Driven, place: Place, reset: Reset) -> Turns | None:
    """None where nothing is shown."""
    first = await by_server(drive, place, reset)
    if not first.text or not first.chain or first.first is None:
        return None
    replayed = [await by_engine(drive, first, reset), await by_engine(drive, first, reset)]
    alone = [await by_engine(drive, first, reset, alone=True), await by_engine(drive, first, reset, alone=True)]
    second = await by_server(drive, place, reset)
    if second.bodies != first.bodies or second.lines != first.lines:  # another speed, other slices
        if not second.text or not second.chain or second.first is None:
            return None
        replayed[1] = await by_engine(drive, second, reset)
        alone[1] = await by_engine(drive, second, reset, alone=True)
    return Turns([first, second], replayed, alone)


async def by_server(drive: Driven, place: Place, reset: Reset) -> Asked:
    await drive.forget()
    await reset(True)
    await drive.proxy.quiet(PAUSE)
    asked = await drive.ask(place, place.typed[0])
    await drive.proxy.quiet(PAUSE)
    drive.take_back(place, 1)
    return asked


async def by_engine(drive: Driven, asked: Asked, reset: Reset, alone: bool = False) -> Replayed:
    await reset(False)
    await drive.proxy.quiet(PAUSE)
    return await drive.bare.replay(asked.bodies[-1:] if alone else asked.bodies, asked.lines)


async def warm(drive: Driven, place: Place) -> dict[str, Any] | None:
    drive.client.open(place.uri, place.text, place.language)
    await drive.forget()
    before = await drive.ask(place)
    await drive.proxy.quiet(PAUSE)
    if not before.chain:
        return None

    async def reset(server: bool) -> None:
        await drive.bare.generate(read_only(before.bodies[-1]))

    found = await turns(drive, place, reset)
    drive.client.close(place.uri)
    return None if found is None else row(place, found)


async def cold(drive: Driven, place: Place, model: str, small: list[Json]) -> dict[str, Any] | None:
    async def reset(server: bool) -> None:
        await drive.bare.unload(model)
        if server:
            await drive.ask(SMALL)
        for body in [] if server else small:
            await drive.bare.generate(body)

    drive.client.open(place.uri, place.text, place.language)
    found = await turns(drive, place, reset)
    drive.client.close(place.uri)
    return None if found is None else row(place, found)


def row(place: Place, found: Turns) -> dict[str, Any]:
    """Milliseconds: the mean of the two turns."""
    server = {
        "first_token": [asked.first or 0.0 for asked in found.server],
        "first_line": [asked.answered - asked.began for asked in found.server],
        "own_before": [asked.chain[0].asked - asked.began for asked in found.server],
        "own_between": [between(asked) for asked in found.server],
        "own_behind": [asked.answered - asked.chain[-1].lines[asked.lines - 1][0] for asked in found.server],
        "asked_of_engine": [sum((own.ended or own.asked) - own.asked for own in asked.own) for asked in found.server],
    }
    told: dict[str, Any] = {
        "file": place.name,
        "requests": [len(asked.chain) for asked in found.server],
        "prompt": max(exchange.prompt for asked in found.server for exchange in asked.chain),
        "lines": [asked.lines for asked in found.server],
        "server": {name: mean_ms(values) for name, values in server.items()}
        | {"evaluated": [evaluated(asked.chain) for asked in found.server]},
    }
    for name, side in zip(SIDES, (found.replayed, found.alone), strict=True):
        told[name] = {
            "first_token": mean_ms([one.first for one in side]),
            "first_line": mean_ms([one.until for one in side]),
            "evaluated": [one.evaluated for one in side],
        }
    return told


def between(asked: Asked) -> float:
    """Seconds from the end of a request to the next one."""
    pairs = zip(asked.chain, asked.chain[1:], strict=False)
    return sum(later.asked - (earlier.lines[-1][0] if earlier.lines else later.asked) for earlier, later in pairs)


def own(told: dict[str, Any]) -> float:
    """Milliseconds of a server's turn in which no request for text was under way."""
    return float(sum(told["server"][f"own_{part}"] for part in PARTS))


def mean_ms(seconds: list[float]) -> float:
    return round(statistics.mean(seconds) * 1000, 2)


def figures(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Of all tasks in one state."""
    if not rows:
        return {"tasks": 0}
    found: dict[str, Any] = {"tasks": len(rows)}
    for name in rows[0]["server"]:
        if name != "evaluated":
            found[f"server_{name}"] = round(statistics.median(row["server"][name] for row in rows), 2)
    for side in SIDES:
        for name in ("first_token", "first_line"):
            found[f"{side}_{name}"] = round(statistics.median(row[side][name] for row in rows), 2)
            found[f"{name}_to_{side}"] = ratio([(row["server"][name], row[side][name]) for row in rows])
    found["own_alone"] = ratio([(line := row["server"]["first_line"], line - own(row)) for row in rows])
    found["healed"] = sum(max(row["requests"]) > 1 for row in rows)
    found["same_evaluated"] = sum(row["server"]["evaluated"] == row["replayed"]["evaluated"] for row in rows)
    return found


async def measure(given: argparse.Namespace, console: Console) -> dict[str, Any]:
    places = [Place.of(task) for task in tasks("border") if task.truth[:1].strip()]
    rows: dict[str, list[dict[str, Any]]] = {"warm": [], "cold": []}
    async with driven(given.host, given.model, QUIET) as drive:
        engine = f"ollama {await drive.bare.version()}"
        if given.cold:
            await drive.bare.unload(given.model)  # whoever loaded it may have done so with another context
        drive.client.open(SMALL.uri, SMALL.text, SMALL.language)
        small = (await drive.ask(SMALL)).bodies
        await drive.proxy.quiet(PAUSE)
        for state, wanted in (("warm", given.tasks), ("cold", given.cold)):
            with console.status(state) as status:
                for number, place in enumerate(places):
                    if len(rows[state]) == wanted:
                        break
                    status.update(f"{state}: {len(rows[state])} of {wanted}, task {number + 1}")
                    one = await (warm(drive, place) if state == "warm" else cold(drive, place, given.model, small))
                    rows[state] += [one] if one else []
    return {
        "engine": engine,
        "model": given.model,
        "goal": GOAL,
        "figures": {state: figures(found) for state, found in rows.items()},
        "rows": rows,
    }


def draw(found: dict[str, Any], console: Console) -> None:
    for state, told in found["figures"].items():
        if not told["tasks"]:
            continue
        table = Table(title=f"{state} cache: {told['tasks']} tasks, {found['engine']}, {found['model']} (ms, medians)")
        for column in ("", "server", "replayed", "ratio", "one request", "ratio"):
            table.add_column(column, justify="right" if column else "left")
        for name in ("first_token", "first_line"):
            cells = [f"{told[f'server_{name}']:.1f}"]
            for side in SIDES:
                cells += [f"{told[f'{side}_{name}']:.1f}", drawn(told[f"{name}_to_{side}"])]
            table.add_row(name.replace("_", " "), *cells)
        console.print(table)
        own = ", ".join(f"{told[f'server_own_{part}']:.1f} {part}" for part in PARTS)
        console.print(
            f"the server's own time: {own} (ms); of it waited for /api/ps {told['server_asked_of_engine']:.1f}"
        )
        console.print(f"first line, server's turns alone: {drawn(told['own_alone'])}")
        console.print(f"{told['same_evaluated']} of {told['tasks']} tasks: the engine read the same on both sides")


def drawn(told: dict[str, float]) -> str:
    """Green where the goal is met."""
    colour = "green" if told["ratio"] <= GOAL else "yellow"
    return f"[{colour}]{told['ratio']:.3f}[/] ({told['low']:.3f} to {told['high']:.3f})"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--host", required=True)
    arguments.add_argument("--model", required=True)
    arguments.add_argument("--tasks", type=int, default=40, help="with a warm cache")
    arguments.add_argument("--cold", type=int, default=10, help="tasks with a cold cache; unloads the model")
    arguments.add_argument("--out", type=Path)
    given, console = arguments.parse_args(), Console(highlight=False)
    found = asyncio.run(measure(given, console))
    draw(found, console)
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
