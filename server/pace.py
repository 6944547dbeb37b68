"""How soon the engine is asked again after it was stopped before it said a word.

Who holds a key down that deletes, or that moves the cursor, or types in several documents by turns, asks about another
place at every key. Each request would cost the engine the reading of a prompt, which it mostly goes on with after the
client has left. So the next one waits until the keys pause; longer, where that pause was too short as well.
"""

from __future__ import annotations

from dataclasses import dataclass

FIRST, LONGEST = 0.1, 0.8
"""Seconds without another request; doubled each time. A key that is held down comes again within 0.05 s."""


@dataclass(slots=True)
class Pace:
    stopped: int = 0
    """Answers in a row of which nobody saw a word."""

    @property
    def seconds(self) -> float:
        """To wait before the engine is asked."""
        return min(FIRST * 2 ** (self.stopped - 1), LONGEST) if self.stopped else 0.0

    def stop(self) -> None:
        """An answer was let go of before its first word."""
        self.stopped = min(self.stopped + 1, 10)

    def spoke(self) -> None:
        self.stopped = 0
