"""Token healing over an engine that gives the likeliest first tokens.

The prompt ends before the half-typed token; of the tokens that the model would write there, the likeliest that
agrees with what is typed goes on. One token a request, so that nothing has to be aborted.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field

REMEMBERED = 256
"""Places of which the likeliest tokens are kept: those of the last few answers."""


@dataclass(frozen=True, slots=True)
class Candidate:
    text: str
    logprob: float


@dataclass(slots=True)
class Alternatives:
    """The likeliest tokens behind each text that the model went on from lately. Who types what it did not write, or
    goes on with a word that is healed, mostly does so behind one of them: no request is needed to heal there."""

    known: OrderedDict[str, list[Candidate]] = field(default_factory=OrderedDict)

    def keep(self, text: str, candidates: list[Candidate]) -> None:
        self.known.pop(text, None)
        self.known[text] = candidates
        while len(self.known) > REMEMBERED:
            self.known.popitem(last=False)

    def find(self, text: str) -> list[Candidate] | None:
        return self.known.get(text)


def fitting(candidates: Iterable[Candidate], forced: str, before: str, special: tuple[str, ...]) -> str | None:
    """The likeliest token that agrees with what must come first; None where none does.

    One that together with the end of the prompt would spell a special token does not count.
    """
    good = (
        candidate
        for candidate in candidates
        if candidate.text
        and (candidate.text.startswith(forced) or forced.startswith(candidate.text))
        and not any(mark in before[-len(mark) :] + candidate.text for mark in special)
    )
    best = max(good, key=lambda candidate: candidate.logprob, default=None)
    return best.text if best else None
