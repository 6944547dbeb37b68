"""Token healing over an engine that gives the likeliest first tokens.

The prompt ends before the half-typed token; of the tokens that the model would write there, the likeliest that
agrees with what is typed goes on. One token a request, so that nothing has to be aborted.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Candidate:
    text: str
    logprob: float


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
