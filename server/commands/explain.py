"""`kireji explain FILE:LINE:COL`: why a completion is what it is, from the look at the cursor to the last clean-up."""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.markup import escape

from ast_prompt.closing import ending, room_at
from ast_prompt.focus import Focus, focus_at
from ast_prompt.prompt import Prompt, build_prompt, count
from server.commands.complete import BAD, NOTHING, SHOWN, fetch_if_needed, snapshot_of
from server.commands.source import BadInput, place_of
from server.completion import NOBODY, Stopwatch, budgets_of, room_in, shown, written
from server.documents import Snapshot
from server.engines import Counters, EngineError, Model
from server.engines.selection import engine_of
from server.governor import Governor
from server.lane import Lane
from server.postprocess import FINISH, UNWRAP, Draft, Step
from server.settings import Settings
from server.trigger import Reason, reason_to_stay_quiet

Told = dict[str, Any]


def run(parsed: argparse.Namespace, settings: Settings) -> int:
    try:
        place = place_of(parsed.place, parsed.language)
        clock = Stopwatch()
        snapshot = snapshot_of(place)
        clock.lap("parse")
        told = asyncio.run(explained(snapshot, place.offset, settings, clock))
    except (BadInput, EngineError) as error:
        print(f"kireji: {error}", file=sys.stderr)
        return BAD
    if parsed.json:
        print(json.dumps(told, ensure_ascii=False, indent=1))
    else:
        draw(told)
    return SHOWN if told["reason"] == Reason.SHOWN else NOTHING


async def explained(snapshot: Snapshot, offset: int, settings: Settings, clock: Stopwatch) -> Told:
    """Raises EngineError."""
    focus = focus_at(snapshot.text, snapshot.tree, snapshot.language, offset)
    quiet = reason_to_stay_quiet(focus, settings)
    clock.lap("focus")
    told: Told = {"focus": looked_at(focus), "trigger": str(quiet) if quiet else "asks"}
    await fetch_if_needed(settings)
    engine = engine_of(settings)
    lane = Lane(lambda: engine, governor=Governor(patient=True))
    try:
        model = await engine.model()
        clock.lap("model")
        prompt = build_prompt(focus, model.dialect, model.vocabulary, budgets_of(model, settings, lane.governor)[0])
        clock.lap("prompt")
        told |= {"model": of_model(model, engine.name), "budget": budgets(model, settings)}
        told["prompt"] = parts(prompt, model)
        counters = Counters()
        raw = await written(focus, prompt, model.dialect, lane, settings, clock, NOBODY, False, counters)
        told["engine"] = asdict(counters) | {"cached": counters.prompt - (counters.evaluated or 0)}
        told["speed"] = speeds(lane.governor)
    finally:
        await engine.close()
    told |= cleaned(raw or "", prompt, focus, model)
    clock.lap("postprocess")
    told["reason"] = str(quiet) if quiet else told["answer"]["reason"]
    told["milliseconds"] = clock.laps
    return told


def looked_at(focus: Focus) -> Told:
    return {
        "language": focus.language.name,
        "place": str(focus.place),
        "shape": str(focus.shape),
        "within": [f"{scope.name} ({scope.kind})" for scope in focus.enclosing],
        "word": focus.word,
        "line": [focus.before, focus.after],
    }


def of_model(model: Model, engine: str) -> Told:
    vocabulary = model.vocabulary
    tokens = "estimated" if vocabulary is None or not vocabulary.exact else "exact"
    dialect = model.dialect
    return {
        "engine": engine,
        "name": model.name,
        "context": model.context,
        "dialect": dialect.name,
        "order": str(dialect.order),
        "tokens": tokens,
    }


def budgets(model: Model, settings: Settings) -> Told:
    return {"prompt": room_in(model, settings), "answer": settings.maxTokens}


def parts(prompt: Prompt, model: Model) -> Told:
    return {
        "tokens": prompt.tokens,
        "before": {"tokens": count(prompt.before, model.vocabulary), "text": prompt.before},
        "after": {"tokens": count(prompt.after, model.vocabulary), "text": prompt.after},
        "forced": prompt.forced,
        "names": list(prompt.names),
        "stop": list(prompt.stop),
        "text": prompt.text,
    }


def speeds(governor: Governor) -> Told:
    """What the engine's figures of this one request would make of the budgets while one types."""
    measured = Governor(governor.prefill, governor.decode, governor.round_trip, governor.losses)
    return {
        "prefill": round(measured.prefill.value, 1),
        "decode": round(measured.decode.value, 1),
        "measured": measured.prefill.known,
        "cold_tokens": measured.cold_tokens,
        "slice_tokens": measured.slice_tokens,
        "round_trip": round(measured.round_trip.value, 1),
        "weak": measured.is_weak,
    }


def cleaned(raw: str, prompt: Prompt, focus: Focus, model: Model) -> Told:
    """Each step that changed something, and where the answer was ended."""
    room, draft = room_at(focus), Draft(raw, focus, model.dialect, prompt.forced)
    draft, steps = traced(draft, UNWRAP)
    end = ending(room, draft.text, whole=True)
    if draft.text[:end] != draft.text:
        draft = draft.saying(draft.text[:end])
        steps.append({"step": "closing", "text": draft.text})
    _, further = traced(draft, FINISH)
    last, reason = shown(raw, prompt, focus, model.dialect)
    return {
        "raw": raw,
        "room": {"shape": str(room.shape), "floor": room.floor, "opened": room.opened, "next line": room.next_line},
        "steps": steps + further,
        "answer": {"text": last.text, "covers": last.covers, "reason": str(reason)},
    }


def traced(draft: Draft, steps: tuple[Step, ...]) -> tuple[Draft, list[Told]]:
    told: list[Told] = []
    for step in steps:
        after = step(draft)
        if (after.text, after.covers) != (draft.text, draft.covers):
            told.append(
                {"step": step.__name__, "text": after.text} | ({"covers": after.covers} if after.covers else {})
            )
        draft = after
    return draft, told


def draw(told: Told) -> None:
    console = Console(highlight=False, soft_wrap=True)

    def section(title: str, rows: Mapping[str, object]) -> None:
        console.print(f"\n[bold]{title}[/]")
        for key, value in rows.items():
            console.print(f"  [dim]{key:12}[/] {escape(str(value))}")

    focus, prompt, engine, speed = told["focus"], told["prompt"], told["engine"], told["speed"]
    within = " > ".join(focus["within"]) or "the file"
    section(
        "The cursor", {"place": f"{focus['place']}, {focus['shape']}", "within": within, "trigger": told["trigger"]}
    )
    section("The model", told["model"])
    before, after = prompt["before"]["tokens"], prompt["after"]["tokens"]
    section(
        "The prompt",
        {
            "tokens": f"{prompt['tokens']} of {told['budget']['prompt']}: {before} before the cursor, {after} after it",
            "forced": repr(prompt["forced"]),
            "names": ", ".join(prompt["names"]) or "none that begins with what is typed",
        },
    )
    console.print(escape(prompt["text"]), style="cyan")
    cached = "?" if engine["evaluated"] is None else f"{engine['cached']} of {engine['prompt']} tokens were in it"
    section(
        "The engine",
        {
            "requests": engine["requests"],
            "cache": cached,
            "wrote": f"{engine['generated']} tokens",
            "speed": f"reads {speed['prefill']}, writes {speed['decode']} tokens/s"
            + ("" if speed["measured"] else " (not measured)"),
            "line": f"{speed['round_trip']} ms beside the engine's own work" + (", weak" if speed["weak"] else ""),
            "while typing": f"{speed['cold_tokens']} tokens at a new place, {speed['slice_tokens']} a slice",
        },
    )
    section("What it wrote", {"raw": repr(told["raw"])})
    section("Clean-ups", {step["step"]: repr(step["text"]) for step in told["steps"]} or {"none": "changed it"})
    answer = told["answer"]
    section("Shown", {"reason": told["reason"], "text": repr(answer["text"]), "covers": answer["covers"]})
    section("Milliseconds", told["milliseconds"])
