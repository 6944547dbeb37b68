"""Control tokens that come back as plain text, and an echo of the prompt."""

from __future__ import annotations

import re

from ast_prompt.dialect import LEAKS
from ast_prompt.prompt import restored
from server.postprocess.draft import Draft

MARKUP = frozenset({"html", "xml", "php", "markdown", "javascriptreact", "typescriptreact", "vue", "svelte"})
TAG_LIKE = re.compile(r"</?[A-Za-z]+>")
"""Tokens that are also good HTML."""
CUT_SHORT = re.compile(r"<[|｜][\w▁]{0,24}[|｜]?\Z")
"""A token of which the limit left only the beginning."""
OPENING = ("<PRE>", "<|fim_prefix|>", "<fim_prefix>", "<｜fim▁begin｜>", "<|fim_suffix|>", "<fim_suffix>")
MIDDLE = ("<MID>", "<|fim_middle|>", "<fim_middle>", "<｜fim▁end｜>")


def echo(draft: Draft) -> Draft:
    """Drop a prompt that the engine lets through: all from an opening mark to the middle one."""
    if not draft.text.lstrip().startswith(OPENING):
        return draft
    at, mark = max((draft.text.rfind(mark), mark) for mark in MIDDLE)
    return draft.saying(draft.text[at + len(mark) :] if at >= 0 else "")


def own_marks(draft: Draft) -> Draft:
    """Marks that the user's text spells, and the prompt had split, are whole again."""
    return draft.saying(restored(draft.text))


def closes_a_tag(draft: Draft, mark: str, at: int) -> bool:
    """`</s>` ends an answer of some models, and a tag that was opened before it."""
    opening = mark.replace("/", "", 1)
    return mark.startswith("</") and (opening in draft.text[:at] or opening in draft.focus.before)


def control_tokens(draft: Draft) -> Draft:
    """Cut at the first control token of any known family: what follows is another, invented file."""
    leaks = LEAKS | draft.dialect.marks
    if draft.focus.language.name in MARKUP:
        leaks = frozenset(mark for mark in leaks if TAG_LIKE.fullmatch(mark) is None)
    cuts = [at for mark in leaks if (at := draft.text.find(mark)) >= 0 and not closes_a_tag(draft, mark, at)]
    return draft.saying(CUT_SHORT.sub("", draft.text[: min(cuts, default=len(draft.text))]))
