"""From what a reader saw, and what the server says of itself, to figures."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from server.bench.editor import Counts
from server.bench.script import Act, Key
from server.bench.timeline import Row

SOON = 0.080
"""Seconds within which text seems to come with the key."""
BORDERS = (0.020, 0.050, 0.080, 0.150, 0.300, 0.600)
"""Seconds, of the groups of `spread`."""
OWN = (
    *("asked", "remembered", "requests", "prompt", "evaluated", "live_prompt", "live_evaluated"),
    *("generated", "busy_ms"),
)
"""What `kireji.stats` counts."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Shares are from 0 to 1; None: there is nothing to say it of, or the server did not tell."""

    seconds: float
    pressed: int
    """Keys of all kinds."""
    keys: int
    """Those that insert: of them speak the shares and the figures per key."""
    first_text: int
    """Keys behind which text came where none stood."""
    first_text_p50_ms: float | None
    first_text_p90_ms: float | None
    at_once: float | None
    """Share of keys typed through what stood there already."""
    soon: float | None
    """Share with text on the screen within 80 ms."""
    answered: float | None
    """Share with text on the screen before the next key."""
    shown: int
    """Characters that came onto the screen."""
    right: float | None
    """Share of these."""
    flicker: float | None
    """Shown text that changed or vanished although what was typed agreed with it, per 100 keys."""
    saved_keys: int
    """By a reader who accepts right suggestions: up to a line's end, visible for 300 ms."""
    saved: float | None
    """Share of all keys."""
    accepted: int
    start_ms: float
    """The first answer of all, asked for before the first key."""
    requests: int
    cancelled: int
    unanswered: int
    errors: int
    growths: int
    evaluated: float | None
    """Tokens of prompts that the engine read, per key; what it read ahead included."""
    evaluated_live: float | None
    """The same without what it read ahead."""
    reuse: float | None
    """Share of the prompts' tokens that the engine had in its cache, where somebody waited for the answer."""
    generated: float | None
    """Tokens, per key."""
    remembered: float | None
    """Share of the questions answered without new work of the engine."""
    busy: float | None
    """Share of the time in which the engine worked."""


def figures(
    rows: Sequence[Row],
    seconds: float,
    start_ms: float = 0.0,
    counts: Counts | None = None,
    unanswered: int = 0,
    own: Mapping[str, float] | None = None,
) -> Figures:
    """`own`: what the server counted during the replay; None where it does not tell."""
    counts, own = counts or Counts(), own or {}
    typed = [row for row in rows if row.key.act.inserts]
    first = sorted(row.first for row in typed if row.first is not None)
    shown, flickers, saved = sum(row.new for row in rows), sum(row.flickers for row in rows), saved_keys(rows)
    return Figures(
        seconds=round(seconds, 3),
        pressed=len(rows),
        keys=len(typed),
        first_text=len(first),
        first_text_p50_ms=milliseconds(quantile(first, 0.5)),
        first_text_p90_ms=milliseconds(quantile(first, 0.9)),
        at_once=share(sum(row.already for row in typed), len(typed)),
        soon=share(sum(row.already or (row.first is not None and row.first <= SOON) for row in typed), len(typed)),
        answered=share(sum(row.answered for row in typed), len(typed)),
        shown=shown,
        right=share(sum(row.right for row in rows), shown),
        flicker=share(100 * flickers, len(typed)),
        saved_keys=saved,
        saved=share(saved, len(rows)),
        accepted=sum(row.key.act is Act.ACCEPT for row in rows),
        start_ms=round(start_ms, 1),
        requests=counts.requests,
        cancelled=counts.cancelled,
        unanswered=unanswered,
        errors=counts.errors,
        growths=counts.growths,
        evaluated=share(own.get("evaluated"), len(typed)),
        evaluated_live=share(own.get("live_evaluated"), len(typed)),
        reuse=reused(own.get("live_evaluated"), own.get("live_prompt", 0)),
        generated=share(own.get("generated"), len(typed)),
        remembered=share(own.get("remembered"), own.get("asked", 0)),
        busy=share(own.get("busy_ms"), seconds * 1000),
    )


def own_counts(before: Any, after: Any) -> dict[str, float] | None:
    """What was counted between two answers of `kireji.stats`; None where one of them is none."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return None
    both = [name for name in OWN if is_number(before.get(name)) and is_number(after.get(name))]
    return {name: after[name] - before[name] for name in both}


def saved_keys(rows: Sequence[Row]) -> int:
    """What accepting each right suggestion would have saved, less the key that accepts it."""
    keys = [row.key for row in rows]
    saved = at = 0
    while at < len(rows):
        piece = rows[at].worth_accepting
        behind = behind_accepted(keys, at, piece)
        saved += max(behind - at - 2, 0)
        at = max(behind, at + 1)
    return saved


def behind_accepted(keys: Sequence[Key], at: int, piece: str) -> int:
    """The number of the first key that is still pressed when the piece is accepted behind key `at`; that of the
    next one where no key stops where the piece does."""
    key = keys[at]
    if not piece or key.done is None:
        return at + 1
    for number in range(at + 1, len(keys)):
        other = keys[number]
        if (other.source, other.hole) != (key.source, key.hole) or not is_typing(other):
            break
        if other.done == key.done + len(piece):
            return number + 1
    return at + 1


def is_typing(key: Key) -> bool:
    return key.act not in (Act.OPEN, Act.JUMP)


def spread(rows: Iterable[Row]) -> list[tuple[str, int]]:
    """How many inserting keys had to wait how long for text."""
    names = ["stands there", *(f"≤ {border * 1000:.0f} ms" for border in BORDERS), "later", "no text"]
    found = dict.fromkeys(names, 0)
    for row in rows:
        if row.key.act.inserts:
            found[
                names[-1 if not row.answered else 0 if row.first is None else 1 + bisect_left(BORDERS, row.first)]
            ] += 1
    return list(found.items())


def quantile(ordered: Sequence[float], part: float) -> float | None:
    """The nearest rank's value."""
    return ordered[min(int(part * len(ordered)), len(ordered) - 1)] if ordered else None


def milliseconds(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds * 1000, 1)


def reused(evaluated: float | None, prompt: float) -> float | None:
    read = share(evaluated, prompt)
    return None if read is None else round(1 - read, 4)


def share(part: float | None, whole: float) -> float | None:
    return None if part is None or not whole else round(part / whole, 4)


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
