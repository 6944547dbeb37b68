"""What the engine has in its cache: the beginnings of the prompts that it was sent lately."""

from __future__ import annotations

from dataclasses import dataclass, field

REMEMBERED = 6
"""Prompts: llama.cpp's server keeps several beside the one in its slot, as long as its memory for them lasts."""
TOLERANCE = 2.0
SLACK = 48
"""Tokens more than thought, beyond which the account is taken for wrong."""


@dataclass(slots=True)
class Account:
    known: list[str] = field(default_factory=list)
    """The newest last."""

    def cached(self, text: str) -> int:
        """Characters at the beginning of a prompt that need not be read again."""
        return max((common(text, one) for one in self.known), default=0)

    def sent(self, text: str) -> None:
        """A prompt was read to its end; what it only makes longer is forgotten."""
        self.known = [one for one in self.known if not text.startswith(one)][1 - REMEMBERED :] + [text]

    def correct(self, expected: int, evaluated: int | None) -> None:
        """The engine read far more tokens than it should have had to: it has forgotten the rest."""
        if evaluated is not None and evaluated > expected * TOLERANCE + SLACK:
            self.known = self.known[-1:]

    def forget(self) -> None:
        """The model was loaded anew."""
        self.known.clear()


def common(one: str, other: str) -> int:
    """Characters with which both begin. By halving: comparing slices is a hundred times faster than characters."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
