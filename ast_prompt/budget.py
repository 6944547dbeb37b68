"""Each part's share of a prompt's tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    tokens: int
    """Of the whole prompt at most."""
    after: float = 0.3
    """Share of the text after the cursor; what it does not need goes to the text before."""
    folded: float = 0.0
    """Share, of what is left, of the folded text above the window; nothing where the file fits.

    Off: at 512 and 1,024 tokens a window of the same size is as often right (`tests/quality`), and a jump costs less.
    """
