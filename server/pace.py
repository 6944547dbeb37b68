"""How soon the engine is asked again after it was stopped before it said a word.

Who holds a key down that deletes, or that moves the cursor, or types in several documents by turns, asks about another
place at every key, faster than anybody types. Each request would cost the engine the reading of a prompt, which it
mostly goes on with after the client has left. So the next one waits until the keys pause; longer, where that pause was
too short as well. Who types is asked for at once.
"""

from __future__ import annotations

from dataclasses import dataclass

FASTEST = 0.065
"""Seconds between two keys: one typist in twenty has less."""
FIRST, LONGEST = 0.1, 0.8
"""Seconds without another request; doubled each time. A key that is held down comes again within 0.05 s."""


@dataclass(slots=True)
class Pace:
    stopped: int = 0
    """Answers in a row that were let go of at once."""

    @property
    def seconds(self) -> float:
        """To wait before the engine is asked."""
        return min(FIRST * 2 ** (self.stopped - 1), LONGEST) if self.stopped else 0.0

    def stop(self, age: float) -> None:
        """An answer was let go of before its first word, so many seconds after it was begun."""
        self.stopped = min(self.stopped + 1, 10) if age < FASTEST else 0

    def spoke(self) -> None:
        self.stopped = 0
