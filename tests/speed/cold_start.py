"""What one waits for when nothing is warm yet: the first completion of a file, and another file's while one is read.

    python -m tests.speed.cold_start --host HOST --model NAME [--times 4] [--out tests/speed/cold_start.json]

first: a server is started, a task's file is opened, and its cursor asked about in the same write; then nine keys are
typed there, each when all idle work is done. Once with the model unloaded, once with it loaded and its cache empty.
Milliseconds to the text of the first answer, and of the tenth (or the last one before it that had text); of the first,
what Ollama says that loading took, and what the start of the server took before it.

beside: a file A of some 3,000 tokens of prompt is asked about, and its large prompt is then read in idle slices. One
second after the first slice a small file B is asked about, which the engine has not seen. Milliseconds to B's first
token and first line; the same where nothing else runs; and on the bare engine, where A's prompt is ONE request, and B's
last request is sent a second later, with A's going on, and with A's closed at that moment.

read_twice: tokens that the engine read for A's idle slices, B's request between them, by the tokens of A's prompt. 1
is nothing twice; the goal is at most 1.06, since a slice reads its last token again. `whole_of_A` counts A's first answer
too, which is read before anything stands above its window.

The model is unloaded before each run. Medians and ranges of all runs, each with another file. No answers are
remembered; `speculate` is off where slices are counted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from tests.quality.tasks import tasks
from tests.speed.bare import Bare, Replayed, post
from tests.speed.driven import Asked, Place, driven
from tests.speed.pairs import summary
from tests.speed.proxy import GENERATE, Exchange, Json, Proxy, evaluated

CONTEXT = 8192
LARGE = {"promptTokens": 4096, "contextLength": CONTEXT, "speculate": False}
KEYS = 9
"""Typed behind the first answer."""
IDLE = 3.0
"""Seconds without a request after which idle work is done with what a key has left it: it waits for 2 s of quiet
before it reads the rest of a file."""
WARMED = 5.0
"""The same for a long prompt in slices, which may be this far apart where the machine is busy."""
INTO = 1.0
"""Seconds into A's warm-up at which B is asked about."""
PATIENCE = 20.0
"""Seconds until a warm-up begins."""
GOAL = 1.06
MARK = "weighted_mean_of"
B = Place("small.py", "python", f"def {MARK}(values, weights):\n    total = sum(weights)\n    return ", 2, 11, "")
LONG = (
    "typescript/body/6628ed02ca6f",
    "python/value/7ac2e35fadf4",
    "go/value/afc3a4408247",
    "typescript/condition/f05b2a779fc8",
    "c/arguments/62d2807ae4a0",
    "java/block/c88ee14e62a2",
)
"""Tasks whose prompt has 2,800 to 3,300 tokens of Qwen2.5-Coder's, if it may be as long as that."""


async def empty(bare: Bare, model: str, loaded: bool) -> None:
    """The engine without anything in its cache; with the model loaded or not."""
    await bare.unload(model)
    if loaded:
        options = {"num_ctx": CONTEXT, "num_predict": 1, "temperature": 0}
        await bare.generate({"model": model, "prompt": "x", "raw": True, "stream": True, "options": options})


async def first_and_tenth(host: str, model: str, place: Place, loaded: bool) -> dict[str, Any] | None:
    """None where the first answer has no text."""
    async with Bare(host) as bare:
        await empty(bare, model, loaded)
    started = time.monotonic()
    async with driven(host, model, {"contextLength": CONTEXT}) as drive:
        start = time.monotonic() - started
        drive.client.open(place.uri, place.text, place.language)
        asked = [await drive.ask(place)]
        for at in range(KEYS if asked[0].text else 0):
            await drive.proxy.quiet(IDLE)
            await drive.forget()
            asked.append(await drive.ask(place, place.typed[at], at))
    if not asked[0].text:
        return None
    return {
        "file": place.name,
        "start": ms(start),
        "load": round(sum(exchange.load_ms for exchange in drive.proxy.generated() if exchange.load_ms > 300), 1),
        "text": [ms(one.answered - one.began) if one.text else None for one in asked],
        "evaluated": [evaluated(one.chain) for one in asked],
    }


async def firsts(host: str, model: str, times: int, loaded: bool) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for place in typed_places():
        if len(found) == times:
            break
        one = await first_and_tenth(host, model, place, loaded)
        found += [one] if one else []
    return found


def typed_places() -> Iterator[Place]:
    """One a file."""
    seen: set[str] = set()
    for task in tasks("border"):
        place = Place.of(task)
        if place.uri not in seen and len(place.typed) > KEYS and place.typed[0].strip():
            seen.add(place.uri)
            yield place


async def beside(host: str, model: str, place: Place) -> dict[str, Any]:
    async with Bare(host) as bare:
        await empty(bare, model, loaded=True)
        busy, slices, told = await by_server(host, model, place)
        await empty(bare, model, loaded=True)
        async with driven(host, model, LARGE | {"warmUp": False}) as drive:
            drive.client.open(B.uri, B.text, B.language)
            alone = await drive.ask(B)
        long, short = slices[-1].body, busy.bodies[-1]
        await empty(bare, model, loaded=True)
        found = {"engine_alone": await bare.replay([short], busy.lines)}
        for name, closed in (("engine_whole", False), ("engine_closed", True)):
            await empty(bare, model, loaded=True)
            found[name] = await by_engine(bare, host, long, short, busy.lines, closed)
    times = {name: {"first_token": ms(one.first), "first_line": ms(one.until)} for name, one in found.items()}
    return {"file": place.name, "server": asked_ms(busy), "server_alone": asked_ms(alone)} | times | told


async def by_server(host: str, model: str, place: Place) -> tuple[Asked, list[Exchange], dict[str, Any]]:
    """B's completion, A's slices, and their figures."""
    async with driven(host, model, LARGE) as drive:
        for one in (B, place):
            drive.client.open(one.uri, one.text, one.language)
        await drive.ask(place)
        await first_slice(drive.proxy)
        await asyncio.sleep(INTO)
        busy = await drive.ask(B)
        await drive.proxy.quiet(WARMED)
        whole = [exchange for exchange in drive.proxy.generated() if MARK not in exchange.body["prompt"]]
    warming = whole.index(next(exchange for exchange in whole if is_idle(exchange, whole)))
    slices = [exchange for exchange in whole[warming:] if exchange.is_slice]
    prompt = slices[-1].prompt
    return (
        busy,
        slices,
        {
            "prompt_of_A": prompt,
            "slices": len(slices),
            "slices_behind_B": sum(exchange.asked > busy.answered for exchange in slices),
            "longest_slice": ms(max((exchange.ended or 0.0) - exchange.asked for exchange in slices)),
            "read_twice": round(evaluated(slices) / prompt, 3),
            "whole_of_A": round(evaluated(whole) / prompt, 3),
        },
    )


def is_idle(exchange: Exchange, whole: list[Exchange]) -> bool:
    """Whether this is a slice that came behind an answer."""
    return exchange.is_slice and any(one.is_answer for one in whole[: whole.index(exchange)])


async def first_slice(proxy: Proxy) -> None:
    async with asyncio.timeout(PATIENCE):
        while not any(is_idle(exchange, proxy.generated()) for exchange in proxy.generated() if exchange.body):
            await asyncio.sleep(0.01)


async def by_engine(bare: Bare, host: str, long: Json, short: Json, lines: int, closed: bool) -> Replayed:
    """B's request a second behind A's, which is one; closed then or not."""
    async with Bare(host) as other:
        reading = asyncio.create_task(other.ask(post(GENERATE, long)))
        await asyncio.sleep(INTO)
        if closed and not reading.done():
            reading.cancel()
            other.leave()
        found = await bare.replay([short], lines)
        await asyncio.gather(reading, return_exceptions=True)
    return found


def asked_ms(asked: Asked) -> dict[str, float]:
    return {"first_token": ms(asked.first or 0.0), "first_line": ms(asked.answered - asked.began)}


def ms(seconds: float) -> float:
    return round(seconds * 1000, 1)


def figures_of_first(rows: list[dict[str, Any]]) -> dict[str, Any]:
    last = [[text for text in row["text"] if text is not None][-1] for row in rows]
    return {
        "first": summary([row["text"][0] for row in rows]),
        "tenth": summary(last),
        "start": summary([row["start"] for row in rows]),
        "load": summary([row["load"] for row in rows]),
    }


SIDES = ("server", "server_alone", "engine_alone", "engine_whole", "engine_closed")


def figures_of_beside(rows: list[dict[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {
        side: {name: summary([row[side][name] for row in rows]) for name in ("first_token", "first_line")}
        for side in SIDES
    }
    for name in ("read_twice", "whole_of_A", "longest_slice"):
        found[name] = summary([row[name] for row in rows])
    return found


async def measure(given: argparse.Namespace, console: Console) -> dict[str, Any]:
    by_id = {task.id: task for task in tasks("border")}
    long = [Place.of(by_id[name]) for name in LONG[: given.times]]
    async with Bare(given.host) as bare:
        engine = f"ollama {await bare.version()}"
    with console.status("first: unloaded"):
        rows: dict[str, list[dict[str, Any]]] = {"unloaded": await firsts(given.host, given.model, given.times, False)}
    with console.status("first: loaded"):
        rows["loaded"] = await firsts(given.host, given.model, given.times, True)
    with console.status("beside"):
        rows["beside"] = [await beside(given.host, given.model, place) for place in long]
    figures = {name: figures_of_first(rows[name]) for name in ("unloaded", "loaded")}
    figures["beside"] = figures_of_beside(rows["beside"])
    return {"engine": engine, "model": given.model, "goal": GOAL, "figures": figures, "rows": rows}


def draw(found: dict[str, Any], console: Console) -> None:
    said = f"{found['engine']}, {found['model']}: ms, medians (ranges)"
    table = Table(title=f"a file is opened: {said}")
    for column in ("the model", "first text", "tenth text", "of the first: loading", "before: start of the server"):
        table.add_column(column, justify="left" if column == "the model" else "right")
    for name in ("unloaded", "loaded"):
        told = found["figures"][name]
        table.add_row(name, *(drawn(told[part]) for part in ("first", "tenth", "load", "start")))
    console.print(table)
    told = found["figures"]["beside"]
    table = Table(title=f"B while A is read: {said}")
    for column in ("", "first token", "first line"):
        table.add_column(column, justify="right" if column else "left")
    names = ("server", "server, nothing else", "engine, nothing else", "engine, A in one request", "engine, A closed")
    for side, name in zip(SIDES, names, strict=True):
        table.add_row(name, drawn(told[side]["first_token"]), drawn(told[side]["first_line"]))
    console.print(table)
    twice = told["read_twice"]
    colour = "green" if twice["median"] <= GOAL else "yellow"
    console.print(
        f"read for A's slices, by its prompt: [{colour}]{drawn(twice)}[/]; whole: {drawn(told['whole_of_A'])}"
    )
    console.print(f"the longest slice: {drawn(told['longest_slice'])} ms")


def drawn(told: dict[str, float]) -> str:
    return f"{told['median']:g} ({told['least']:g} to {told['most']:g})" if told else "-"


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--host", required=True)
    arguments.add_argument("--model", required=True)
    arguments.add_argument("--times", type=int, default=4, choices=range(1, len(LONG) + 1), metavar="N")
    arguments.add_argument("--out", type=Path)
    given, console = arguments.parse_args(), Console(highlight=False)
    found = asyncio.run(measure(given, console))
    draw(found, console)
    if given.out:
        given.out.write_text(json.dumps(found, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
