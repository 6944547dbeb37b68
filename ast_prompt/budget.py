"""Each part's share of a prompt's tokens."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    tokens: int
    """Of the window round the cursor, at most: what a jump to another place costs."""
    after: float = 0.3
    """Share of the text after the cursor; what it does not need goes to the text before."""
    head: int = 0
    """Tokens, at most, of the file above the window: read once, and shared by all places of the file."""
    beside: int = 0
    """Tokens, at most, of pieces of other files."""
