"""What makes the file's syntax worse than it was."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ast_prompt.growth import Growth, growth_at
from ast_prompt.place import Shape
from server.postprocess.blanks import trailing_blanks
from server.postprocess.draft import Draft
from server.postprocess.rest_of_line import closers, rest_of_line

MOST_TRIES = 40
"""Lines: each costs a parse of what is round the cursor."""


def added_errors(draft: Draft) -> Draft:
    """Where the answer adds a syntax error, the longest beginning of it, up to a line's end, that adds none.

    Of several lines nothing is left where each beginning does, unless the code is broken whatever is written; one
    line is kept even so, less what closes nothing: the rest of what it begins may still be typed.
    """
    growth = growth_at(draft.focus) if draft.text.strip() else None
    if growth is None:
        return draft
    errors = growth.errors(draft.text, draft.covers)
    if errors == 0 or errors <= (least := growth.least_errors()):
        return draft
    if "\n" not in draft.text.strip():
        return unclosed(draft, growth)
    for shorter in beginnings(draft):
        if growth.errors(shorter.text, shorter.covers) <= least:
            return shorter
    return draft if least else replace(draft, text="", covers=0)


def beginnings(draft: Draft) -> Iterator[Draft]:
    """The answer up to a bracket in its last line that nothing had opened; without its last line, without its last
    two, and so on."""
    text = draft.text
    last = text.rfind("\n")
    yield from (shortened(draft, index) for index in closers(draft) if text[last:index].strip())
    for _ in range(MOST_TRIES):
        text = text.rpartition("\n")[0]
        if not text.strip():
            return
        yield shortened(draft, len(text))


def shortened(draft: Draft, end: int) -> Draft:
    return rest_of_line(trailing_blanks(replace(draft, text=draft.text[:end], covers=0)))


def unclosed(draft: Draft, growth: Growth) -> Draft:
    """One line up to a bracket that nothing had opened, where that leaves the code whole."""
    if draft.focus.shape is Shape.LINE:
        for index in closers(draft):
            shorter = shortened(draft, index)
            if shorter.text.strip() and growth.errors(shorter.text, shorter.covers) == 0:
                return shorter
    return draft
