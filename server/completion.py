"""The story of one completion, top to bottom."""

from __future__ import annotations

import asyncio
import re
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
from server.engines import Counters, EngineError, Garbled, Limits, Model, Refused, TimedOut, Unreachable
from server.governor import Governor
from server.lane import Lane
from server.postprocess import Draft, finished, growing, unwrapped
from server.postprocess.syntax import added_errors
from server.settings import Settings
from server.trigger import Reason, reason_to_stay_quiet

SPARE_TOKENS = 16
"""Left free in the model's context beside prompt and answer."""
WINDOW_TOKENS = 300
"""Of the prompt that change with the place; the rest of it stands above them, and another place of the file shares it
(quality against the cost of a jump: `tests/quality`)."""
READY_SHARE = 3
"""A prompt is as good as read where so small a part of what may be read while somebody waits is missing."""
SIGNS_BEHIND = re.compile(r"[^\w]+\Z")
IDLE_TOKENS, IDLE_SECONDS = 8, 0.2
"""Of one request for which nobody waits, for writing and for reading: what somebody who types on waits at most."""


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


@dataclass(frozen=True, slots=True)
class Listener:
    """Who is told how an answer comes on."""

    wrote: Callable[[str], None] = lambda text: None
    """What of the answer would be shown if it ended here, as the model wrote it."""
    finished_lines: Callable[[str], None] | None = None
    """Its finished lines, as they will be shown; what comes later only adds to them."""
    beginning: Callable[[str], None] | None = None
    """The beginning of its first line, which is not finished; what comes later only adds to it, in all but the rarest
    of answers."""
    is_wanted: Callable[[], bool] = lambda: True
    """Whether it is still this place that is asked about; looked at between two slices of a prompt."""
    counters: Counters | None = None
    """Takes the engine's figures, those of an answer that is cancelled too."""


NOBODY = Listener()


async def complete(
    snapshot: Snapshot,
    offset: int,
    lane: Lane,
    settings: Settings,
    listener: Listener = NOBODY,
    invoked: bool = False,
    idle: bool = False,
    seed: int = 0,
) -> Completion:
    """What the model would write at a byte offset of the snapshot. Raises nothing but CancelledError.

    `invoked`: the user asked by a key or a command, so that no place is too unlikely to be asked. `idle`: nobody waits
    for it, so that it goes out in small requests and gives up where somebody waits for another. `seed`: as in `Limits`.
    """
    clock = Stopwatch()
    focus = focus_at(snapshot.text, snapshot.tree, snapshot.language, offset)
    quiet = reason_to_stay_quiet(focus, settings, invoked=invoked)
    clock.lap("focus")
    if quiet is not None:
        return Completion(quiet, timings=clock.laps)
    name = lane.engine().name
    try:
        async with asyncio.timeout(settings.timeout):
            if idle:
                return await answered(focus, lane, settings, clock, listener, idle, seed)
            async with lane.live_request():
                return await answered(focus, lane, settings, clock, listener, idle, seed)
    except TimeoutError:
        detail = f"{name} gave no answer within {settings.timeout:g} s: raise kireji.timeout or lower promptTokens"
        return Completion(Reason.LATE, detail=detail, engine=name, timings=clock.laps)
    except EngineError as error:
        return Completion(reason_of(error), detail=str(error), engine=name, timings=clock.laps)


async def answered(
    focus: Focus, lane: Lane, settings: Settings, clock: Stopwatch, listener: Listener, idle: bool, seed: int
) -> Completion:
    model = await lane.engine().model()
    clock.lap("model")
    size, prompt = await prompt_for(focus, model, lane, settings)
    if not idle:
        lane.size = size
    clock.lap("prompt")
    counters = Counters() if listener.counters is None else listener.counters
    while not lane.is_warm(prompt):
        if idle and lane.live:
            return Completion(Reason.GAVE_WAY, engine=lane.engine().name, model=model.name, timings=clock.laps)
        most = lane.governor.tokens_in(IDLE_SECONDS) if idle else None
        counters.add(await lane.read(prompt, settings.timeout, most))
        if not listener.is_wanted():
            return Completion(Reason.CHANGED, "", 0, "", lane.engine().name, model.name, clock.laps, counters)
    clock.lap("read")
    raw = await written(focus, prompt, model.dialect, lane, settings, clock, listener, idle, counters, seed)
    if raw is None:
        return Completion(Reason.GAVE_WAY, "", 0, "", lane.engine().name, model.name, clock.laps, counters)
    draft, reason = shown(raw if not counters.cut else whole_lines(raw), prompt, focus, model.dialect)
    clock.lap("postprocess")
    text = draft.text if reason is Reason.SHOWN else ""
    return Completion(reason, text, draft.covers, "", lane.engine().name, model.name, clock.laps, counters)


async def prompt_for(focus: Focus, model: Model, lane: Lane, settings: Settings) -> tuple[int, Prompt]:
    """The prompt of the size that served last, if the engine has read nearly all of it; else the smaller one that it
    has to read least of while somebody waits. Larger ones are read, and taken into use, while nobody does. With
    it its size, 0 the largest."""
    cold = lane.governor.cold_tokens
    tried: list[tuple[int, int, Prompt]] = []
    for size, budget in enumerate(budgets_of(model, settings, lane.governor)):
        if size < lane.size:
            continue
        prompt = build_prompt(focus, model.dialect, model.vocabulary, budget)
        missing = lane.uncached(prompt)
        tried.append((missing, size, prompt))
        if missing <= cold // READY_SHARE:
            break
        await asyncio.sleep(0)  # in a new file each takes up to 8 ms
    _, size, prompt = min(tried, key=lambda one: one[:2])
    return size, prompt


def budgets_of(model: Model, settings: Settings, governor: Governor) -> list[Budget]:
    """Of the whole prompt; of its window alone; of as much of that as is read while somebody waits."""
    room = room_in(model, settings)
    window = min(room, WINDOW_TOKENS)
    head = 0 if governor.is_weak else room - window
    return [Budget(window, head=head), Budget(window), Budget(min(window, governor.cold_tokens))]


def room_in(model: Model, settings: Settings) -> int:
    """Tokens that a prompt may have."""
    return max(min(settings.promptTokens, model.context - settings.maxTokens - SPARE_TOKENS), SPARE_TOKENS)


async def written(
    focus: Focus,
    prompt: Prompt,
    dialect: Dialect,
    lane: Lane,
    settings: Settings,
    clock: Stopwatch,
    listener: Listener,
    idle: bool,
    counters: Counters,
    seed: int = 0,
) -> str | None:
    """The raw answer, up to where it must end; the stream is closed there. The engine's figures go into `counters`.

    None where an idle one gave way to a live one.
    """
    raw, room, before = "", room_at(focus), counters.generated
    most = settings.maxTokens if idle else lane.governor.answer_tokens(settings.maxTokens)
    # An engine that stops by itself need not be cut off, and gives its counters. A chat model's template is let
    # go on: it may put the line into a fence.
    stop = ("\n",) if room.shape is Shape.LINE and not room.opened and not dialect.template else ()
    while True:
        left = most - (counters.generated - before)
        limits = Limits(min(left, IDLE_TOKENS) if idle else left, settings.timeout, stop, seed)
        end, told = None, Counters()
        try:
            async with lane.stream(prompt.after_answer(raw), limits) as answer, aclosing(aiter(answer)) as pieces:
                told = answer.counters
                async for piece in pieces:
                    if not raw:
                        clock.lap("first")
                    raw += piece
                    body = unwrapped(Draft(raw, focus, dialect, prompt.forced)).text
                    end = ending(room, body)
                    listener.wrote(body[:end].rstrip())
                    if end is None and "\n" not in body and listener.beginning is not None:
                        listener.beginning(begun(body, prompt, focus, dialect))
                    if end is None and "\n" in piece and listener.finished_lines is not None:
                        listener.finished_lines(so_far(body, prompt, focus, dialect))
                    if end is not None:
                        break
        finally:
            counters.add(told)
        if end is not None or counters.generated - before >= most:
            break
        if counters.cut and idle:
            if lane.live:
                return None
            continue
        if not stop or counters.cut or not raw:
            break
        # the line is at its end, and what it opened is not
        if ending(room, unwrapped(Draft(raw + "\n", focus, dialect, prompt.forced)).text) is not None:
            break
        raw, stop = raw + "\n", ()
    clock.lap("rest" if raw else "first")
    return raw


def so_far(body: str, prompt: Prompt, focus: Focus, dialect: Dialect) -> str:
    """The finished lines of an answer that goes on, cleaned up as the whole will be."""
    return growing(Draft(body.rpartition("\n")[0], focus, dialect, prompt.forced)).text


def begun(body: str, prompt: Prompt, focus: Focus, dialect: Dialect) -> str:
    """The beginning of a first line, up to its last word: what signs behind it are worth is seen by what follows. Empty
    while it only says what stands behind the cursor, or in the next line, already."""
    draft = growing(Draft(body, focus, dialect, prompt.forced))
    text = SIGNS_BEHIND.sub("", draft.text)
    is_said = any(there.strip().startswith(text.strip()) for there in (focus.after, room_at(focus).next_line))
    return "" if draft.covers or is_said else text


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
