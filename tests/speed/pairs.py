"""Paired figures: how many times as long the one took as the other, with what chance makes of it."""

from __future__ import annotations

import random
import statistics

RESAMPLES = 2000
SEED = 1


def ratio(pairs: list[tuple[float, float]]) -> dict[str, float]:
    """The median of the pairs' ratios, and between which it lies in 95 of 100 samples drawn from the pairs."""
    if not pairs:
        return {}
    ratios = [one / other for one, other in pairs]
    randomness = random.Random(SEED)
    medians = sorted(statistics.median(randomness.choices(ratios, k=len(ratios))) for _ in range(RESAMPLES))
    low, high = medians[round(RESAMPLES * 0.025)], medians[round(RESAMPLES * 0.975) - 1]
    return {"ratio": round(statistics.median(ratios), 3), "low": round(low, 3), "high": round(high, 3)}


def summary(values: list[float]) -> dict[str, float]:
    """Median and range."""
    if not values:
        return {}
    return {
        "median": round(statistics.median(values), 2),
        "least": round(min(values), 2),
        "most": round(max(values), 2),
    }
