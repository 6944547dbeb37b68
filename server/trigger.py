"""Ask, or stay quiet; and why nothing was shown."""

from __future__ import annotations

from enum import StrEnum

from ast_prompt.focus import Focus
from ast_prompt.place import Place
from server.settings import Settings


class Reason(StrEnum):
    """How a request ended, in words that a user reads."""

    SHOWN = "shown"
    TYPED_ALONG = "typed along"
    EMPTY = "the file is empty"
    COMMENT = "in a comment"
    STRING = "in a string"
    DOCSTRING = "in a docstring"
    IN_WORD = "the word goes on right of the cursor"
    COMPLETE = "the statement is complete"
    NOTHING = "the model has nothing to add"
    BREAKS = "the model's answer would break the code"
    REPEATS = "the model only repeats what stands there already"
    DOWN = "the engine does not answer"
    REFUSED = "the engine refused"
    LATE = "the engine took too long"
    BROKEN = "the engine's answer broke off"
    CLOSED = "the document is not open"
    CHANGED = "the text changed meanwhile"
    GAVE_WAY = "nobody waited for it, and somebody for another"


LASTING = frozenset({Reason.SHOWN, Reason.NOTHING, Reason.BREAKS, Reason.REPEATS})
"""How an answer ends that is the same if it is asked for again."""


def reason_to_stay_quiet(focus: Focus, settings: Settings, *, invoked: bool = False) -> Reason | None:
    """Why not to ask at this cursor; None: ask.

    Asked is where the node left of the cursor can grow, or something new can begin; in doubt, too: a request too
    many costs less than a completion that never comes. Where the user asked for it (`invoked`) it is always asked.
    """
    if invoked:
        return None
    if not focus.text.data.strip():
        return Reason.EMPTY
    if focus.place is Place.COMMENT and not settings.comments:
        return Reason.COMMENT
    if focus.place is Place.DOCSTRING and not settings.comments:
        return Reason.DOCSTRING
    if focus.place is Place.STRING and not settings.strings:
        return Reason.STRING
    if focus.word and (focus.after[:1].isalnum() or focus.after[:1] == "_"):
        return Reason.IN_WORD
    if focus.complete:
        return Reason.COMPLETE
    return None
