"""What the server did since it started, as sums: for the user, and for benchmarks."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from server.engines import Counters


@dataclass(slots=True)
class Stats:
    asked: int = 0
    """Completions that an editor asked for."""
    shown: int = 0
    remembered: int = 0
    """Of those, answered without new work of the engine."""
    accepted: int = 0
    requests: int = 0
    """That the engine got, those of idle time included."""
    prompt: int = 0
    """Tokens of the prompts that were sent."""
    evaluated: int = 0
    """Tokens of prompts that it had to read; where it does not say, they are not in here."""
    live_prompt: int = 0
    live_evaluated: int = 0
    """The same of those alone for which somebody waited."""
    reckoned: int = 0
    """Requests whose figures of this kind are what we think, since they were closed before the engine told."""
    generated: int = 0
    busy_ms: float = 0.0
    """Time that it took for reading and writing, by its own figures."""

    def add(self, counters: Counters) -> None:
        self.requests += counters.requests
        if counters.evaluated is not None:
            self.prompt += counters.prompt
            self.evaluated += counters.evaluated
        self.reckoned += counters.reckoned
        self.generated += counters.generated
        self.busy_ms += counters.load_ms + counters.prefill_ms + counters.decode_ms

    def add_live(self, counters: Counters) -> None:
        """Those of an answer at its end, which `add` has heard of already."""
        if counters.evaluated is not None:
            self.live_prompt += counters.prompt
            self.live_evaluated += counters.evaluated

    def as_dict(self) -> dict[str, object]:
        return asdict(self)
