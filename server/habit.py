"""Whether an editor asks by itself behind each change, so that it pays to begin before it does."""

from __future__ import annotations

from dataclasses import dataclass

FOLLOWS = 3
"""Changes without a question behind which an editor does not ask by itself."""


@dataclass(slots=True)
class Habit:
    document: str = ""
    """The one that was asked about last; "" where it may be that nothing is wanted any more."""
    unasked: int = 0
    """Changes since then, in whatever document."""

    def asked(self, document: str) -> None:
        self.document, self.unasked = document, 0

    def will_ask(self, document: str) -> bool:
        """Whether a question will follow the change that has just been made there. An editor may want nothing in a
        document about which it did not ask."""
        self.unasked += 1
        return document == self.document and self.unasked <= FOLLOWS

    def forget(self) -> None:
        """The user may have turned something off, of which the editor alone knows."""
        self.document = ""
