"""What is around a cursor, where the code is broken: what the tree says near it, and what is open left of it."""

from __future__ import annotations

from dataclasses import dataclass

import tree_sitter

from ast_prompt.languages import Language
from ast_prompt.reading import Opened, Reading, is_within, read
from ast_prompt.scopes import Capture, captured, holding
from ast_prompt.text import Text

REACH_LINES = 40
REACH = 4_000
"""How far above the cursor what is open is looked for: lines, and bytes."""
LITERALS = ("comment", "docstring", "string", "markup")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is around a cursor."""

    tree: tree_sitter.Tree
    language: Language
    places: list[tuple[str, tree_sitter.Node]]
    """The captures of `places.scm` within reach. That file has no predicates: they are slow where there are many."""
    opened: Opened

    def captures_at(self, offset: int) -> tuple[Capture, ...]:
        """As `scopes_at`, with the captures of `places.scm`; `offset` is within reach."""
        scopes = captured(self.tree, self.language, max(offset - 1, 0), offset + 1)
        return holding(scopes + self.places, offset)


def surroundings_of(text: Text, tree: tree_sitter.Tree, language: Language, offset: int) -> Surroundings:
    """What the tree says around the cursor, and what the brackets and quotes left of it leave open.

    The latter holds where the tree is broken: what nothing closes is open up to the cursor.
    """
    begin = max(text.start(max(text.line_at(offset) - REACH_LINES, 0)), offset - REACH, 0)
    places = captured(tree, language, begin, offset + 1, "places")
    spans = [
        Capture(name, node.start_byte, node.end_byte, node.type)
        for name, node in places
        if name in LITERALS or name == "interpolation"
    ]
    return Surroundings(tree, language, places, opened_in(text, language, spans, begin, offset))


def opened_in(text: Text, language: Language, literals: list[Capture], begin: int, offset: int) -> Opened:
    """What is open at `offset` of what was opened from `begin` on; `literals` are the tree's, interpolations too."""
    # a docstring is a string or a comment, too: the more telling name first
    spans = sorted(
        (span for span in literals if span.start < offset),
        key=lambda span: (span.start, -span.end, span.name != "docstring"),
    )
    innermost = next((span for span in reversed(spans) if is_within(span, offset, text.data)), None)
    reading = Reading(text.data, language, begin, offset)
    inside = innermost is not None and innermost.name == "interpolation"
    if innermost is not None and inside:
        reading.enter_interpolation(innermost.start)
    first = innermost.start + 1 if innermost is not None and inside else 0
    return read(reading, [span for span in spans if span.name != "interpolation" and span.start >= first])
