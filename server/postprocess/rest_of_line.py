"""What stands right of the cursor already, and the model writes again."""

from __future__ import annotations

from ast_prompt.brackets import PAIRS
from ast_prompt.focus import CLOSERS, Place
from server.postprocess.draft import Draft

SHORTEST = 2
"""Characters: one that is equal by chance is no repetition."""


def rest_of_line(draft: Draft) -> Draft:
    """Closers that the text supplies itself are covered; any other repetition is left out of the text."""
    rest = draft.focus.after
    if not rest.strip() or not draft.text:
        return draft
    if CLOSERS.fullmatch(rest):
        return covering(draft, rest)
    head = draft.text.partition("\n")[0]
    for length in range(min(len(rest), len(head)), SHORTEST - 1, -1):
        if head.endswith(rest[:length]) and is_border(rest, length):
            return draft.saying(head[:-length])
    unmatched = closers(draft)
    if unmatched and rest.lstrip().startswith(draft.text[unmatched[0]]):
        return draft.saying(draft.text[: unmatched[0]])
    return draft


def covering(draft: Draft, rest: str) -> Draft:
    """Let the text replace those closers of the rest that it closes itself, in their order."""
    covered = 0
    for index in closers(draft):
        ahead = len(rest[covered:]) - len(rest[covered:].lstrip())
        if rest[covered + ahead : covered + ahead + 1] != draft.text[index]:
            break
        covered += ahead + 1
    if not covered:
        return draft
    text = draft.text
    last = text[closers(draft)[-1] :] if closers(draft) else ""
    if last[1:] and rest[covered:].startswith(last[1:]):  # a `;` or `:` behind the closers, too
        covered += len(last) - 1
    return Draft(text, draft.focus, draft.dialect, draft.forced, covered)


def closers(draft: Draft) -> list[int]:
    """Indexes of what the text closes that was open at the cursor: brackets, and the string that holds the cursor."""
    text, stack, found = draft.text.partition("\n")[0], list[str](), list[int]()
    quote = open_quote(draft)
    for index, character in enumerate(text):
        if quote:
            if character == quote and not text[:index].endswith("\\"):
                found.append(index)
                quote = ""
        elif stack and stack[-1] in "\"'`":
            if character == stack[-1]:
                stack.pop()
        elif character in "\"'`" or character in PAIRS:
            stack.append(character)
        elif character in PAIRS.values():
            if not stack:
                found.append(index)
            elif PAIRS[stack[-1]] == character:
                stack.pop()
    return found


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
