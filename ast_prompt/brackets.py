"""Brackets of a piece of code, those in strings and comments left out: by its characters, without a grammar."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ast_prompt.languages import SLASHES, STARS, Language

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
    block: tuple[str, str] = ("", "")
    """What begins and what ends a comment that may have several lines; empty where the language has none."""


def lexis_of(language: Language) -> Lexis:
    mark, end = language.comment
    block = STARS if language.comment == SLASHES else language.comment if end else ("", "")
    return Lexis("" if end else mark, language.name in CHARACTER_LITERALS, block)


@dataclass(frozen=True, slots=True)
class Reading:
    """What an answer so far has closed and left open."""

    closers: tuple[int, ...]
    """Indexes of the brackets that close what was opened before it."""
    depth: int
    """Brackets that it opened itself and are open at its end."""
    literal: bool
    """Whether a string or a comment of several lines is open at its end."""

    @property
    def is_open(self) -> bool:
        return self.literal or self.depth > 0


def read(code: str, lexis: Lexis) -> Reading:
    closers, depth, end = [], 0, 0
    for at, character in brackets(code, lexis, whole=False):
        if not character:
            end = at
        elif character in PAIRS:
            depth += 1
        elif depth:
            depth -= 1
        else:
            closers.append(at)
    return Reading(tuple(closers), depth, end > len(code))


def closers_without_opener(code: str, lexis: Lexis) -> Iterator[int]:
    """Indexes of the brackets in `code` that close what was opened before it."""
    depth = 0
    for at, character in brackets(code, lexis):
        if character in PAIRS:
            depth += 1
        elif depth:
            depth -= 1
        elif character:
            yield at


def brackets(code: str, lexis: Lexis, whole: bool = True) -> Iterator[tuple[int, str]]:
    """Each bracket with its index; in the end no bracket and where the code ends, past its length where a literal
    goes on.

    Not `whole`: more of the code is to come, so that a literal that is open at its end goes on.
    """
    at = 0
    while at < len(code):
        character = code[at]
        if lexis.comment and code.startswith(lexis.comment, at):
            at = line_end(code, at)
        elif lexis.block[0] and code.startswith(lexis.block[0], at):
            at = behind(code, lexis.block[1], at + len(lexis.block[0]))
        elif character in "\"'`":
            at = behind_literal(code, at, lexis, whole)
        else:
            if character in PAIRS or character in CLOSING:
                yield at, character
            at += 1
    yield at, ""


def behind(code: str, mark: str, at: int) -> int:
    """The index behind the next `mark`; past the code's end where there is none."""
    found = code.find(mark, at)
    return len(code) + 1 if found < 0 else found + len(mark)


def behind_literal(code: str, at: int, lexis: Lexis, whole: bool) -> int:
    """The index behind the literal whose opening quote is at `at`; a quote that opens none is a plain character."""
    quote = code[at]
    if code.startswith(quote * 3, at) and not (lexis.character and quote == "'"):
        return behind(code, quote * 3, at + 3)
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
    return len(code) + 1 if stop == len(code) and not whole else at + 1


def line_end(code: str, at: int) -> int:
    end = code.find("\n", at)
    return len(code) if end < 0 else end
