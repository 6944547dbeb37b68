"""Line ends, and blanks at the end: ghost text that nobody sees, and Tab inserts."""

from __future__ import annotations

from ast_prompt.text import plain_lines
from server.postprocess.draft import Draft


def line_ends(draft: Draft) -> Draft:
    """Every line end is `\\n`: the editor writes what its file has."""
    return draft.saying(plain_lines(draft.text))


def trailing_blanks(draft: Draft) -> Draft:
    return draft.saying(draft.text.rstrip())
