"""Brackets of a piece of code, those in strings and comments left out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ast_prompt.languages import Language

PAIRS = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(PAIRS.values())
CHARACTER_LITERALS = frozenset({"rust", "c", "cpp", "java", "go", "csharp", "kotlin"})
"""Languages in which `'` holds one character; in Rust it begins a lifetime, too."""
LONGEST_CHARACTER_LITERAL = 12
"""A character by its number, in braces."""


@dataclass(frozen=True, slots=True)
class Lexis:
    """What of a language one must know to pass over its strings and comments."""

    comment: str
    """What begins a comment up to the line's end; may be empty."""
    character: bool
    """Whether `'` holds one character only."""


def lexis_of(language: Language) -> Lexis:
    mark, end = language.comment
    return Lexis("" if end else mark, language.name in CHARACTER_LITERALS)


def closers_without_opener(code: str, lexis: Lexis, whole: bool = True) -> Iterator[int]:
    """Indexes of the brackets in `code` that close what was opened before it.

    Not `whole`: more of the code is to come, so that a literal that is open at its end goes on.
    """
    depth, at = 0, 0
    while at < len(code):
        character = code[at]
        if lexis.comment and code.startswith(lexis.comment, at):
            at = line_end(code, at)
            continue
        if character in "\"'`":
            at = behind_literal(code, at, lexis, whole)
            continue
        if character in PAIRS:
            depth += 1
        elif character in CLOSING:
            if depth == 0:
                yield at
            else:
                depth -= 1
        at += 1


def behind_literal(code: str, at: int, lexis: Lexis, whole: bool) -> int:
    """The index behind the literal whose opening quote is at `at`; a quote that opens none is a plain character."""
    quote = code[at]
    if code.startswith(quote * 3, at) and not (lexis.character and quote == "'"):
        end = code.find(quote * 3, at + 3)
        return len(code) if end < 0 else end + 3
    stop = len(code) if quote == "`" else line_end(code, at)
    if lexis.character and quote == "'":
        stop = min(stop, at + LONGEST_CHARACTER_LITERAL)
    index = at + 1
    while index < stop:
        if code[index] == "\\":
            index += 2
        elif code[index] == quote:
            return index + 1
        else:
            index += 1
    return len(code) if stop == len(code) and not whole else at + 1


def line_end(code: str, at: int) -> int:
    end = code.find("\n", at)
    return len(code) if end < 0 else end
