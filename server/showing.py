"""When a suggestion is shown: at once, or after a pause of the typist who leaves one after the other unused.

The model is asked at once in any case; only the showing waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

PATIENCE = 12
"""Suggestions in a row that were of no use, before the showing waits. A small model is wrong three times of four
while one types, so that fewer would say nothing."""
STEP, LONGEST = 0.1, 0.8
"""Seconds that each further one adds, and the most."""


@dataclass(slots=True)
class Showing:
    now: Callable[[], float]
    """Seconds, monotonic."""
    last_key: float = field(default=0.0)
    unused: int = 0
    """Suggestions in a row that were neither typed along nor accepted."""
    place: object = None
    """Where the last one was."""
    pending: bool = False
    """Whether one is on the screen of which nothing was used yet."""

    def typed(self) -> None:
        self.last_key = self.now()

    def shown(self, place: object) -> None:
        """A new suggestion went out; the one before, if nothing of it was used, was of no use. For its popup an editor
        may ask about the same place again."""
        if place == self.place:
            return
        self.place = place
        self.unused += self.pending
        self.pending = True

    def used(self) -> None:
        """It was typed along, or accepted."""
        self.unused, self.pending = 0, False

    def wait(self, delay: float, backs_off: bool) -> float:
        """Seconds to wait before a suggestion is shown, counted from the last key."""
        extra = min(STEP * (self.unused - PATIENCE), LONGEST) if backs_off and self.unused > PATIENCE else 0.0
        return max(self.last_key + delay + extra - self.now(), 0.0)
