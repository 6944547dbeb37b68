"""Draft: an answer on its way to the screen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from ast_prompt.dialect import Dialect
from ast_prompt.focus import Focus


@dataclass(frozen=True, slots=True)
class Draft:
    text: str
    focus: Focus
    dialect: Dialect
    forced: str = ""
    """What the model was made to write first; not in `text`."""
    covers: int = 0
    """Characters right of the cursor, in its line, that the text replaces."""

    def saying(self, text: str) -> Draft:
        return replace(self, text=text)


Step = Callable[[Draft], Draft]
