"""What makes the file's syntax worse than it was."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from ast_prompt.brackets import PAIRS, brackets, lexis_of
from ast_prompt.growth import growth_at
from ast_prompt.languages import Language
from ast_prompt.place import BLANKS, CLOSERS
from server.postprocess.blanks import trailing_blanks
from server.postprocess.draft import Draft
from server.postprocess.rest_of_line import closers, rest_of_line

MOST_TRIES = 40
"""Lines: each costs a parse of what is round the cursor."""
MOST_WORDS = 12
"""Words and marks at a line's end without which it is tried."""
LEAST_KEPT = 0.4
"""Of a line's characters: with less left of it, it is another answer than the model's."""
WORD = re.compile(r"\w+|[^\w\s]")
DANGLING = re.compile(r"[\s,;.&|+*/=<>!?:-]+$")


def added_errors(draft: Draft) -> Draft:
    """Where the answer adds a syntax error, what of it adds none: with its own brackets closed, else the longest
    beginning.

    Nothing is left where each beginning adds one, unless the code is broken whatever is written.
    """
    growth = growth_at(draft.focus) if draft.text.strip() else None
    if growth is None:
        return draft
    errors = growth.errors(draft.text, draft.covers)
    if errors == 0:
        return draft
    fewest, best = min(
        ((growth.errors(other.text, other.covers), number, other) for number, other in enumerate(balanced(draft))),
        default=(errors, 0, draft),
    )[::2]
    if fewest < errors:
        draft, errors = best, fewest
    if errors <= (least := growth.least_errors()):
        return draft
    for other in mended(draft):
        if other.text.strip() and growth.errors(other.text, other.covers) <= least:
            return other
    return draft if least else replace(draft, text="", covers=0)


def balanced(draft: Draft) -> Iterator[Draft]:
    """With its brackets closed; without the line that only closes them, where the text below does that."""
    yield from closed(draft, draft.text)
    above, _, last = draft.text.rpartition("\n")
    if CLOSERS.fullmatch(last) and above.strip():
        yield shortened(draft, len(above))


def mended(draft: Draft) -> Iterator[Draft]:
    """The answer with its brackets closed, or up to a bracket in its last line that nothing had opened, or without
    the last words of that line; the same without its last line, without its last two, and so on."""
    text = draft.text
    for attempt in range(MOST_TRIES):
        if not text.strip():
            return
        shorter = shortened(draft, len(text)) if attempt else draft
        last = text.rfind("\n")
        if not (attempt and text.rstrip().endswith(tuple(PAIRS))):  # a block of which nothing is left is no answer
            yield from closed(draft, text)
        yield from (shortened(draft, index) for index in closers(shorter) if text[last:index].strip())
        if last < 0 and attempt == 0:
            yield from (shortened(draft, index) for index in ends_of_words(text))
        text = text.rpartition("\n")[0]
        if text.strip():
            yield shortened(draft, len(text))


def shortened(draft: Draft, end: int) -> Draft:
    return rest_of_line(trailing_blanks(replace(draft, text=draft.text[:end], covers=0)))


def ends_of_words(line: str) -> Iterator[int]:
    """Where a line may be cut, the longest beginning first."""
    found = [match.start() for match in WORD.finditer(line)]
    for index in found[: -MOST_WORDS - 1 : -1]:
        kept = len(line[:index].strip())
        if kept and kept >= LEAST_KEPT * len(line.strip()):
            yield index


def closed(draft: Draft, text: str) -> Iterator[Draft]:
    """With the brackets closed that the text leaves open, each as it was opened: at a line's end, or within one.

    Of several lines the last is half written where it opens one, and better left out.
    """
    open_brackets = still_open(draft, text)
    if open_brackets and "\n" in text and open_brackets[-1] > text.rfind("\n"):
        return
    for body in dict.fromkeys((text, DANGLING.sub("", text))):
        ends = [closer_of(draft, body, index) for index in still_open(draft, body)]
        if ends:
            whole = body + "".join(reversed(ends))
            yield rest_of_line(replace(draft, text=whole, covers=0))
            if ends_statements(draft.focus.language) and not draft.focus.after.strip():
                yield replace(draft, text=whole + ";", covers=0)


def ends_statements(language: Language) -> bool:
    """Whether a semicolon does so there, and not the line's end."""
    return language.blocks == "braces" and not language.syntax.lines


def still_open(draft: Draft, text: str) -> list[int]:
    """Indexes of the brackets that are open at the text's end, outermost first."""
    found: list[int] = []
    for index, character in brackets(text, lexis_of(draft.focus.language)):
        if character in PAIRS:
            found.append(index)
        elif character and found:
            found.pop()
    return found


def closer_of(draft: Draft, text: str, index: int) -> str:
    """What closes a bracket: a block's on a line of its own, as deep as the line that opened it."""
    closing, behind = PAIRS[text[index]], text[index + 1 :]
    if behind.strip(BLANKS) and not behind.lstrip(BLANKS).startswith("\n"):
        return closing
    if not behind.strip() and text[index] != "{":
        return closing
    begin = text.rfind("\n", 0, index) + 1
    line = text[begin:index] if begin else draft.focus.before
    return "\n" + line[: len(line) - len(line.lstrip(BLANKS))] + closing
