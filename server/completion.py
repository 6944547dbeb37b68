"""The story of one completion, top to bottom."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import aclosing
from dataclasses import dataclass, field

from ast_prompt.budget import Budget
from ast_prompt.closing import ending, room_at
from ast_prompt.dialect import Dialect
from ast_prompt.focus import Focus, focus_at
from ast_prompt.place import Shape
from ast_prompt.prompt import Prompt, build_prompt
from server.documents import Snapshot
from server.engines import Counters, Engine, EngineError, Garbled, Limits, Refused, TimedOut, Unreachable
from server.postprocess import Draft, finished, unwrapped
from server.postprocess.syntax import added_errors
from server.settings import Settings
from server.trigger import Reason, reason_to_stay_quiet

Watch = Callable[[str], None]
"""Is told, while the answer streams, what of it would be shown if it ended here."""
SPARE_TOKENS = 16
"""Left free in the model's context beside prompt and answer."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What to show at the cursor, or why nothing."""

    reason: Reason
    text: str = ""
    """Empty unless shown."""
    covers: int = 0
    """Characters right of the cursor, in its line, that the text replaces."""
    detail: str = ""
    """What an engine said that failed, and what to do about it."""
    engine: str = ""
    model: str = ""
    timings: dict[str, float] = field(default_factory=dict)
    """Milliseconds of each stage."""
    counters: Counters = field(default_factory=Counters)


async def complete(
    snapshot: Snapshot,
    offset: int,
    engine: Engine,
    settings: Settings,
    watch: Watch | None = None,
    invoked: bool = False,
) -> Completion:
    """What the model would write at a byte offset of the snapshot. Raises nothing but CancelledError.

    `invoked`: the user asked by a key or a command, so that no place is too unlikely to be asked.
    """
    clock = Stopwatch()
    focus = focus_at(snapshot.text, snapshot.tree, snapshot.language, offset)
    quiet = reason_to_stay_quiet(focus, settings, invoked=invoked)
    clock.lap("focus")
    if quiet is not None:
        return Completion(quiet, timings=clock.laps)
    try:
        async with asyncio.timeout(settings.timeout):
            return await answered(focus, engine, settings, clock, watch)
    except TimeoutError:
        detail = (
            f"{engine.name} gave no answer within {settings.timeout:g} s: raise kireji.timeout or lower promptTokens"
        )
        return Completion(Reason.LATE, detail=detail, engine=engine.name, timings=clock.laps)
    except EngineError as error:
        return Completion(reason_of(error), detail=str(error), engine=engine.name, timings=clock.laps)


async def answered(
    focus: Focus, engine: Engine, settings: Settings, clock: Stopwatch, watch: Watch | None
) -> Completion:
    model = await engine.model()
    clock.lap("model")
    tokens = max(min(settings.promptTokens, model.context - settings.maxTokens - SPARE_TOKENS), SPARE_TOKENS)
    prompt = build_prompt(focus, model.dialect, model.vocabulary, Budget(tokens))
    clock.lap("prompt")
    raw, counters = await read(focus, prompt, model.dialect, engine, settings, clock, watch)
    draft, reason = shown(raw if not counters.cut else whole_lines(raw), prompt, focus, model.dialect)
    clock.lap("postprocess")
    text = draft.text if reason is Reason.SHOWN else ""
    return Completion(reason, text, draft.covers, "", engine.name, model.name, clock.laps, counters)


async def read(
    focus: Focus,
    prompt: Prompt,
    dialect: Dialect,
    engine: Engine,
    settings: Settings,
    clock: Stopwatch,
    watch: Watch | None,
) -> tuple[str, Counters]:
    """The raw answer, up to where it must end, and the engine's figures. The stream is closed there."""
    raw, room, counters = "", room_at(focus), Counters()
    # An engine that stops by itself need not be cut off, and gives its counters. A chat model's template is let
    # go on: it may put the line into a fence.
    stop = ("\n",) if room.shape is Shape.LINE and not room.opened and not dialect.template else ()
    while True:
        limits = Limits(settings.maxTokens - counters.generated, settings.timeout, stop)
        end = None
        async with engine.stream(prompt.after_answer(raw), limits) as answer, aclosing(aiter(answer)) as pieces:
            async for piece in pieces:
                if not raw:
                    clock.lap("first")
                raw += piece
                body = unwrapped(Draft(raw, focus, dialect, prompt.forced)).text
                end = ending(room, body)
                if watch is not None:
                    watch(body[:end].rstrip())
                if end is not None:
                    break
        counters.add(answer.counters)
        if not stop or end is not None or counters.cut or counters.generated >= settings.maxTokens:
            break
        # the line is at its end, and what it opened is not
        body = unwrapped(Draft(raw + "\n", focus, dialect, prompt.forced)).text
        if not raw or ending(room, body) is not None:
            break
        raw, stop = raw + "\n", ()
    clock.lap("rest" if raw else "first")
    return raw, counters


def whole_lines(raw: str) -> str:
    """Without the last line, where there are others: the limit of tokens left it half written."""
    return raw.rpartition("\n")[0] or raw


def shown(raw: str, prompt: Prompt, focus: Focus, dialect: Dialect) -> tuple[Draft, Reason]:
    """What is left of a raw answer, and why nothing is where nothing is."""
    whole = unwrapped(Draft(raw, focus, dialect, prompt.forced))
    kept = whole.saying(whole.text[: ending(room_at(focus), whole.text, whole=True)])
    draft = finished(kept)
    if draft.text.strip():
        return draft, Reason.SHOWN
    if not whole.text.strip():
        return draft, Reason.NOTHING
    return draft, Reason.BREAKS if kept.text.strip() and not added_errors(kept).text.strip() else Reason.REPEATS


def reason_of(error: EngineError) -> Reason:
    match error:
        case Unreachable():
            return Reason.DOWN
        case Refused():
            return Reason.REFUSED
        case TimedOut():
            return Reason.LATE
        case Garbled():
            return Reason.BROKEN
        case _:
            raise AssertionError(error)


class Stopwatch:
    """Laps in milliseconds."""

    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self.last = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round(self.laps.get(name, 0.0) + (now - self.last) * 1000, 3)
        self.last = now
