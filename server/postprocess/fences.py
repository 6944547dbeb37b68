"""The ``` fence that chat models put round code, and the sentence before it."""

from __future__ import annotations

import re

from ast_prompt.place import Place
from server.postprocess.draft import Draft

FENCE = re.compile(r"^[ \t]*(`{3,})[\w+#.-]*[ \t]*(?:\n|\Z)", re.MULTILINE)
PROSE = re.compile(r"\A\s*[A-Z][^\n]*[:.]\s*\Z")
"""One line that reads like a sentence and announces something."""
WRITES_FENCES = frozenset({"markdown", "rst", "plaintext"})


def fences(draft: Draft) -> Draft:
    """Take the inside of the first fence; a fence behind the code ends the answer.

    In Markdown a fence can be what is wanted, and in a comment or a string it is text.
    """
    if draft.focus.language.name in WRITES_FENCES or draft.focus.place in TEXTUAL:
        return draft
    opened = FENCE.search(draft.text)
    if opened is None:
        return draft
    before = draft.text[: opened.start()]
    if before.strip() and not PROSE.match(before):
        return draft.saying(before)
    inside = draft.text[opened.end() :]
    closed = FENCE.search(inside)
    return draft.saying(inside[: closed.start()] if closed else inside)


TEXTUAL = frozenset({Place.COMMENT, Place.DOCSTRING, Place.STRING})
