"""The block in which a reasoning model thinks."""

from __future__ import annotations

from server.postprocess.draft import Draft

OPEN, CLOSE = "<think>", "</think>"


def thinking(draft: Draft) -> Draft:
    """Drop it; where it is not finished there is no answer."""
    text = draft.text.lstrip()
    if not text or not (text.startswith(OPEN) or OPEN.startswith(text)):
        return draft
    _, closed, rest = text.partition(CLOSE)
    return draft.saying(rest.lstrip("\n") if closed else "")
