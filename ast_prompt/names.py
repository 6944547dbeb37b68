"""Names that begin with what is typed: what a model that can't go on from there may have meant."""

from __future__ import annotations

import re

from ast_prompt.focus import Focus

REACH = 16_000
"""Bytes on either side of the cursor in which names are looked for."""
MOST = 8
SHORTEST = 2
"""Letters typed: fewer begin nearly every name."""


def names_at(focus: Focus) -> tuple[str, ...]:
    """Names near the cursor that begin with the word typed there and are longer, the nearest above it first, then
    the nearest below."""
    word = focus.word
    if len(word) < SHORTEST or not word.isidentifier():
        return ()
    text, offset = focus.text, focus.offset
    # letters first: what begins with a condition is ten times slower to search for
    name = re.compile(rf"{re.escape(word)}(?<!\w{re.escape(word)})\w+")
    above = name.findall(text.decoded(offset - REACH, offset - len(word.encode())))
    below = name.findall(text.decoded(offset, offset + REACH))
    return tuple(dict.fromkeys([*reversed(above), *below]))[:MOST]
