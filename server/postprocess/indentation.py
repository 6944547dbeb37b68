"""Indentation that the model writes though it stands there already."""

from __future__ import annotations

from ast_prompt.focus import BLANKS
from server.postprocess.draft import Draft


def written_indentation(draft: Draft) -> Draft:
    """On a blank line the blanks left of the cursor count as written: take as many off the first line.

    Where the model was made to write them first, what follows is its own.
    """
    before = draft.focus.before
    if before.strip(BLANKS) or draft.forced.strip(BLANKS) or draft.forced == before:
        return draft
    written = len(before) - len(draft.forced)
    leading = len(draft.text) - len(draft.text.lstrip(BLANKS))
    return draft.saying(draft.text[min(written, leading) :])
