"""An engine that is down: who is told, and when it is tried again.

One message an outage, a back-off that grows, and recovery without a restart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from server.completion import Completion
from server.trigger import Reason

FIRST_PAUSE, LONGEST_PAUSE = 0.5, 5.0
"""Seconds without a try after the first failure, doubled at each further one."""
MOST_DOUBLINGS = 10
REFUSED_PAUSE = 30.0
"""Seconds: a missing model does not come by itself; a change of settings ends the pause."""
PAUSES = {
    Reason.DOWN: FIRST_PAUSE,
    Reason.REFUSED: REFUSED_PAUSE,
    Reason.BROKEN: FIRST_PAUSE,
    Reason.LATE: FIRST_PAUSE,
}
PATIENCE = {Reason.BROKEN: 3, Reason.LATE: 3}
"""Failures in a row after which the user is told; one answer that broke off is no outage, nor a reason for a pause."""


@dataclass(slots=True)
class Outage:
    now: Callable[[], float]
    """Seconds, monotonic."""
    tell: Callable[[str], None]
    """Shows one message to the user."""
    turned: Callable[[str, str], None]
    """Is told of each change: state (`ready`, `down`), and its reason."""
    failure: Completion | None = None
    until: float = 0.0
    failures: int = 0
    told: set[str] = field(default_factory=set)

    def pause(self) -> Completion | None:
        """The failure that still holds, or None when the engine may be tried."""
        return self.failure if self.failure is not None and self.now() < self.until else None

    def note(self, completion: Completion) -> None:
        """Learn from what came of a request."""
        first = PAUSES.get(completion.reason)
        if first is None:
            if completion.engine and completion.model:
                self.recovered()
            return
        self.failures += 1
        self.failure = completion
        pauses = self.failures - (completion.reason in PATIENCE)
        if pauses:
            self.until = self.now() + min(first * 2 ** min(pauses - 1, MOST_DOUBLINGS), max(first, LONGEST_PAUSE))
        if self.failures >= PATIENCE.get(completion.reason, 1) and completion.detail not in self.told:
            self.told.add(completion.detail)
            self.tell(completion.detail)
            self.turned("down", completion.detail)

    @property
    def is_told(self) -> bool:
        """Whether the user knows of an outage that lasts."""
        return bool(self.told)

    def recovered(self) -> None:
        was_down = self.is_told
        self.failure, self.until, self.failures = None, 0.0, 0
        self.told.clear()
        if was_down:
            self.turned("ready", "")
