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
SMALLEST_SLICE, LARGEST_SLICE = 48, 2048
"""Tokens. Each slice costs a request and a token."""


@dataclass(slots=True)
class Average:
    """Of tokens a second; a newer figure weighs more."""

    value: float
    known: bool = False

    def note(self, tokens: int, milliseconds: float, least: int) -> None:
        if tokens < least or milliseconds <= 0:
            return
        found = tokens / milliseconds * 1000
        self.value = found if not self.known else self.value + WEIGHT * (found - self.value)
        self.known = True


@dataclass(slots=True)
class Governor:
    prefill: Average = field(default_factory=lambda: Average(FIRST_PREFILL))
    decode: Average = field(default_factory=lambda: Average(FIRST_DECODE))
    patient: bool = False
    """Whoever asks once is served best by the whole prompt, read at once."""

    def note(self, counters: Counters) -> None:
        """Learn from the figures of one finished request."""
        if counters.evaluated is not None:
            self.prefill.note(counters.evaluated, counters.prefill_ms, LEAST_PREFILL)
        self.decode.note(counters.generated, counters.decode_ms, LEAST_DECODE)

    @property
    def cold_tokens(self) -> int:
        """Of a prompt that has to be read while somebody waits."""
        if self.patient:
            return sys.maxsize
        return int(min(max(self.prefill.value * COLD_SECONDS, SMALLEST), LARGEST))

    @property
    def slice_tokens(self) -> int:
        return int(min(max(self.prefill.value * SLICE_SECONDS, SMALLEST_SLICE), LARGEST_SLICE))
