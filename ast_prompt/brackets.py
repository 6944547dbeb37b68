"""Brackets of a piece of code, those in strings and comments left out."""

from __future__ import annotations

from collections.abc import Iterator

PAIRS = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(PAIRS.values())
LONGEST_CHARACTER_LITERAL = 12
"""In languages where `'` also begins a lifetime or stands in a word: `'\\u{10FFFF}'`."""


def closers_without_opener(code: str, comment: str, quotes: str = "\"'`") -> Iterator[int]:
    """Indexes of the brackets in `code` that close what was opened before it."""
    depth, at = 0, 0
    while at < len(code):
        character = code[at]
        if comment and code.startswith(comment, at):
            at = line_end(code, at)
            continue
        if character in quotes:
            at = behind_literal(code, at)
            continue
        if character in PAIRS:
            depth += 1
        elif character in CLOSING:
            if depth == 0:
                yield at
            else:
                depth -= 1
        at += 1


def behind_literal(code: str, at: int) -> int:
    """The index behind the literal whose opening quote is at `at`; a quote that opens none is a plain character."""
    quote = code[at]
    if code.startswith(quote * 3, at):
        end = code.find(quote * 3, at + 3)
        return len(code) if end < 0 else end + 3
    stop = len(code) if quote == "`" else line_end(code, at)
    index = at + 1
    while index < stop:
        if code[index] == "\\":
            index += 2
        elif code[index] == quote:
            return index + 1
        else:
            index += 1
    return at + 1


def line_end(code: str, at: int) -> int:
    end = code.find("\n", at)
    return len(code) if end < 0 else end
