"""What stands right of the cursor already, and the model writes again."""

from __future__ import annotations

import re
from dataclasses import replace

from ast_prompt.brackets import closers_without_opener, lexis_of, read
from ast_prompt.place import CLOSERS, Place
from server.postprocess.draft import Draft

PUNCTUATION = re.compile(r"[^\w\s]+")


def rest_of_line(draft: Draft) -> Draft:
    """Closers that the text supplies itself are covered; any other repetition is left out of the text."""
    rest = draft.focus.after
    if not rest.strip() or not draft.text:
        return draft
    if CLOSERS.fullmatch(rest) and (covered := covered_by(draft, closers(draft), rest)):
        return replace(draft, covers=covered)
    return draft.saying(without_repetition(draft, rest))


def covered_by(draft: Draft, unmatched: list[int], rest: str) -> int:
    """How many characters of the rest the text closes itself, in their order, with what it has behind the last."""
    text, covered = draft.text, 0
    if unmatched and text.endswith(rest.rstrip()) and is_a_piece(draft, len(rest.rstrip())):
        return len(rest.rstrip())
    for index in unmatched:
        ahead = len(rest[covered:]) - len(rest[covered:].lstrip())
        if rest[covered + ahead : covered + ahead + 1] != text[index]:
            return covered
        covered += ahead + 1
    behind = text[unmatched[-1] + 1 :] if unmatched else ""
    if behind and rest[covered:].startswith(behind):  # a `;` or `:` behind the closers, too
        covered += len(behind)
    return covered


def without_repetition(draft: Draft, rest: str) -> str:
    """The text up to where its end is the beginning of the rest, or where it closes what the rest closes."""
    text, unmatched = draft.text, closers(draft)
    for begin in (rest, rest.lstrip()):
        for length in range(min(len(begin), len(text)), 0, -1):
            same = begin[:length]
            if not text.endswith(same) or not is_border(begin, length):
                continue
            if length == 1 and PUNCTUATION.fullmatch(same) is None:
                continue
            if is_a_piece(draft, length):
                return text[:-length]
    if unmatched and "\n" not in text and rest.lstrip().startswith(text[unmatched[0]]):
        return text[: unmatched[0]]
    return text


def is_a_piece(draft: Draft, length: int) -> bool:
    """Whether the last characters of the text close nothing that the characters before them opened."""
    lexis = lexis_of(draft.focus.language)
    kept, tail = draft.text[:-length], draft.text[-length:]
    return read(kept, lexis).depth == 0 or not read(tail, lexis).closers


def closers(draft: Draft) -> list[int]:
    """Indexes of what the text closes that was open at the cursor: brackets, and the string that holds the cursor."""
    quote = open_quote(draft)
    at = draft.text.find(quote) if quote else -1
    while at > 0 and draft.text[at - 1] == "\\":
        at = draft.text.find(quote, at + 1)
    if quote and at < 0:
        return []
    begin = at + 1
    behind = closers_without_opener(draft.text[begin:], lexis_of(draft.focus.language))
    return ([at] if quote else []) + [begin + index for index in behind]


def open_quote(draft: Draft) -> str:
    """The quote that ends the string in which the cursor stands; empty elsewhere."""
    if draft.focus.place not in (Place.STRING, Place.DOCSTRING):
        return ""
    scope = draft.focus.innermost("string", "docstring")
    if scope is None:
        return ""
    opening = draft.focus.text.decoded(scope.start, min(scope.start + 4, draft.focus.offset))
    return next((character for character in opening if character in "\"'`"), "")


def is_border(rest: str, length: int) -> bool:
    """Whether cutting `rest` there cuts no word."""
    return length == len(rest) or not (rest[length - 1].isalnum() and rest[length].isalnum())
