"""`kireji complete FILE:LINE:COL`: one completion, its text as it streams, and where the time went."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from dataclasses import dataclass
from importlib.util import find_spec

from rich.console import Console

from ast_prompt.grammars import prepare
from ast_prompt.tree import parse
from server.commands.fetch import fetched
from server.commands.source import BadInput, Place, place_of
from server.completion import NOBODY, Completion, Listener, complete
from server.documents import Snapshot
from server.engines import Engine, EngineError
from server.engines.model_file import ready
from server.engines.ollama import Ollama
from server.engines.selection import engine_of
from server.governor import Governor
from server.lane import Lane
from server.settings import Settings
from server.trigger import Reason

SHOWN, NOTHING, BAD = 0, 1, 2
NO_ENGINE = frozenset({Reason.DOWN, Reason.REFUSED, Reason.LATE, Reason.BROKEN})
STAGES = {
    "focus": "look at the cursor",
    "model": "get the model ready",
    "prompt": "build the prompt",
    "first": "until the model's first text",
    "rest": "the rest of the answer",
    "postprocess": "clean it up",
}


def run(parsed: argparse.Namespace, settings: Settings) -> int:
    try:
        place = place_of(parsed.place, parsed.language)
        line = place.text.decoded(place.text.start(place.text.line_at(place.offset)), place.offset)
        stream = Stream(sys.stdout.isatty(), parsed.json, line)
        completion = asyncio.run(completed(snapshot_of(place), place.offset, settings, stream))
    except (BadInput, EngineError) as error:
        print(f"kireji: {error}", file=sys.stderr)
        return BAD
    if parsed.json:
        print(json.dumps(as_json(completion), ensure_ascii=False))
    else:
        report(completion)
    if completion.reason in NO_ENGINE:
        return BAD
    return SHOWN if completion.reason is Reason.SHOWN else NOTHING


def snapshot_of(place: Place) -> Snapshot:
    prepare(place.language)
    tree = parse(place.text, place.language)
    return Snapshot(place.path or "-", place.path, 0, place.language, place.text, tree)


@dataclass(slots=True)
class Stream:
    """Prints an answer; in a terminal as it grows, behind what is written already, which stands there dim."""

    terminal: bool
    silent: bool
    before: str
    printed: str = ""

    def watch(self, text: str) -> None:
        if self.silent or not text.startswith(self.printed):
            return
        if text and not self.printed:
            print(f"\x1b[2m{self.before}\x1b[0m", end="")
        print(text[len(self.printed) :], end="", flush=True)
        self.printed = text

    def finish(self, text: str) -> None:
        """What was printed is a beginning of the final text, or a little more than it."""
        if self.silent or not text:
            return
        if text.startswith(self.printed):
            print(text[len(self.printed) :])
        else:
            print(f"\n{text}")


async def completed(snapshot: Snapshot, offset: int, settings: Settings, stream: Stream) -> Completion:
    """Raises EngineError where the embedded engine's model can't be had."""
    await fetch_if_needed(settings)
    engine = engine_of(settings)
    try:
        # standard output may be a pipe that is closed early; the terminal gets the text as it comes
        listener = Listener(stream.watch) if stream.terminal else NOBODY
        lane = Lane(lambda: engine, governor=Governor(patient=True))
        completion = await complete(snapshot, offset, lane, settings, listener)
    finally:
        await close(engine)
    stream.finish(completion.text)
    return completion


async def fetch_if_needed(settings: Settings) -> None:
    """Fetch the embedded engine's model where it will be needed."""
    if settings.engine not in ("auto", "embedded") or settings.model.endswith(".gguf"):
        return
    if settings.engine == "auto" and (find_spec("xllamacpp") is None or await ollama_answers(settings)):
        return
    if await asyncio.to_thread(ready) is None:
        await asyncio.to_thread(fetched)


async def ollama_answers(settings: Settings) -> bool:
    ollama = Ollama(settings)
    try:
        await ollama.model()
    except EngineError:
        return False
    finally:
        await ollama.close()
    return True


async def close(engine: Engine) -> None:
    await engine.close()


def as_json(completion: Completion) -> dict[str, object]:
    counters = completion.counters
    found: dict[str, object] = {
        "text": completion.text,
        "reason": str(completion.reason),
        "engine": completion.engine,
        "model": completion.model,
        "timings": completion.timings,
        "tokens": {
            "prompt": counters.prompt,
            "evaluated": counters.evaluated,
            "generated": counters.generated,
        },
    }
    if completion.covers:
        found["covers"] = completion.covers
    if completion.detail:
        found["detail"] = completion.detail
    return found


def report(completion: Completion) -> None:
    """Where the time went, on standard error: standard output holds the text alone."""
    console = Console(stderr=True, highlight=False, soft_wrap=True)
    if completion.reason is not Reason.SHOWN:
        console.print(f"[bold]nothing to show[/]: {completion.reason}")
        if completion.detail:
            console.print(completion.detail, markup=False)
    counters = completion.counters
    for stage, says in STAGES.items():
        if stage in completion.timings:
            console.print(f"[dim]{completion.timings[stage]:9.1f} ms  {says}[/]")
    if completion.model:
        evaluated = "?" if counters.evaluated is None else counters.evaluated
        console.print(
            f"[dim]{completion.engine}, {completion.model}: {counters.prompt} tokens in the prompt, "
            f"{evaluated} evaluated, {counters.generated} generated; loading {counters.load_ms:.0f} ms[/]",
            markup=True,
        )
