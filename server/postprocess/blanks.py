"""Blanks at the end: ghost text that nobody sees, and Tab inserts."""

from __future__ import annotations

from server.postprocess.draft import Draft


def trailing_blanks(draft: Draft) -> Draft:
    return draft.saying(draft.text.rstrip())
