"""How fast the engine is, by its own figures, and what that leaves room for.

A slow machine gets a shorter prompt, never a late answer.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from server.engines import Counters

FIRST_PREFILL, FIRST_DECODE = 150.0, 15.0
"""Tokens a second before anything was measured: a plain CPU with a 0.5B model of 4 bits."""
WEIGHT = 0.3
"""Of a new measurement: a shared machine's speed changes by a factor of two within seconds."""
LEAST_PREFILL = 16
"""Tokens: fewer say more about the round trip than about the speed."""
LEAST_DECODE = 4
COLD_SECONDS = 1.0
"""That the first answer at a new place may take until its first token."""
SMALLEST, LARGEST = 200, 300
"""Tokens of the prompt at a new place: with fewer a small model guesses, with more it is hardly better
(`tests/quality`), and the larger one is read meanwhile."""
SLICE_SECONDS = 0.7
"""Of a prefill that nothing may interrupt: what somebody who types on waits at most."""
SMALLEST_SLICE, LARGEST_SLICE = 16, 2048
"""Tokens. Each slice costs a request and a token."""
ANSWER_SECONDS = 6.0
"""That writing an answer may take: what comes later nobody waits for."""
SHORTEST_ANSWER = 16
"""Tokens: most lines are shorter."""
WEAK_MS, WEAK_LOSSES = 800.0, 0.12
"""A round trip that is as long, or as many requests lost, and the line to the engine is weak: every token and every
request counts then."""
FIRST_WAY_MS = 100.0
"""A longer way counts once it was as long twice."""
LOSS_WEIGHT = 0.05
"""Of one request in the share that is lost: three in a row make a line weak, and twenty good ones mend it."""


@dataclass(slots=True)
class Average:
    """Of measurements; a newer one weighs more."""

    value: float
    known: bool = False

    def note(self, found: float) -> None:
        self.value = found if not self.known else self.value + WEIGHT * (found - self.value)
        self.known = True

    def note_speed(self, tokens: int, milliseconds: float, least: int) -> None:
        if tokens >= least and milliseconds > 0:
            self.note(tokens / milliseconds * 1000)


@dataclass(slots=True)
class Governor:
    prefill: Average = field(default_factory=lambda: Average(FIRST_PREFILL))
    decode: Average = field(default_factory=lambda: Average(FIRST_DECODE))
    round_trip: Average = field(default_factory=lambda: Average(0.0))
    """Milliseconds of a request in which the engine neither loaded nor read nor wrote."""
    last_way: float = 0.0
    losses: float = 0.0
    """Share of the requests that came to no end, of late."""
    patient: bool = False
    """Whoever asks once is served best by the whole prompt, read at once."""

    def note(self, counters: Counters, milliseconds: float = 0.0) -> None:
        """Learn from the figures of one request, and from how long it took here if it came to its end."""
        if counters.evaluated is not None:
            self.prefill.note_speed(counters.evaluated, counters.prefill_ms, LEAST_PREFILL)
        self.decode.note_speed(counters.generated, counters.decode_ms, LEAST_DECODE)
        worked = counters.load_ms + counters.prefill_ms + counters.decode_ms
        if worked:
            self.losses *= 1 - LOSS_WEIGHT
        if worked and milliseconds:
            way = max(milliseconds - worked, 0.0) / max(counters.requests, 1)
            # one that had to wait behind somebody else's request says nothing about the line
            self.round_trip.note(min(way, max(self.last_way, FIRST_WAY_MS)))
            self.last_way = way

    def lost(self) -> None:
        """A request came to no end."""
        self.losses += LOSS_WEIGHT * (1 - self.losses)

    @property
    def is_weak(self) -> bool:
        """Whether the line to the engine is bad: then what is nearest to the cursor has to do, in few requests."""
        return self.round_trip.value > WEAK_MS or self.losses > WEAK_LOSSES

    @property
    def cold_tokens(self) -> int:
        """Of a prompt that has to be read while somebody waits."""
        if self.patient:
            return sys.maxsize
        if self.is_weak:
            return SMALLEST
        return int(min(max(self.prefill.value * COLD_SECONDS, SMALLEST), LARGEST))

    @property
    def slice_tokens(self) -> int:
        return self.tokens_in(SLICE_SECONDS)

    def tokens_in(self, seconds: float) -> int:
        """Of a slice that takes so long; on a weak line each is as long as can be."""
        if self.is_weak:
            return LARGEST_SLICE
        return int(min(max(self.prefill.value * seconds, SMALLEST_SLICE), LARGEST_SLICE))

    def seconds_for(self, tokens: int) -> float:
        """To read so many."""
        return tokens / max(self.prefill.value, 1.0)

    def answer_tokens(self, most: int) -> int:
        """Of an answer that somebody waits for."""
        if self.patient or not self.decode.known:
            return most
        return min(most, max(int(self.decode.value * ANSWER_SECONDS), SHORTEST_ANSWER))
